//! Conveyors: which of several carries, and where one hands over to another.

use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::math::{greater, lesser};
use marchland_terrain::query::Cylinder;

use super::carry::CarrierMotion;
use crate::kinematic::mover::Mover;
use crate::kinematic::space::Missing;
use crate::kinematic::space::footing::{Footing, FootingKind};
use crate::kinematic::walk::stand::LEVEL;
use crate::units::surface::SurfaceResponse;

/// Radius around the middle of a unit in which a top is under its middle. Metres: more than the gaps that
/// rounding leaves between flush props.
pub(crate) const MIDDLE: f32 = 1e-4;

/// How near to the line between two conveyors a unit comes to rest. Metres.
const LINE: f64 = 1.0 / 16_384.0;

/// How far beyond that line is tried whether the other conveyor leads back over it. Metres: also at a line that
/// is met at an angle.
const BACK: f64 = 1.0 / 1024.0;

impl Mover<'_, '_, '_, '_> {
    /// The same; of level tops at one height, the one under the middle of the unit.
    pub(crate) fn under_middle(&mut self) -> Result<Option<Footing>, Missing> {
        match self.under()? {
            Some(found) => Ok(Some(self.beside_in_middle(&found)?.unwrap_or(found))),
            None => Ok(None),
        }
    }

    /// What is under the middle of a unit, as high as another thing under its feet, if one of them is not
    /// plain.
    pub(crate) fn beside_in_middle(&mut self, found: &Footing) -> Result<Option<Footing>, Missing> {
        let is_level = found.normal.y > 1.0 - LEVEL && found.prop.is_some();
        if !is_level || self.space.surfaces.iter().all(SurfaceResponse::is_plain) {
            return Ok(None);
        }
        let middle = self.in_middle(found)?;
        let is_plain = |of: &Footing| self.space.surface(of.surface).is_plain();
        Ok(middle.filter(|middle| {
            (middle.prop, middle.surface) != (found.prop, found.surface)
                && !(is_plain(middle) && is_plain(found))
        }))
    }

    /// What is under the middle of a unit, as high as what is under its feet.
    fn in_middle(&mut self, found: &Footing) -> Result<Option<Footing>, Missing> {
        let feet = self.feet();
        let rise = found.y - feet;
        let band = (rise - LEVEL, rise + LEVEL);
        let slim = Cylinder { radius: MIDDLE, ..self.space.core() };
        let upright = self.space.body.max_slope_cos() as f32;
        let prop = self.space.support(slim, self.place, band, upright)?;
        if let Some(prop) = prop {
            let (normal, surface, prop) = (prop.normal, prop.surface, prop.triangle.prop());
            return Ok(Some(Footing { normal, surface, prop, ..*found }));
        }
        let ground = self.space.ground_footing(self.place)?;
        Ok(ground.filter(|ground| {
            ground.kind == FootingKind::Walkable && (ground.y - found.y).abs() <= LEVEL
        }))
    }

    /// How a unit is carried where a conveyor hands over to one that leads back: no farther than to the line between
    /// them, and along it; or where it ends and the unit walks against it.
    pub(crate) fn carried_to_line(
        &mut self,
        carried: CarrierMotion,
        under: Option<&Footing>,
        asked: [f32; 2],
    ) -> Result<CarrierMotion, Missing> {
        let Some(under) = under.filter(|_| carried.by != DVec3::ZERO) else { return Ok(carried) };
        if let Some(on_line) = self.line_between(&carried, under)? {
            return Ok(on_line);
        }
        Ok(self.end_before(&carried, under, asked)?.unwrap_or(carried))
    }

    /// How a unit is carried that walks more slowly against the end of a conveyor at rest: so far that its walk ends
    /// there. Beyond it, it would come back onto it a few ticks later, again and again.
    fn end_before(
        &mut self,
        carried: &CarrierMotion,
        under: &Footing,
        asked: [f32; 2],
    ) -> Result<Option<CarrierMotion>, Missing> {
        let [x, z] = asked.map(f64::from);
        let walk = DVec3::new(x, 0.0, z) * f64::from(self.space.tick.dt);
        let (by, length) = (carried.by, carried.by.length());
        // Rounding leads nobody over the end.
        let goal = walk + by * (LINE / length);
        let moves = under.prop.is_some_and(|prop| self.space.moving_props.get(prop).is_some());
        let is_conveyor = self.space.surface(under.surface).conveyor != Vec3::ZERO;
        if !is_conveyor
            || moves
            || by.dot(walk) >= 0.0
            || !self.is_off(goal + by, under)?
            || self.is_off(goal, under)?
        {
            return Ok(None);
        }
        let (mut low, mut high) = (0.0, 1.0);
        while (high - low) * length > LINE {
            let middle = 0.5 * (low + high);
            *(if self.is_off(goal + by * middle, under)? { &mut high } else { &mut low }) = middle;
        }
        Ok(Some(CarrierMotion { by: by * low, velocity: carried.velocity * low as f32 }))
    }

