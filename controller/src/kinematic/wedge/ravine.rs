//! Strides of a walk between steep walls, where a level way seems barred: the floor of a ravine rises, turns or ends.
//!
//! In the plane, as a disc above the knee and a point at the feet. Walls that close in ahead at the height of
//! the feet may do so because the floor rises: then the same is tried so much higher that the floor is still no
//! steeper than what is walked. A stride counts only if something holds the unit at its end.

use marchland_terrain::WorldPos;
use marchland_terrain::glam::DVec3;
use marchland_terrain::math::{greater, lesser};

use super::between::TOUCHED;
use super::sink::SINKS;
use crate::kinematic::mover::Mover;
use crate::kinematic::space::Missing;
use crate::kinematic::walk::stand::{LEVEL, STANDS, Standing};
use crate::units::event::EventKind;
use crate::units::unit::Motion;

/// The longest stride, as a part of the radius.
const STRIDE: f64 = 0.25;

/// As much higher as this is tried whatever the knee is. Metres.
const RISE_LEAST: f32 = 1e-3;

/// Most strides in a tick.
const STRIDES_MAX: f64 = 16.0;

/// Who moves by less than this part of its way is barred.
pub(crate) const BARRED: f64 = 0.02;

/// A stride is longer than it was wanted by more than this, squared, if it leads round a wall.
const ROUND: f64 = 2.0;

/// What is enough of a stride.
#[derive(Clone, Copy)]
pub(crate) struct StrideGoal {
    /// Who gets on by less than this part of it, level, tries it higher up.
    level: f64,
    /// Less than this part of it is nothing.
    least: f64,
    /// Whether the floor rises to ground that can be stood on where it wants to.
    is_rising: bool,
}

/// Mostly. Who slides along a wall by a part of its request gets on by the square of that.
pub(crate) const USUAL: StrideGoal =
    StrideGoal { level: 0.3, least: BARRED * BARRED, is_rising: false };

/// Where the floor is known to rise: higher up wherever that leads farther than on the level.
pub(crate) const RISING: StrideGoal = StrideGoal { level: 0.99, is_rising: true, ..USUAL };

/// On the level, wherever that leads on at all.
pub(crate) const LEVEL_ALONE: StrideGoal = StrideGoal { level: 0.0, ..USUAL };

/// Where nothing else leads on: who slides by a hundredth of its request slowly goes round a corner that it meets nearly
/// head-on.
pub(crate) const LITTLE: StrideGoal = StrideGoal { level: 0.0, least: 1e-4, ..USUAL };

/// Least part of a stride that counts if it stands at the end: it would come back to the same place in each tick.
const LEAST_STANDING: f64 = 2e-3;

/// The parts of the rise of the steepest floor that are tried where all of it leaves no room for the head.
const RISES: [f32; 4] = [1.0, 0.25, 0.0625, 0.015_625];

/// The parts of a stride that are tried where all of it would lead too far.
const SHORTER: [f64; 2] = [0.7, 0.2];

/// Where a stride has led.
#[derive(Clone, Copy, PartialEq)]
enum Stride {
    On,
    /// To where it began.
    Back,
    Nowhere,
}

impl Mover<'_, '_, '_, '_> {
    /// [Goes on between walls](Self::go_between) where a tick on steep ground has led nowhere.
    pub(crate) fn get_on(
        &mut self,
        wish: [f32; 2],
        (from, began): (WorldPos, Motion),
    ) -> Result<(), Missing> {
        let part = match began {
            Motion::Walking => 1.0,
            Motion::Sliding => self.space.body.slide_control(),
            Motion::Falling | Motion::Climbing => return Ok(()),
        };
        if !self.space.has_steep || !matches!(self.motion, Motion::Walking | Motion::Sliding) {
            return Ok(());
        }
        let seconds = f64::from(self.space.tick.dt);
        let by = DVec3::new(f64::from(wish[0]), 0.0, f64::from(wish[1]));
        let by = by * (seconds * f64::from(part));
        let went = self.place.relative_to(from, self.space.size).as_dvec3();
        if went.length_squared() < BARRED * BARRED * by.length_squared() {
            self.go_between(by, seconds, USUAL)?;
        }
        Ok(())
    }

