//! A unit under way: its state, what is in its way, and what happened to it.

use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::{PropId, WorldPos};

use super::planes::{Plane, Planes};
use super::slick::floor::{FaceVelocity, Floor};
use super::space::{CONTACT_MARGIN, Missing, PARTING, Space};
use crate::units::contact_state::{CONTACTS_MAX, CRUSHERS_MAX, ContactState, Crushers};
use crate::units::event::EventKind;
use crate::units::unit::{Motion, Unit};

/// Most events of a unit that are reported in a tick. If there are more, steps and bounces are left out, the
/// last ones first, in favour of changes of motion and contacts. If there are more of these, the last ones are
/// left out.
pub(crate) const EVENTS_MAX: usize = 16;

pub(crate) struct Mover<'s, 'a, 'v, 'm> {
    pub(crate) space: &'s mut Space<'a, 'v, 'm>,
    pub(crate) place: WorldPos,
    /// Where it was when the tick began.
    pub(crate) began_at: WorldPos,
    /// Its velocity then.
    pub(crate) began_with: Vec3,
    pub(crate) velocity: Vec3,
    pub(crate) motion: Motion,
    /// Of the [unit](Unit). Metres.
    pub(super) residue: [f32; 2],
    /// The end of a short walk.
    pub(super) short: Option<ShortWalk>,
    pub(crate) state: ContactState,
    /// Has lost its support in this tick, and keeps its height until the end of the tick.
    pub(crate) is_suspended: bool,
    /// What it stood on when its tick began, where that matters to its velocity.
    pub(super) floor: Option<Floor>,
    /// Its velocity along slick ground.
    pub(super) glided: Option<FaceVelocity>,
    /// Seconds of the flight under way, in which it bounces off what it meets; 0 outside of one.
    pub(crate) flight: f32,
    /// Seconds of flight that follow in this tick.
    pub(crate) flight_left: f32,
    /// What a body in the air stands on already.
    pub(crate) floor_touched: Option<Plane>,
    /// Has jumped in this tick: what it touched, it was walking at, and does not bounce off.
    pub(crate) is_off_ground: bool,
    /// What it met in this stretch of its move.
    pub(crate) met: &'m mut Planes,
    /// What was around it when it last searched for a way along walls.
    pub(crate) walls: &'m mut Planes,
    /// Where its walk leads. A unit vector, or zero.
    pub(crate) heading: DVec3,
    /// What walls leave of its skin between them, at the place that was asked last. Metres.
    pub(super) room: Option<(WorldPos, [f64; 2])>,
    /// Whether something below the knee is in its way.
    pub(crate) is_low_wall: bool,
    /// Whether it stands on what is below something steep in its foot: walls have let it get nowhere.
    pub(super) is_cornered: bool,
    /// Whether a moving prop has pressed it against something in this tick, as far as is known.
    pub(crate) is_pressed: bool,
    /// Whether a moving prop has gone through it, wholly past it, in this tick.
    pub(crate) is_passed: bool,
    /// What crushed it until this tick.
    pub(crate) let_go: Crushers,
    /// The part of the tick after which it stayed where it was pressed; 1 if it was not.
    pub(crate) pressed_from: f64,
    /// What was to carry it in this tick. Metres.
    pub(crate) carried: DVec3,
    /// How far it was pushed ahead of what moves in this tick, in the air: so far it need not fly by itself. Metres.
    pub(crate) ahead: DVec3,
    /// How far it was pushed in this tick, to get out of something. Metres.
    pub(crate) pushed: f64,
    /// How far moving props have shoved it in this tick, beside what carries it. Metres.
    pub(super) shoved: f64,
    /// Whether the ground that it overlaps is only in its skin.
    pub(crate) skips_ground: bool,
    /// The same for props at rest.
    pub(crate) skips_props: bool,
    /// The props that it met in the whole tick.
    pub(crate) props_met: PropsMet,
    pub(crate) events: EventList,
    pub(crate) met_edge: bool,
    pub(crate) met_slope: bool,
}

/// Where a [short](crate::units::tick::Tick::walk) walk leads.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShortWalk {
    pub(super) goal: WorldPos,
    /// The same along X and Z in the sector where it begins. Metres.
    pub(super) to: [f32; 2],
    /// The residue there.
    pub(super) residue: [f32; 2],
}

