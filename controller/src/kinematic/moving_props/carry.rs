//! Carrying: what moves under a unit takes it along.

use marchland_terrain::PropId;
use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::limits::SKIN;
use marchland_terrain::math::greater;
use marchland_terrain::props::LivePropRef;

use super::carrier::{Carrier, carrier, is_left_behind, is_set};
use super::piece::EASE;
use crate::kinematic::depenetrate::overlaps::UPRIGHT;
use crate::kinematic::mover::Mover;
use crate::kinematic::planes::Plane;
use crate::kinematic::slick::floor::laid;
use crate::kinematic::space::footing::{Band, Footing, FootingKind};
use crate::kinematic::space::posed::displaced;
use crate::kinematic::space::{Missing, Part, plane_at, plane_of};
use crate::kinematic::walk::STILL;
use crate::kinematic::walk::stand::LEVEL;
use crate::limits::CARRY_SPEED_MAX;
use crate::units::unit::Motion;

/// How many times at most a carried unit may meet something and continue along it.
const CARRIES_MAX: usize = 4;

/// How a unit's support moves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct CarrierMotion {
    /// In this tick. Metres.
    pub(crate) by: DVec3,
    /// Metres per second, where the unit stands.
    pub(crate) velocity: Vec3,
}

impl Mover<'_, '_, '_, '_> {
    /// What is under the feet of a standing unit.
    pub(crate) fn under(&mut self) -> Result<Option<Footing>, Missing> {
        let body = self.space.body;
        let high = body.knee() + self.space.hair;
        self.space.footing(self.place, Band { low: -body.step_down(), high })
    }

    /// What is under the feet of a unit in its tick, and what is as high in its middle instead. Props have moved
    /// already: what has carried the unit away from here is under it where it carries it to.
    pub(crate) fn under_on_way(&mut self) -> Result<(Option<Footing>, Option<Footing>), Missing> {
        let found = self.under()?;
        let carrier = carrier(self.space.view, &self.state, self.place, self.space.tick.dt);
        let by = carrier.map_or(DVec3::ZERO, |carrier| carrier.by);
        let support = self.state.support;
        let is_own = |found: &Footing| found.prop == support;
        let is_near = by.length() <= f64::from(self.space.body.radius());
        let feet = self.feet() - LEVEL;
        // What has come no farther may be beside what it stands on as well.
        let stands = |found: &Footing| is_own(found) || (is_near && found.y >= feet);
        if by == DVec3::ZERO || found.as_ref().is_some_and(stands) {
            return Ok((found, self.beside(found.as_ref())?));
        }
        let here = self.place;
        self.place = self.space.moved(here, by);
        let there = self.under().and_then(|there| {
            let there = there.filter(is_own);
            Ok((there, self.beside(there.as_ref())?))
        });
        self.place = here;
        match there? {
            (None, _) => Ok((found, self.beside(found.as_ref())?)),
            there => Ok(there),
        }
    }

    /// What was under the feet when the tick began, by what is under them now: that may only have come, and another that
    /// goes with it be under where they carry the unit to.
    pub(crate) fn under_before(&mut self, now: Footing) -> Result<Option<Footing>, Missing> {
        let here = self.place;
        let way = |unit: &Self, prop| {
            unit.live(prop).map_or(DVec3::ZERO, |prop| prop.displacement_of(here))
        };
        let by = way(self, now.prop);
        if by == DVec3::ZERO {
            return Ok(Some(now));
        }
        self.place = self.space.moved(here, by);
        let there = self.under();
        self.place = here;
        Ok(there?.filter(|there| (way(self, there.prop) - by).length() <= STILL))
    }

    fn beside(&mut self, found: Option<&Footing>) -> Result<Option<Footing>, Missing> {
        found.map_or(Ok(None), |found| self.beside_in_middle(found))
    }

    /// How the platform or the conveyor under a unit moves.
    pub(crate) fn carried(&self, under: Option<&Footing>) -> CarrierMotion {
        let support = self.state.support;
        self.carried_by(support, under.filter(|under| under.prop == support))
    }