    /// Goes on between walls by as much of a way as it can, in some seconds. Returns whether it got on; if not,
    /// nothing has changed.
    pub(crate) fn go_between(
        &mut self,
        by: DVec3,
        seconds: f64,
        enough: StrideGoal,
    ) -> Result<bool, Missing> {
        let (start, was_wedged) = (self.place, self.state.is_wedged);
        let far = by.length();
        if far < f64::from(LEVEL) {
            return Ok(false); // less than it may sink
        }
        let strides = far / (STRIDE * f64::from(self.space.body.radius()));
        let count = if strides < STRIDES_MAX { strides.ceil() } else { STRIDES_MAX };
        // Who is so fast that its strides would be longer gets on by less.
        let stride = by / greater(strides, count);
        let mut gets_on = false;
        for _ in 0..count as u32 {
            if !self.is_done(stride, start, (far, enough), gets_on)? {
                break;
            }
            gets_on = true;
            // Who has come between walls is between them from the next tick on.
            if self.state.is_wedged != was_wedged || self.motion != Motion::Walking {
                break;
            }
        }
        if gets_on {
            let went = self.place.relative_to(start, self.space.size).as_dvec3().with_y(0.0);
            let most = if went.length() > far { far / went.length() } else { 1.0 };
            let velocity = went / seconds * most;
            (self.velocity.x, self.velocity.z) = (velocity.x as f32 + 0.0, velocity.z as f32 + 0.0);
        }
        Ok(gets_on)
    }

    /// Takes a stride, or a part of it, by which it is no farther from a start than it asked to be. Returns whether it
    /// did.
    fn is_done(
        &mut self,
        stride: DVec3,
        start: WorldPos,
        (far, enough): (f64, StrideGoal),
        gets_on: bool,
    ) -> Result<bool, Missing> {
        let before = self.standing();
        let mut farther = None;
        for part in [1.0, SHORTER[0], SHORTER[1]] {
            let taken = self.stride_between(stride * part, enough)?;
            if taken == Stride::On {
                let went = self.place.relative_to(start, self.space.size).as_dvec3().with_y(0.0);
                if went.length() <= far + TOUCHED {
                    return Ok(true);
                }
                if part == 1.0 {
                    farther = Some((went.length(), self.standing()));
                }
            }
            self.set_standing(&before);
            if taken == Stride::Back {
                break; // so are shorter ones
            }
        }
        // Pushed aside as well it may go farther than it asked to, if there is no other way.
        let farther = farther.filter(|(went, ..)| *went <= 2.0 * stride.length() + SINKS);
        let Some((_, end)) = farther.filter(|_| !gets_on) else { return Ok(false) };
        self.set_standing(&end);
        Ok(true)
    }

    /// A stride higher up where one on the level leads on by too little, or round a wall; or that on the level.
    fn stride_between(&mut self, way: DVec3, enough: StrideGoal) -> Result<Stride, Missing> {
        let (before, square) = (self.standing(), way.length_squared());
        let (mut higher, mut behind) = (Stride::Nowhere, None);
        let level = self.way_between(self.place, way)?.unwrap_or(DVec3::ZERO);
        // Farther than it wants to go, it is the way round a wall.
        if level.dot(way) < enough.level * square || level.length_squared() > ROUND * square {
            let rise = (way.length() * self.space.body.max_slope_tan()) as f32;
            let mut rise = lesser(rise, greater(self.space.body.knee(), RISE_LEAST));
            if enough.is_rising
                && !self.is_led_back()
                && let Some(ground) = self.ground_up(way)?
            {
                // From higher up it would come down along the walls.
                rise = lesser(rise, ground.y - self.feet());
            }
            // Under something that leaves no room for that, as much higher as a floor that rises less.
            for rise in RISES.map(|part| part * rise) {
                let above = self.space.raised(self.place, rise);
                let stride = self.way_between(above, way)?.unwrap_or(DVec3::ZERO);
                let is_better =
                    stride.dot(way) > level.dot(way) || level.length_squared() > ROUND * square;
                if !is_better || stride.length_squared() > ROUND * square {
                    break;
                }
                if self.space.has_head_room(self.place, rise)? {
                    higher = self.take_stride(above, stride, (way, enough))?;
                    if higher == Stride::On {
                        if self.went_along(&before, way) {
                            return Ok(Stride::On);
                        }
                        behind = Some(self.standing());
                    }
                    break;
                }
            }
            self.set_standing(&before);
        }
        let taken = self.take_stride(self.place, level, (way, enough))?;
        // Higher up it may have come down over an edge, behind: only if the level leads nowhere.
        if let Some(end) = behind
            && !(taken == Stride::On && self.went_along(&before, way))
        {
            self.set_standing(&end);
            return Ok(Stride::On);
        }
        Ok(if taken == Stride::Nowhere { higher } else { taken })
    }

