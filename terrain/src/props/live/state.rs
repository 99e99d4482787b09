//! The state of all live props: copied, restored, hashed.

use super::prop::{Course, StandingProp};
use super::{LiveProps, Slot};
use crate::math::{SectorCoord, WorldPos};

/// A copy of all live props, to continue from later. Meshes are shared, not copied.
#[derive(Clone, Debug)]
pub struct LivePropsSnapshot(LiveProps);

impl LiveProps {
    /// Copies everything.
    #[must_use]
    pub fn snapshot(&self) -> LivePropsSnapshot {
        LivePropsSnapshot(self.clone())
    }

    /// Restores a copy; everything that happened since is lost.
    pub fn restore(&mut self, snapshot: &LivePropsSnapshot) {
        let from = &snapshot.0;
        self.size = from.size;
        self.slots.clone_from(&from.slots);
        self.free.clone_from(&from.free);
        self.moving.clone_from(&from.moving);
        self.count = from.count;
        self.tree.copy_from(&from.tree);
        self.dt = from.dt;
        self.steps = from.steps;
    }

    /// A hash of every bit of every prop's state, and of the generations from which future ids are made: the
    /// sum over slots of a mix modulo 2⁶⁴. It does not depend on order or on how the state was reached: how
    /// often props were put elsewhere or advanced counts once it changes a unit, in the hash of the units. A
    /// mesh counts by its own hash. Takes time proportional to the greatest number of props there ever were
    /// at a time.
    #[must_use]
    pub fn state_hash(&self) -> u64 {
        self.state_hash_from(SectorCoord::new(0, 0))
    }

    /// The same hash with sectors counted from `origin`: a scene shifted by whole sectors has the same hash
    /// as the original scene.
    #[must_use]
    pub fn state_hash_from(&self, origin: SectorCoord) -> u64 {
        let mut sum = 0_u64;
        for (number, slot) in self.slots.iter().enumerate() {
            sum = sum.wrapping_add(hash_of(number as u32, slot, origin));
        }
        sum
    }
}

fn hash_of(number: u32, slot: &Slot, origin: SectorCoord) -> u64 {
    let mut mixer = Mixer::new();
    mixer.pair(number, slot.generation);
    let Some(standing) = &slot.standing else { return mixer.hash };
    let StandingProp { prop, residual, rotation, before: (position, placement), .. } = standing;
    let mesh = prop.mesh.hash().0;
    mixer.word(mesh as u64);
    mixer.word((mesh >> 64) as u64);
    mixer.place(prop.position, origin);
    mixer.fine(&residual.to_array());
    mixer.fine(&rotation.quaternion());
    mixer.coarse(&prop.placement.rotation().quaternion());
    mixer.pair(prop.placement.scale().to_bits(), prop.layers);
    mixer.pair(u32::from(prop.surface.0), u32::from(prop.collision as u8));
    mixer.coarse(&prop.linear_velocity.to_array());
    mixer.coarse(&prop.angular_velocity.to_array());
    mixer.place(*position, origin);
    mixer.coarse(&placement.rotation().quaternion());
    if !standing.is_way && standing.before != standing.pose() {
        mixer.word(2); // a motion too fast to be a way
    }
    match standing.course {
        Course::Free => {}
        // Its scale is that of the prop.
        Course::To(position, placement) => {
            mixer.place(position, origin);
            mixer.coarse(&placement.rotation().quaternion());
        }
        Course::Arrived => mixer.word(1),
    }
    mixer.hash
}

/// The finisher of `MurmurHash3` (Appleby, 2011) after each word.
struct Mixer {
    hash: u64,
}

impl Mixer {
    fn new() -> Self {
        Self { hash: 0x9e37_79b9_7f4a_7c15 }
    }

    fn word(&mut self, word: u64) {
        let mut hash = self.hash ^ word;
        hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        hash = (hash ^ (hash >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
        self.hash = hash ^ (hash >> 33);
    }

    fn pair(&mut self, low: u32, high: u32) {
        self.word(u64::from(low) | u64::from(high) << 32);
    }

    fn fine(&mut self, numbers: &[f64]) {
        numbers.iter().for_each(|number| self.word(number.to_bits()));
    }

    fn coarse(&mut self, numbers: &[f32]) {
        numbers.iter().for_each(|number| self.word(u64::from(number.to_bits())));
    }

    fn place(&mut self, place: WorldPos, origin: SectorCoord) {
        let sector = place.sector();
        let [x, z] = [sector.x.wrapping_sub(origin.x), sector.z.wrapping_sub(origin.z)];
        self.pair(x as u32, z as u32);
        self.coarse(&place.local().to_array());
    }
}