    /// How a platform, and a conveyor on it, would move a unit.
    pub(crate) fn carried_by(
        &self,
        support: Option<PropId>,
        under: Option<&Footing>,
    ) -> CarrierMotion {
        let dt = f64::from(self.space.tick.dt);
        let mut carried = CarrierMotion::default();
        let own = if support == self.state.support {
            carrier(self.space.view, &self.state, self.place, self.space.tick.dt)
        } else {
            let prop = self.live(support).filter(|prop| !is_set(prop));
            prop.map(|prop| Carrier { by: prop.displacement_of(self.place), prop })
        };
        if let Some(Carrier { prop, by }) = &own {
            carried.by = *by;
            carried.velocity = at_most(prop.velocity_at(self.place), CARRY_SPEED_MAX);
        }
        let prop = own.map(|own| own.prop);
        if let Some(under) = under {
            let conveyor = self.space.surface(under.surface).conveyor;
            if conveyor != Vec3::ZERO {
                let turned = match prop {
                    Some(prop) => prop.placement().rotation().apply(conveyor),
                    None => self.baked_rotation(under.prop, conveyor),
                };
                carried.by += turned * dt;
                carried.velocity += turned.as_vec3();
            }
        }
        carried
    }

    /// Forgets a live prop that is there no more, or was put elsewhere.
    pub(crate) fn forget_lost_support(&mut self) {
        let (view, dt) = (self.space.view, self.space.tick.dt);
        if is_left_behind(view, &self.state, self.place, dt) {
            self.state.support = None;
            if self.motion == Motion::Walking {
                self.state.normal = Vec3::ZERO;
            }
        }
    }

    /// Remembers what is needed to know later whether the prop under the unit has been put elsewhere.
    pub(crate) fn note_support(&mut self) {
        self.state.support_put = self.live(self.state.support).map_or(0, |prop| prop.times_put());
        self.state.boarded = None;
    }

    /// Turns what a climber goes by with what it climbs: the direction in which it hangs on a ladder, and the rest of its
    /// way onto a ledge.
    pub(crate) fn turn_with_climbed(&mut self) {
        let Some(prop) = self.live(self.state.support) else { return };
        if self.motion != Motion::Climbing {
            return;
        }
        let swing = |way: Vec3| {
            let end = self.space.moved(self.place, way.as_dvec3());
            prop.displacement_of(end) - prop.displacement_of(self.place)
        };
        let (normal, left) = (self.state.normal, self.state.climb.left);
        let [by, left_by] = [normal, left].map(swing);
        let level = (normal.as_dvec3() + by).with_y(0.0);
        if by != DVec3::ZERO && level.length() > 0.5 {
            self.state.normal = level.normalize().as_vec3();
        }
        self.state.climb.left += left_by.as_vec3();
    }