    /// Whether it has come from a place to where a way leads, and not behind.
    fn went_along(&self, from: &Standing, way: DVec3) -> bool {
        self.place.relative_to(from.place, self.space.size).as_dvec3().dot(way) > 0.0
    }

    /// A stride from a place, which may be above the present one; the unit wants to go on by all of `way`.
    fn take_stride(
        &mut self,
        from: WorldPos,
        stride: DVec3,
        (way, enough): (DVec3, StrideGoal),
    ) -> Result<Stride, Missing> {
        let (start, least) = (self.place, enough.least * way.length_squared());
        if stride.dot(way) < least || self.space.meets_inside(from, stride)? {
            return Ok(Stride::Nowhere);
        }
        if self.motion == Motion::Sliding {
            self.events.push(EventKind::Landed { speed: 0.0 });
        }
        self.place = self.space.moved(from, stride);
        self.met.clear();
        (self.motion, self.is_suspended) = (Motion::Walking, false);
        (self.state.is_wedged, self.state.support) = (true, None);
        let rose = f64::from(self.feet() - start.local().y);
        let sinks = rose + way.length() * self.space.body.max_slope_tan() + SINKS;
        let stepped = self.standing();
        self.settle_between(way - stride, sinks, true)?;
        self.rise_to_ground()?;
        if self.motion != Motion::Walking {
            // Off the end, unless it would stand there again at once; but nobody gets off the ground by trying.
            if from != start || !self.is_wedged_here()? {
                return Ok(if from == start { Stride::On } else { Stride::Nowhere });
            }
            self.set_standing(&stepped);
            self.rise_to_ground()?;
        }
        let moved = self.place.relative_to(start, self.space.size).as_dvec3();
        // Over an edge it may come down beside its way.
        let is_over = moved.y < -f64::from(LEVEL) && moved.length_squared() > least;
        let least = if self.state.is_wedged { enough.least } else { LEAST_STANDING };
        let gets_on = moved.dot(way) >= least * way.length_squared() || is_over;
        if !gets_on && moved.length() < STANDS * way.length() {
            return Ok(Stride::Back);
        }
        let sank = greater(-moved.y, 0.0);
        let rise = way.length() * self.space.body.max_slope_tan() + sank;
        let is_taken = gets_on && (self.is_free()? || self.rises_with_knee(rise as f32)?);
        Ok(if is_taken { Stride::On } else { Stride::Nowhere })
    }

    /// Rises by up to so many metres with ground that can be stood on and has come above the knee in a stride: walls that
    /// hold the unit keep it higher than the ground under its middle, which lifts nobody by what is beyond an edge.
    /// Returns whether that frees it.
    fn rises_with_knee(&mut self, most: f32) -> Result<bool, Missing> {
        let (knee, upright) = (self.space.body.knee(), self.space.body.max_slope_cos() as f32);
        let high = knee + most + LEVEL;
        let Some(top) = self.space.highest_ground(self.place, (knee, high), upright)? else {
            return Ok(false);
        };
        self.place = self.space.raised(self.place, top - knee);
        self.is_free()
    }
}