/// What happened, in order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EventList {
    list: [EventKind; EVENTS_MAX],
    len: usize,
}

impl EventList {
    pub(crate) const fn new() -> Self {
        Self { list: [EventKind::Held; EVENTS_MAX], len: 0 }
    }

    pub(crate) fn push(&mut self, kind: EventKind) {
        if self.len == EVENTS_MAX && !(is_small(kind) || self.drop_small()) {
            return;
        }
        if self.len < EVENTS_MAX {
            self.list[self.len] = kind;
            self.len += 1;
        }
    }

    /// Removes the last event that nothing else depends on. Returns whether there was one.
    #[cold]
    fn drop_small(&mut self) -> bool {
        let Some(at) = self.list.iter().rposition(|kind| is_small(*kind)) else { return false };
        self.list.copy_within(at + 1.., at);
        self.len -= 1;
        true
    }

    /// Removes an event that was told in this tick, if it was.
    pub(super) fn take_back(&mut self, kind: EventKind) {
        if let Some(at) = self.as_slice().iter().position(|told| *told == kind) {
            self.list.copy_within(at + 1..self.len, at);
            self.len -= 1;
        }
    }

    pub(crate) fn as_slice(&self) -> &[EventKind] {
        &self.list[..self.len]
    }
}

/// Whether nothing else is lost with such an event.
fn is_small(kind: EventKind) -> bool {
    matches!(kind, EventKind::Stepped { .. } | EventKind::Bounced { .. })
}

/// Props in the way during a tick, in order, each once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PropsMet {
    props: [Option<(PropId, Vec3)>; CONTACTS_MAX],
}

impl PropsMet {
    pub(crate) fn new() -> Self {
        Self { props: [None; CONTACTS_MAX] }
    }

    /// Adds a prop; if there are too many, the greatest is dropped.
    pub(crate) fn push(&mut self, prop: PropId, normal: DVec3) {
        let normal = normal.as_vec3() + Vec3::ZERO;
        let mut next = Some((prop, normal));
        for place in &mut self.props {
            match (*place, next) {
                (Some((known, _)), Some((prop, _))) if known == prop => return,
                (Some((known, _)), Some((prop, _))) if known < prop => {}
                _ => std::mem::swap(place, &mut next),
            }
            if next.is_none() {
                return;
            }
        }
    }

    fn remove(&mut self, prop: PropId) {
        if let Some(at) = self.props.iter().position(|met| met.is_some_and(|(id, _)| id == prop)) {
            self.props[at..].rotate_left(1);
            self.props[CONTACTS_MAX - 1] = None;
        }
    }

    /// Adds a prop that is no longer in the way, if there is room.
    fn keep(&mut self, prop: PropId) {
        if self.props[CONTACTS_MAX - 1].is_none() {
            self.push(prop, DVec3::ZERO);
        }
    }

    /// The props alone.
    pub(crate) fn props(&self) -> [Option<PropId>; CONTACTS_MAX] {
        self.props.map(|met| met.map(|(prop, _)| prop))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (PropId, Vec3)> + '_ {
        self.props.iter().flatten().copied()
    }
}

impl<'s, 'a, 'v, 'm> Mover<'s, 'a, 'v, 'm> {
    /// A unit at a place, before it has met anything. It is large: inlined, it is built in place.
    #[inline(always)]
    pub(crate) fn new(
        space: &'s mut Space<'a, 'v, 'm>,
        (met, walls): (&'m mut Planes, &'m mut Planes),
        place: WorldPos,
        unit: &Unit,
        state: ContactState,
    ) -> Self {
        met.clear();
        walls.clear();
        Self {
            space,
            place,
            began_at: place,
            began_with: unit.velocity,
            velocity: unit.velocity,
            motion: unit.motion,
            residue: unit.residue,
            short: None,
            state,
            is_suspended: false,
            floor: None,
            glided: None,
            flight: 0.0,
            flight_left: 0.0,
            floor_touched: None,
            is_off_ground: false,
            met,
            walls,
            heading: DVec3::ZERO,
            room: None,
            is_pressed: false,
            is_passed: false,
            let_go: [None; CRUSHERS_MAX],
            pressed_from: 1.0,
            carried: DVec3::ZERO,
            ahead: DVec3::ZERO,
            pushed: 0.0,
            shoved: 0.0,
            skips_ground: false,
            skips_props: false,
            is_low_wall: false,
            is_cornered: false,
            props_met: PropsMet::new(),
            events: const { EventList::new() },
            met_edge: false,
            met_slope: false,
        }
    }
}