    /// How a unit is carried to the line between two conveyors that lead to each other, if it comes there.
    fn line_between(
        &mut self,
        carried: &CarrierMotion,
        under: &Footing,
    ) -> Result<Option<CarrierMotion>, Missing> {
        let (by, length) = (carried.by, carried.by.length());
        let Some(mut next) = self.other_conveyor(by, under)? else { return Ok(None) };
        let (mut low, mut high) = (0.0, 1.0);
        while (high - low) * length > LINE {
            // The line is mostly near: a unit rests on it.
            let part = if low == 0.0 && 0.5 * LINE < high * length && high < 1.0 {
                0.5 * high
            } else if low == 0.0 {
                0.5 * LINE / length
            } else {
                0.5 * (low + high)
            };
            match self.other_conveyor(by * part, under)? {
                Some(belt) => (next, high) = (belt, part),
                None => low = part,
            }
        }
        let back = self.carried_by(next.prop, Some(&next)).velocity;
        let Some(to) = back.as_dvec3().try_normalize() else { return Ok(None) };
        if self.other_conveyor(by * high + to * BACK, under)?.is_some() {
            return Ok(None);
        }
        let there = carried.velocity.as_dvec3();
        let (mut velocity, dt) =
            (least_between(there, back.as_dvec3()), f64::from(self.space.tick.dt));
        let left = dt * (1.0 - low);
        if velocity != DVec3::ZERO {
            velocity = self.along_line((there, back.as_dvec3()), (by * low, left), under)?;
        }
        let by = by * low + velocity * left;
        Ok(Some(CarrierMotion { by, velocity: velocity.as_vec3() }))
    }

    /// The velocity between those of two conveyors that leads along the line between them, in `left` seconds after a way to
    /// it: one that leads over it neither way.
    fn along_line(
        &mut self,
        (mut here, mut back): (DVec3, DVec3),
        (to, left): (DVec3, f64),
        under: &Footing,
    ) -> Result<DVec3, Missing> {
        while (here - back).length() * left > LINE {
            let middle = 0.5 * (here + back);
            match self.other_conveyor(to + middle * left, under)? {
                Some(_) => here = middle,
                None => back = middle,
            }
        }
        Ok(back)
    }

    /// The conveyor under a unit that is moved by `by` metres, if it is another than the one under it now.
    fn other_conveyor(&mut self, by: DVec3, under: &Footing) -> Result<Option<Footing>, Missing> {
        let found = self.under_there(by)?;
        Ok(found.filter(|found| {
            !is_same(found, under) && self.space.surface(found.surface).conveyor != Vec3::ZERO
        }))
    }

    /// Whether a unit that is moved by `by` metres is no longer on what is under it now.
    fn is_off(&mut self, by: DVec3, under: &Footing) -> Result<bool, Missing> {
        Ok(self.under_there(by)?.is_none_or(|found| !is_same(&found, under)))
    }

    /// What is under a unit that is moved by `by` metres.
    fn under_there(&mut self, by: DVec3) -> Result<Option<Footing>, Missing> {
        let here = self.place;
        self.place = self.space.moved(here, by);
        let found = self.under_middle();
        self.place = here;
        found
    }
}

fn is_same(found: &Footing, under: &Footing) -> bool {
    (found.prop, found.surface) == (under.prop, under.surface)
}

/// The least velocity between two: what is left along a line where one leads to it from either side.
fn least_between(a: DVec3, b: DVec3) -> DVec3 {
    let apart = b - a;
    let squared = apart.length_squared();
    let part = if squared > 0.0 { -a.dot(apart) / squared } else { 0.0 };
    let part = greater(0.0, part);
    let least = a + apart * lesser(1.0, part);
    // Of opposed velocities only rounding is left.
    if least.length_squared() < 1e-12 * squared { DVec3::ZERO } else { least }
}
