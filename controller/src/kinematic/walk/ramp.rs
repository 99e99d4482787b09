//! Up slopes that are higher than the knee: at the edge of the disc all of them are to who has none.

use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::limits::SKIN;
use marchland_terrain::math::{greater, lesser};

use super::stand::LEVEL;
use super::step_up::Top;
use crate::kinematic::depenetrate::overlaps::UPRIGHT;
use crate::kinematic::mover::Mover;
use crate::kinematic::space::footing::{Band, Footing, FootingKind};
use crate::kinematic::space::{CONTACT_MARGIN, Missing};
use crate::limits::ABOVE_ALL_GROUND;

/// The parts of a way up a slope that are tried: all of it may lead beyond its edge.
const UP: [f64; 4] = [1.0, 0.5, 0.25, 0.125];

impl Mover<'_, '_, '_, '_> {
    /// Goes up a slope that is higher than the knee at the edge of the disc, as far as its edge. Returns the part of the
    /// way that this took, if there was one.
    pub(crate) fn walk_up(&mut self, along: DVec3) -> Result<Option<f64>, Missing> {
        for part in UP {
            if self.walks_up(along * part)? {
                return Ok(Some(part));
            }
            if part == 1.0 && self.leans_over_way_up(along)? {
                return Ok(None);
            }
        }
        Ok(None)
    }

    /// How high a way up may lead. Metres.
    fn most_up(&mut self, along: DVec3) -> Result<f32, Missing> {
        let step = self.space.body.step_up();
        Ok(step + self.ramp_rise(step + self.space.hair, along)?)
    }

    /// Whether a wall leans over a way up, which is met then.
    fn leans_over_way_up(&mut self, along: DVec3) -> Result<bool, Missing> {
        let high = self.most_up(along)? + self.space.hair;
        let to = self.space.moved(self.place, along);
        match self.space.footing(to, Band { low: LEVEL, high })? {
            Some(footing) => self.meet_leaning(&footing, along),
            None => Ok(false),
        }
    }

    fn walks_up(&mut self, along: DVec3) -> Result<bool, Missing> {
        let body = self.space.body;
        let most = self.most_up(along)?;
        // Within the skin a slope may be above a low knee.
        let skin = (f64::from(SKIN + CONTACT_MARGIN) * body.max_slope_tan()) as f32;
        if most <= body.knee() + LEVEL && body.knee() > skin {
            return Ok(false);
        }
        // Ground is found however low it is.
        let lowest = -self.drop();
        let top = match self.top_over(most, along)?.filter(|top| top.rise >= lowest) {
            None => self.top_of_slope(most, along)?,
            top => top,
        };
        let Some(top) = top else { return Ok(false) };
        let footing = self.walkable_at(top.place, self.space.hair)?;
        let Some(footing) = footing.filter(|footing| top.rise >= -self.drop_to(footing)) else {
            return Ok(false);
        };
        self.place = top.place;
        self.stand_on(&footing);
        Ok(true)
    }

    /// Where a way up a slope ends that leads under something which leaves no room to be lifted first: it is free aslant.
    #[cold]
    fn top_of_slope(&mut self, most: f32, along: DVec3) -> Result<Option<Top>, Missing> {
        let to = self.space.moved(self.place, along);
        let band = Band { low: LEVEL, high: most + self.space.hair };
        let Some(footing) = self.space.footing(to, band)? else { return Ok(None) };
        let rise = footing.y - self.feet();
        let high = f64::from(footing.y);
        if self.slope_along(&footing, along).is_none()
            || self.first_line((along, None), high, true)?.is_some()
            || self.space.sweep_upper(self.place, along.with_y(f64::from(rise)))?.is_some()
        {
            return Ok(None);
        }
        let place = self.space.at_height(to, footing.y);
        let is_free = self.space.is_clear(place)?
            && (!self.space.has_steep || self.space.is_clear_of_ground(place)?);
        Ok(is_free.then_some(Top { place, rise, along, prop: footing.prop }))
    }

    /// Whether a way has led up a slope, and over no step.
    pub(crate) fn is_on_slope(&self, footing: &Footing, top: &Top) -> bool {
        let most = tangent(footing.normal) * top.along.length();
        f64::from(footing.normal.y) < UPRIGHT && f64::from(top.rise - self.space.hair) <= most
    }

    /// How much farther above `high` metres the slope of a prop has risen on a way, if that is what is there.
    fn ramp_rise(&mut self, high: f32, along: DVec3) -> Result<f32, Missing> {
        let way = along.length();
        let rises = |tangent: f64| lesser((way * tangent) as f32, ABOVE_ALL_GROUND);
        let most = rises(self.space.body.max_slope_tan());
        if most <= high {
            return Ok(0.0);
        }
        let to = self.space.moved(self.place, along);
        let found = self.space.prop_footing(to, Band { low: high, high: high + most })?;
        Ok(found.filter(|ramp| ramp.kind == FootingKind::Walkable).map_or(0.0, |ramp| {
            let rise = rises(tangent(ramp.normal)) + self.space.hair;
            if ramp.y - self.feet() <= high + rise { rise } else { 0.0 }
        }))
    }
}

/// How much a face rises in a metre.
fn tangent(normal: Vec3) -> f64 {
    let up = f64::from(normal.y);
    greater(1.0 - up * up, 0.0).sqrt() / up
}
