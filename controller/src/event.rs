//! What happened to units: for sounds, animations, damage, and for finding out why.

use marchland_terrain::PropId;
use marchland_terrain::glam::Vec3;

use crate::units::UnitId;

/// Something that happened to a unit in a tick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// To whom.
    pub unit: UnitId,
    /// What.
    pub kind: EventKind,
}

/// What can happen. Every change of mode that a tick makes is one of these; how a unit begins where it is
/// [put](crate::Units::teleport) is not, but that it falls there.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum EventKind {
    /// It fell or slid and walks now.
    Landed {
        /// Downwards, when it touched the ground. Metres per second.
        speed: f32,
    },
    /// It walked, slid or climbed and falls now.
    LeftGround {
        /// Why.
        reason: LeftGround,
    },
    /// It stands on ground that is too steep, and slides now.
    SlideBegan {
        /// Downwards, when it touched the ground. Metres per second.
        speed: f32,
    },
    /// It climbs now.
    ClimbBegan {
        /// How high the ledge is above the feet; 0 on a ladder. Metres.
        rise: f32,
    },
    /// It has climbed, and walks now.
    ClimbEnded,
    /// It took a step that the knee does not absorb.
    Stepped {
        /// How much higher it stands. Metres.
        rise: f32,
    },
    /// A surface gave back some of its speed.
    Bounced {
        /// Along the surface's normal, after. Metres per second.
        speed: f32,
    },
    /// A prop is in its way.
    ContactBegan {
        /// Which.
        prop: PropId,
        /// The way from the prop to the unit. A unit vector.
        normal: Vec3,
    },
    /// A prop is no longer in its way.
    ContactEnded {
        /// Which.
        prop: PropId,
    },
    /// A moving prop has pressed it against something: there is no room for it.
    Crushed {
        /// Which.
        prop: PropId,
        /// How deep the prop is inside it. Metres.
        depth: f32,
    },
    /// It waits for ground that is not in memory.
    Held,
    /// It waits no longer.
    Released,
    /// It overlaps something and is not out of it: it is on its way, by at most its radius and the skin in a
    /// tick, or there is no way and it stays where it is. [`Units::is_stuck`](crate::Units::is_stuck) holds
    /// until it is [`Freed`](Self::Freed).
    Stuck {
        /// How deep. Metres.
        depth: f32,
    },
    /// It is no longer stuck.
    Freed,
}

/// Why a unit left the ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LeftGround {
    /// It jumped.
    Jumped,
    /// The ground ended, or dropped more than it follows.
    LostSupport,
    /// An impulse. One in the air is not reported, nor is a bounce, which is
    /// [an event of its own](EventKind::Bounced): the unit fell already.
    Thrown,
    /// It was put somewhere else.
    Moved,
}
