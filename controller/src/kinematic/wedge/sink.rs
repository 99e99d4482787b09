//! Down between steep walls: to where they hold a unit, or to a floor.
//!
//! Walls hold a unit where they would push it farther aside than what leads down as steeply as it can walk. How far down
//! that is, is searched by halves; a floor that is seen is reached at once.

use marchland_terrain::glam::DVec3;
use marchland_terrain::math::{greater, lesser};

use crate::kinematic::mover::Mover;
use crate::kinematic::space::Missing;
use crate::kinematic::space::footing::{Band, Footing, FootingKind};
use crate::kinematic::walk::stand::LEVEL;
use crate::units::hair::hair;

/// How far a unit goes down at first, and at least, to where it is held. Metres.
pub(crate) const SINKS: f64 = 0.02;
const SINKS_LEAST: f64 = 2e-4;

/// A floor that falls away beside by more than this part of what a unit goes down is not reached in one step.
const FALLS_MAX: f64 = 0.95;

/// The part of the way aside on the steepest slope that is walked above which walls hold a unit: less than 1, so
/// that none is let down by rounding.
const HELD: f64 = 0.98;

impl Mover<'_, '_, '_, '_> {
    /// Goes down by at most so many metres to where something holds the unit, which still wants to go on by
    /// `wanted`, or supports it; falls if nothing does. Walls that lead it farther aside than it may be put in this tick,
    /// and than it wants, hold it. Whoever presses on stays with its knees on a rim; at rest it goes off
    /// it.
    pub(crate) fn settle_between(
        &mut self,
        wanted: DVec3,
        most: f64,
        presses: bool,
    ) -> Result<(), Missing> {
        let start = self.place;
        let (mut wanted, mut left, mut by, mut narrows) = (wanted, most, SINKS, false);
        let far = 2.0 * wanted.length();
        let most_aside = wanted.length() + greater(self.aside_left(0.0), 0.0);
        let (mut went, mut gap_before) = (DVec3::ZERO, None);
        while left > 0.0 {
            // While nothing bars the way down, as far as it may go.
            let seen = if narrows { by } else { left };
            let footing = self.under_between(seen as f32)?;
            let mut gap = None;
            if let Some(footing) = footing {
                let above = self.feet() - footing.y;
                let is_stand = footing.kind == FootingKind::Walkable;
                let is_rim = presses
                    && !is_stand
                    && match footing.prop {
                        None => self.is_rim(&footing),
                        Some(_) => self.is_on_rim()?,
                    };
                if above <= LEVEL {
                    self.place = self.space.at_height(self.place, footing.y);
                    if is_stand {
                        self.stand_on(&footing);
                    }
                    if is_stand || is_rim {
                        return Ok(());
                    }
                } else if (is_stand || is_rim) && f64::from(above) < seen {
                    gap = Some(f64::from(above));
                    by = gap_closed(f64::from(above), gap_before);
                }
            }
            gap_before = gap;
            let aside = self.pushed_aside(wanted, by)?;
            if let Some(aside) = aside
                && aside.length() > far + greater(by, SINKS)
            {
                break; // that is no way down
            }
            match aside.filter(|aside| (went + *aside).length() <= most_aside) {
                Some(aside) => {
                    self.place = self.space.moved(self.place, aside - DVec3::Y * by);
                    went += aside;
                    wanted -= aside;
                    left -= by;
                }
                None => narrows = true,
            }
            by *= if narrows { 0.5 } else { 2.0 };
            if by < SINKS_LEAST {
                return Ok(());
            }
        }
        self.place = start;
        self.leave_wedge()
    }

    /// What is under it, no more than so many metres lower: beside steep edges that count as no wall, what it can
    /// stand on.
    fn under_between(&mut self, by: f32) -> Result<Option<Footing>, Missing> {
        let high = self.space.low_from;
        if high > self.space.hair {
            let beside = self.space.walkable_footing(self.place, Band { low: -by, high })?;
            if beside.is_some() {
                return Ok(beside);
            }
        }
        self.space.footing(self.place, Band { low: -by, high: LEVEL })
    }

    /// Whether steep walls hold the unit: if it went down they would push it aside by more than what leads down as
    /// steeply as it can walk, or could not let it.
    pub(crate) fn is_held_between(&mut self) -> Result<bool, Missing> {
        // Who may stand on next to nothing that slopes goes down by less, so that the way aside is short.
        let (most, least) = (self.beside_way(), 2.0 * f64::from(hair(self.feet())));
        let by = most / HELD * self.space.body.max_slope_tan();
        let by = greater(by, least);
        Ok(self.pushed_aside(DVec3::ZERO, lesser(by, SINKS))?.is_none())
    }

    /// How far steep walls push the unit aside if it goes down by so many metres. `None` if they hold it on the first
    /// or the second half of that: the farther down, the narrower it is.
    fn pushed_aside(&mut self, wanted: DVec3, by: f64) -> Result<Option<DVec3>, Missing> {
        let most = HELD * 0.5 * by / self.space.body.max_slope_tan();
        let lower = self.space.raised(self.place, -by as f32);
        let Some(aside) = self.way_between(lower, wanted)? else { return Ok(None) };
        if aside.length() >= 2.0 * most {
            return Ok(None); // too far on one half of it at least
        }
        // Nobody goes down onto what is higher; nor than what a fall has brought it a hair below.
        let end = self.space.moved(lower, aside);
        if let Some(ground) = self.space.ground_footing(end)?
            && ground.y > self.feet() + LEVEL
        {
            let here = self.space.ground_footing(self.place)?;
            if here.is_none_or(|here| ground.y > here.y + LEVEL) {
                return Ok(None);
            }
        }
        if aside.length() < most {
            return Ok(Some(aside));
        }
        let half = self.space.raised(self.place, -0.5 * by as f32);
        let first = self.way_between(half, wanted)?;
        let is_little = |way: DVec3| way.length() < most;
        Ok(first.is_some_and(|first| is_little(first) && is_little(aside - first)).then_some(aside))
    }
}

/// How far down a unit gets to a floor that is `gap` metres below it, and falls away beside: of the step before, the
/// same part of the gap was left.
fn gap_closed(gap: f64, before: Option<f64>) -> f64 {
    match before {
        Some(before) if gap < FALLS_MAX * before => gap / (1.0 - gap / before),
        _ => gap,
    }
}
