//! What happened to units: for sounds, animations, damage, and debugging.

use marchland_terrain::PropId;
use marchland_terrain::glam::Vec3;

use crate::units::unit::UnitId;

/// Something that happened to a unit in a tick, as [`Batch::events`](crate::Batch::events) lists it.
///
/// ```
/// use marchland_controller::{Event, EventKind};
///
/// /// How loud it is to hear.
/// fn loudness(event: &Event) -> f32 {
///     match event.kind {
///         EventKind::Landed { speed } => speed / 10.0,
///         EventKind::Stepped { rise } => rise,
///         _ => 0.0,
///     }
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// The unit.
    pub unit: UnitId,
    /// What happened to it.
    pub kind: EventKind,
}

/// What can happen. Every change of motion that a tick makes is one of these. The motion in which a unit starts
/// where it is [put](crate::Units::teleport) is not reported, except that it falls there.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum EventKind {
    /// It fell or slid, and walks now.
    Landed {
        /// Downward speed when it touched the ground. Metres per second.
        speed: f32,
    },
    /// It walked, slid or climbed, and falls now.
    LeftGround {
        /// Why.
        reason: LeftGround,
    },
    /// It stands on ground that is too steep, and slides now.
    SlideBegan {
        /// Downward speed when it touched the ground. Metres per second.
        speed: f32,
    },
    /// It climbs now.
    ClimbBegan {
        /// Height of the ledge above the feet; 0 on a ladder. Metres.
        rise: f32,
    },
    /// It has climbed, and walks now.
    ClimbEnded,
    /// It took a step that is higher than the knee absorbs.
    Stepped {
        /// How much higher it stands. Metres.
        rise: f32,
    },
    /// A surface gave back some of its speed.
    Bounced {
        /// Speed along the surface's normal, afterwards. Metres per second.
        speed: f32,
    },
    /// A prop is in its way.
    ContactBegan {
        /// Which.
        prop: PropId,
        /// The direction from the prop to the unit. A unit vector.
        normal: Vec3,
    },
    /// A prop that was in its way is farther from it than 3 cm, or under its feet.
    ContactEnded {
        /// Which.
        prop: PropId,
    },
    /// A moving prop has pressed it against something, and there is no room for it. It stays where it is, at
    /// rest, until [`CrushEnded`](Self::CrushEnded) is told of every prop that crushes it.
    Crushed {
        /// Which.
        prop: PropId,
        /// How deep the prop is inside it. Metres.
        depth: f32,
    },
    /// A prop that has crushed it is out of it.
    CrushEnded {
        /// Which.
        prop: PropId,
    },
    /// It waits for ground that is not in memory.
    Held,
    /// It no longer waits.
    Released,
    /// More is within its reach than a tick works on, or moves there, or its reach is longer than that of any
    /// valid speed: it does not move, and keeps its whole state, until that [ends](Self::OverloadEnded). See
    /// [`LOAD_MAX`](crate::limits::LOAD_MAX).
    Overloaded,
    /// It is not overloaded any more.
    OverloadEnded,
    /// It overlaps something and is not out of it yet. Either it is on its way out, by at most its radius and
    /// the skin in a tick, with more than its foot inside; or there is no way out and it stays where it is.
    /// [`Units::is_stuck`](crate::Units::is_stuck) is true until it is [`Freed`](Self::Freed).
    Stuck {
        /// Depth of the overlap. Metres.
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
    /// The ground ended, or dropped by more than the unit follows.
    LostSupport,
    /// An impulse. An impulse in the air is not reported, nor is a bounce, which is
    /// [an event of its own](EventKind::Bounced): the unit was already falling.
    Thrown,
    /// It was put somewhere else.
    Moved,
}
