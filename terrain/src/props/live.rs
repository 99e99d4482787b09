//! Props that come, go and move at run time: a building that a player puts up, a gate, a lift, a
//! rotating platform.
//!
//! ```text
//! game ── add, remove, set_pose, set_velocity, move_to ──▶ LiveProps ◀── advance(dt), before every tick
//!                                                             │
//!                                   TerrainView::with_live ◀──┘ borrowed while a tick runs
//! ```
//!
//! `prop` is one of them, and how a point moves with it (`velocity_at`); `motion` a tick of all, `move_to` a pose that
//! is given, `way` what one did in the last tick; `find` what is near, in a `dynamic_tree` of boxes.
//!
//! Ids depend only on what was added and removed: a prop gets the lowest free slot, and a slot counts how
//! often it was used. What touches a region is found through a tree of boxes ([`in_box`](LiveProps::in_box),
//! [`along`](LiveProps::along)), whose shape affects no result.

mod dynamic_tree;
mod error;
mod find;
mod limits;
mod motion;
mod move_to;
mod prop;
mod state;
mod way;
mod world_box;

use std::collections::BTreeSet;

use glam::Vec3;

use self::dynamic_tree::DynamicTree;
use self::prop::StandingProp;
use super::placement::Placement;
use super::record::PropId;
use crate::math::{SectorSize, WorldPos};

pub use self::error::LivePropError;
pub use self::limits::{
    LIVE_DT_MAX, LIVE_HEIGHT_MAX, LIVE_PROPS_MAX, LIVE_SPEED_MAX, LIVE_TURN_MAX,
};
pub use self::prop::{LiveProp, LivePropRef};
pub use self::state::LivePropsSnapshot;
pub use self::way::{LIVE_WAY_SPEED_MAX, PosedProp, PropWay};

/// The props of a game that are not baked. Owned by the game, borrowed by a
/// [`TerrainView`](crate::TerrainView) for a tick, changed only between ticks.
///
/// Adding, removing and changing one of `n` props takes O(log n); a tick takes time proportional to the
/// number of props that move.
///
/// ```
/// use marchland_terrain::props::{LiveProp, LiveProps, LoadedMesh, MeshSource, PreparedMesh};
/// use marchland_terrain::{SectorSize, WorldPos, glam::Vec3};
///
/// // A floor of 2 m × 2 m that rises at 1 m/s.
/// let corners = [[-1.0, -1.0], [-1.0, 1.0], [1.0, 1.0], [1.0, -1.0]];
/// let vertices = corners.map(|[x, z]| Vec3::new(x, 0.0, z)).to_vec();
/// let (mesh, _) = PreparedMesh::new(&MeshSource { vertices, triangles: vec![[0, 1, 2], [0, 2, 3]] })?;
/// let size = SectorSize::new(256.0)?;
/// let (mut live, start) = (LiveProps::new(size), WorldPos::from_metres(0.0, 0.0, 0.0, size)?);
/// let lift = live.add(LiveProp::new(LoadedMesh::new(mesh.encode())?.into(), start))?;
/// live.set_velocity(lift, Vec3::Y, Vec3::ZERO)?;
/// for _ in 0..64 {
///     live.advance(1.0 / 64.0)?; // before every tick, by its `dt`
/// }
/// assert_eq!(live.get(lift).map(|prop| prop.position().local().y), Some(1.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct LiveProps {
    size: SectorSize,
    slots: Vec<Slot>,
    /// Free slots that may be used again.
    free: BTreeSet<u32>,
    /// Slots of the props that move, or moved in the last tick.
    moving: BTreeSet<u32>,
    count: u32,
    tree: DynamicTree,
    /// Length of the last tick, for which the rotations per tick are computed. Seconds.
    dt: f32,
    /// How many ticks it was moved by.
    steps: u32,
}

/// An entry of the table.
#[derive(Clone, Debug)]
struct Slot {
    /// How often it was used before.
    generation: u32,
    standing: Option<StandingProp>,
}

impl LiveProps {
    /// An empty table, for a world with sectors of this size.
    #[must_use]
    pub const fn new(size: SectorSize) -> Self {
        Self {
            size,
            slots: Vec::new(),
            free: BTreeSet::new(),
            moving: BTreeSet::new(),
            count: 0,
            tree: DynamicTree::new(),
            dt: 0.0,
            steps: 0,
        }
    }

    /// Adds a prop, in the lowest free slot. Its origin is moved to the nearest multiple of 2⁻¹⁶ m, and
    /// components of its velocities below 2⁻²⁰ become 0.
    ///
    /// # Errors
    /// If the place is invalid, if the prop is too high, too large or too fast, if it is solid without being
    /// closed, or if there are already [`LIVE_PROPS_MAX`]. Nothing has changed then.
    pub fn add(&mut self, prop: LiveProp) -> Result<PropId, LivePropError> {
        if self.count >= LIVE_PROPS_MAX {
            return Err(LivePropError::Full);
        }
        let mut standing = StandingProp::new(prop, self.size, self.dt)?;
        let slot = self.free.first().copied().unwrap_or(self.slots.len() as u32);
        standing.leaf = self.tree.insert(slot, standing.roomy_box(self.size, self.dt));
        if standing.moves() {
            self.moving.insert(slot);
        }
        self.count += 1;
        if !self.free.remove(&slot) {
            self.slots.push(Slot { generation: 0, standing: None });
        }
        let place = &mut self.slots[slot as usize];
        place.standing = Some(standing);
        Ok(PropId::Live { slot, generation: place.generation })
    }