    pub(crate) fn live(&self, prop: Option<PropId>) -> Option<LivePropRef<'_>> {
        self.space.view.live()?.get(prop?)
    }

    /// Rotates a vector from a baked prop's frame into the world's.
    fn baked_rotation(&self, prop: Option<PropId>, vector: Vec3) -> DVec3 {
        let Some(PropId::Baked { sector, index }) = prop else { return vector.as_dvec3() };
        let Some(record) = self.space.baked(sector, index) else { return vector.as_dvec3() };
        record.placement.rotation().apply(vector)
    }

    /// Moves with what is underfoot, as far as nothing is in the way.
    pub(crate) fn carry(&mut self, by: DVec3) -> Result<(), Missing> {
        let Some(way) = self.state.support.and_then(|prop| self.space.moving_props.get(prop))
        else {
            return self.carry_past(self.along_support(by), false);
        };
        // Nothing of a prop is in the way of who moves with it. A conveyor moves along the prop.
        let along = by - displaced(&way, self.place, Vec3::ZERO, 0.0, 1.0);
        if along.length() <= STILL {
            return self.carry_past(by, true);
        }
        self.carry_past(by - along, true)?;
        self.carry_past(self.along_support(along), false)
    }

    /// A level way up the face of a prop that is stood on, along that face: a conveyor leads nobody into itself.
    fn along_support(&self, by: DVec3) -> DVec3 {
        let normal = self.state.normal.as_dvec3();
        let is_up = by.y == 0.0 && normal.dot(by) < 0.0;
        let along = if is_up { laid(by, normal) } else { by };
        // On a slope rounding leads no rim of the foot into it.
        let into = along.length() * EASE - normal.dot(along);
        if along.y != 0.0 && into > 0.0 { along + normal * into } else { along }
    }

    /// Rises with a prop that has tilted under the foot disc by more than a low knee absorbs, has come nearer to a ceiling
    /// than the skin, or has moved at all where something has shoved the unit along it: then what is in the body crushes
    /// it.
    pub(crate) fn rise_with_carrier(&mut self) -> Result<(), Missing> {
        let Some(support) = self.state.support.filter(|_| self.motion == Motion::Walking) else {
            return Ok(());
        };
        let Some(way) = self.space.moving_props.get(support) else { return Ok(()) };
        let rise =
            |aside: Vec3| displaced(&way, self.place, aside * self.space.body.radius(), 0.0, 1.0).y;
        let tilt =
            (rise(Vec3::X) - rise(Vec3::ZERO)).abs() + (rise(Vec3::Z) - rise(Vec3::ZERO)).abs();
        let knee = self.space.body.knee();
        if knee > SKIN && tilt <= f64::from(knee) && !self.is_left_behind() {
            return Ok(());
        }
        // Its skin has kept it below a ceiling.
        let band = Band { low: 0.0, high: greater(knee, SKIN) + self.space.hair + tilt as f32 };
        let Some(footing) = self.space.prop_footing(self.place, band)? else { return Ok(()) };
        let is_own = footing.prop == Some(support) && footing.kind == FootingKind::Walkable;
        let raised = self.space.at_height(self.place, footing.y);
        if is_own && self.space.is_free_below(raised, 0.0)? {
            self.place = raised;
        }
        Ok(())
    }

    /// Is carried past everything, or past everything but what has moved, as far as nothing is in the way.
    fn carry_past(&mut self, by: DVec3, is_rigid: bool) -> Result<(), Missing> {
        if by == DVec3::ZERO {
            return Ok(());
        }
        let platform = self.state.support;
        // A conveyor does not lead through the walls of its own prop.
        let body = self.space.body;
        let mut left = by;
        self.met.clear();
        for _ in 0..CARRIES_MAX {
            let mut planes = self.met.clone();
            self.space.touching(Part::Upper, self.place)?;
            for contact in self.space.contacts.as_slice() {
                let is_floor = is_rigid || body.can_stand_on(f64::from(contact.normal.y));
                if contact.triangle.prop() != platform || !is_floor {
                    planes.push(Plane { depth: 0.0, ..plane_at(contact) });
                }
            }
            let motion = planes.nearest(left).unwrap_or(DVec3::ZERO);
            if motion.length() <= STILL {
                break;
            }
            let absent = if is_rigid { self.space.moving_props.ids() } else { &[] };
            let hit = self.space.sweep_past(absent, Part::Upper, self.place, motion)?;
            let time = hit.as_ref().map_or(1.0, |hit| hit.time);
            let to = self.space.moved(self.place, motion * time);
            if self.line_before(motion * time, to)?.is_some() || self.space.is_outside(to) {
                break;
            }
            self.place = to;
            left *= 1.0 - time;
            let Some(hit) = hit else { break };
            if f64::from(hit.normal.y) > UPRIGHT {
                // It is set down on that: by rounding it would be lower than a low knee absorbs.
                self.place = self.space.raised(self.place, self.space.hair);
            }
            self.meet(plane_of(&hit));
        }
        Ok(())
    }
}

/// A velocity, shortened to a greatest speed.
fn at_most(velocity: Vec3, most: f32) -> Vec3 {
    let length = velocity.as_dvec3().length();
    let most = f64::from(most);
    if length > most { (velocity.as_dvec3() * (most / length)).as_vec3() } else { velocity }
}