impl Mover<'_, '_, '_, '_> {
    /// Meets a plane: it holds for the rest of this stretch.
    pub(crate) fn meet(&mut self, plane: Plane) {
        self.record_plane(&plane);
        self.met.push(plane);
    }

    /// Records what is in the way: a prop, or ground that is too steep.
    pub(crate) fn record_plane(&mut self, plane: &Plane) {
        match plane.prop() {
            Some(prop) => self.props_met.push(prop, plane.normal),
            None => self.met_slope |= plane.triangle.is_some(),
        }
    }

    /// Reports which contacts with props began and ended.
    pub(crate) fn emit_contacts(&mut self) -> Result<(), Missing> {
        let before = self.state.contacts_last_tick;
        self.settle_contacts(&before)?;
        let now = self.props_met.props();
        for prop in before.into_iter().flatten() {
            if !now.contains(&Some(prop)) {
                self.events.push(EventKind::ContactEnded { prop });
            }
        }
        for (prop, normal) in self.props_met.iter() {
            if !before.contains(&Some(prop)) {
                self.events.push(EventKind::ContactBegan { prop, normal });
            }
        }
        self.state.contacts_last_tick = now;
        Ok(())
    }

    /// Keeps the contacts with props that are not in the way in this tick, but still beside the unit, and begins
    /// none with what has only come up under its feet.
    fn settle_contacts(&mut self, before: &[Option<PropId>; CONTACTS_MAX]) -> Result<(), Missing> {
        let now = self.props_met.props();
        let walks = self.motion == Motion::Walking;
        let is_over = |prop: &PropId| !now.contains(&Some(*prop));
        let is_new = |prop: &PropId| now.contains(&Some(*prop)) && !before.contains(&Some(*prop));
        let stood_on = self.state.support.filter(|prop| walks && is_new(prop));
        if stood_on.is_none() && !before.iter().flatten().any(is_over) {
            return Ok(());
        }
        // No farther than the unit is known to reach.
        let most = if before[0].is_some() { PARTING } else { CONTACT_MARGIN };
        if let Some(prop) = stood_on
            && !self.space.has_beside(self.place, prop, (walks, most))?
        {
            self.props_met.remove(prop);
        }
        for prop in before.iter().flatten().copied().filter(is_over) {
            if self.space.has_beside(self.place, prop, (walks, most))? {
                self.props_met.keep(prop);
            }
        }
        Ok(())
    }

    /// The feet's height. Metres.
    pub(crate) fn feet(&self) -> f32 {
        self.place.local().y
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::event::LeftGround;

    #[test]
    fn steps_and_bounces_are_left_out_before_anything_else() {
        let fell = EventKind::LeftGround { reason: LeftGround::LostSupport };
        let [stepped, bounced] = [
            |rise: usize| EventKind::Stepped { rise: rise as f32 },
            |speed: usize| EventKind::Bounced { speed: speed as f32 },
        ];
        let mut events = EventList::new();
        (0..EVENTS_MAX / 2).for_each(|step| events.push(stepped(step)));
        (0..EVENTS_MAX).for_each(|bounce| events.push(bounced(bounce)));
        events.push(fell);
        events.push(stepped(99));
        events.push(EventKind::Held);
        let steps = (0..EVENTS_MAX / 2).map(stepped);
        let bounces = (0..EVENTS_MAX / 2 - 2).map(bounced);
        let expected: Vec<_> = steps.chain(bounces).chain([fell, EventKind::Held]).collect();
        assert_eq!(events.as_slice(), expected);
        (0..2 * EVENTS_MAX).for_each(|_| events.push(fell));
        assert_eq!(events.as_slice().len(), EVENTS_MAX);
        let is_fall = |kind: &&EventKind| **kind == fell;
        assert_eq!(events.as_slice().iter().filter(is_fall).count(), EVENTS_MAX - 1, "Held stays");
    }
}