    /// Removes a prop and returns it in its present state; `None` if there is no such prop. Its id is not
    /// used again.
    pub fn remove(&mut self, id: PropId) -> Option<LiveProp> {
        let slot = self.slot_of(id)?;
        let place = &mut self.slots[slot as usize];
        let mut standing = place.standing.take()?;
        // A slot that was used 2³² times is retired: its ids would repeat.
        if let Some(next) = place.generation.checked_add(1) {
            place.generation = next;
            self.free.insert(slot);
        }
        self.moving.remove(&slot);
        self.tree.remove(standing.leaf);
        self.count -= 1;
        standing.drop_course();
        Some(standing.prop)
    }

    /// Puts a prop somewhere else at once: nothing is carried or pushed on the way, unlike with
    /// [`move_to`](Self::move_to). What stood on it does not stand on it any more, and keeps nothing of its
    /// velocity; who is on it where it is put stands on it anew. Its velocities stay; those of a `move_to`
    /// become 0.
    ///
    /// # Errors
    /// As [`add`](Self::add), and if there is no such prop. Nothing has changed then.
    pub fn set_pose(
        &mut self,
        id: PropId,
        position: WorldPos,
        placement: Placement,
    ) -> Result<(), LivePropError> {
        self.change(id, |prop| (prop.position, prop.placement) = (position, placement))
    }

    /// Sets how a prop moves from the next tick on: metres per second, and radians per second about its
    /// origin, right-handed about the vector. Its last motion is kept: a prop that is stopped still carries
    /// by it until the next [`advance`](Self::advance) or [`settle`](Self::settle).
    ///
    /// # Errors
    /// As [`add`](Self::add), and if there is no such prop. Nothing has changed then.
    pub fn set_velocity(
        &mut self,
        id: PropId,
        linear: Vec3,
        angular: Vec3,
    ) -> Result<(), LivePropError> {
        let dt = self.dt;
        let (slot, standing) = self.standing_mut(id)?;
        standing.set_velocity(linear, angular, dt)?;
        if standing.moves() {
            self.moving.insert(slot);
        } // if it stops, the next tick removes it
        self.reinsert(slot);
        Ok(())
    }

    /// A prop; `None` if it was removed.
    #[must_use]
    pub fn get(&self, id: PropId) -> Option<LivePropRef<'_>> {
        self.at(self.slot_of(id)?)
    }

    /// The number of props.
    #[must_use]
    pub const fn len(&self) -> u32 {
        self.count
    }

    /// Whether there are no props.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// All props, in order of their slots.
    pub fn iter(&self) -> impl Iterator<Item = LivePropRef<'_>> {
        (0..self.slots.len() as u32).filter_map(|slot| self.at(slot))
    }

    /// How many times it was [advanced](Self::advance), modulo 2³²: tells the last tick from earlier ones.
    #[doc(hidden)]
    #[must_use]
    pub const fn steps(&self) -> u32 {
        self.steps
    }

    /// The size of the world's sectors.
    #[must_use]
    pub const fn sector_size(&self) -> SectorSize {
        self.size
    }

    /// The prop in a slot, if there is one.
    #[inline]
    fn at(&self, slot: u32) -> Option<LivePropRef<'_>> {
        let place = self.slots.get(slot as usize)?;
        let id = PropId::Live { slot, generation: place.generation };
        Some(LivePropRef { id, standing: place.standing.as_ref()?, size: self.size })
    }

    /// The slot of an existing prop.
    fn slot_of(&self, id: PropId) -> Option<u32> {
        let PropId::Live { slot, generation } = id else { return None };
        let place = self.slots.get(slot as usize)?;
        (place.generation == generation && place.standing.is_some()).then_some(slot)
    }

    fn standing_mut(&mut self, id: PropId) -> Result<(u32, &mut StandingProp), LivePropError> {
        let slot = self.slot_of(id).ok_or(LivePropError::Unknown { id })?;
        let standing = self.slots[slot as usize].standing.as_mut();
        standing.map(|standing| (slot, standing)).ok_or(LivePropError::Unknown { id })
    }

    /// Replaces a prop by a changed one, as if it had always been so.
    fn change(
        &mut self,
        id: PropId,
        change: impl FnOnce(&mut LiveProp),
    ) -> Result<(), LivePropError> {
        let (size, dt) = (self.size, self.dt);
        let (slot, standing) = self.standing_mut(id)?;
        let mut changed = standing.clone();
        changed.drop_course();
        change(&mut changed.prop);
        let (leaf, times_put) = (standing.leaf, standing.times_put.wrapping_add(1));
        *standing = StandingProp { leaf, times_put, ..StandingProp::new(changed.prop, size, dt)? };
        self.reinsert(slot);
        Ok(())
    }

    /// Gives a changed prop another box in the tree.
    fn reinsert(&mut self, slot: u32) {
        if let Some(standing) = &mut self.slots[slot as usize].standing {
            self.tree.remove(standing.leaf);
            standing.leaf = self.tree.insert(slot, standing.roomy_box(self.size, self.dt));
        }
    }
}
