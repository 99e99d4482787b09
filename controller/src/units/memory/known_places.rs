//! What is known of the places where a unit has just been: the end of a tick and the beginning of the next one ask the
//! same, and a tick comes back to places at other heights.

use marchland_terrain::WorldPos;
use marchland_terrain::query::{Contact, Cylinder};

/// How far beyond a known band another may reach. Metres: more than the rounding of a position and of a placed vertex,
/// and no more than counts as being at the feet.
const SLACK: f32 = 1e-4;

/// What holds at places as long as nothing around them changes.
#[derive(Debug, Default)]
pub(crate) struct KnownPlaces {
    /// A body at a place that is free of props.
    pub(crate) clear: Option<(Cylinder, WorldPos)>,
    /// A body at a place that no ground reaches into.
    pub(crate) off_ground: Option<(Cylinder, WorldPos)>,
    /// Where no ground lifts a body. What is known from an earlier tick answers the very same question alone, or what
    /// is remembered would make a difference.
    pub(crate) unlifted: Option<GroundFreeColumn>,
    /// The contacts of a body far from props.
    pub(crate) touched: Option<GroundContacts>,
}

/// Contacts with ground alone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroundContacts {
    /// What was asked: a body, its place, and the least `y` of the unit normals of ground that it does not touch.
    key: (Cylinder, WorldPos, f64),
    contacts: [Option<Contact>; TOUCHED_MAX],
}

/// Most of these contacts that are remembered. There are seldom more than two, often none.
const TOUCHED_MAX: usize = 2;

impl GroundContacts {
    /// `None` if there are more contacts than are remembered.
    pub(crate) fn new(key: (Cylinder, WorldPos, f64), found: &[Contact]) -> Option<Self> {
        let contacts = [0, 1].map(|at| found.get(at).copied());
        (found.len() <= TOUCHED_MAX).then_some(Self { key, contacts })
    }

    /// The contacts, if they answer this.
    pub(crate) fn of(
        &self,
        key: (Cylinder, WorldPos, f64),
    ) -> Option<impl Iterator<Item = Contact>> {
        (self.key == key).then(|| self.contacts.into_iter().flatten())
    }
}

/// A column over a place that holds no ground of some steepness.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct GroundFreeColumn {
    pub(crate) at: WorldPos,
    pub(crate) radius: f32,
    /// The heights between which it lies. Metres above the place.
    pub(crate) band: (f32, f32),
    /// Least `y` of the unit normals of the ground that counts.
    pub(crate) upright: f32,
}

impl GroundFreeColumn {
    /// Whether it contains another, of the same tick.
    pub(crate) fn holds(&self, other: &Self) -> bool {
        let (own, place) = (self.at.local(), other.at.local());
        let rise = place.y - own.y;
        self.at.sector() == other.at.sector()
            && (own.x, own.z) == (place.x, place.z)
            && (self.radius, self.upright) == (other.radius, other.upright)
            && other.band.0 + rise >= self.band.0 - SLACK
            && other.band.1 + rise <= self.band.1 + SLACK
    }
}
