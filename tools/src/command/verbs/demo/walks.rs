//! The demo's walking units: steered from point to point, and observed.

use marchland_controller::{Units, Wish};
use marchland_terrain::WorldPos;
use marchland_terrain::glam::Vec3;
use marchland_worlds::demo_walks::{Feats, Follower, ONE_IN, Round, Walker, rounds, walkers};

/// The walkers: the units with the first slots.
pub(super) struct Walks {
    rounds: Vec<Round>,
    walkers: Vec<Walker>,
    followers: Vec<Follower>,
}

impl Walks {
    /// The walkers among `units` units, and their starts: metres from the north-west corner.
    pub(super) fn begin(units: u32) -> (Self, Vec<[f32; 2]>) {
        let rounds = rounds();
        let (walkers, starts): (Vec<_>, Vec<_>) =
            walkers(&rounds, units / ONE_IN).into_iter().unzip();
        let followers = vec![Follower::default(); walkers.len()];
        (Self { rounds, walkers, followers }, starts)
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.walkers.len()
    }

    /// Steers all walkers for the next tick.
    pub(super) fn steer(
        &mut self,
        units: &Units,
        corner: WorldPos,
        tick: u32,
        wishes: &mut [Wish],
    ) {
        for (slot, walker) in self.walkers.iter_mut().enumerate() {
            let Vec3 { x, z, .. } = place(units, slot, corner);
            let wish = walker.next_wish(&self.rounds, [x, z], u64::from(tick));
            let [east, south] = wish.unwrap_or([0.0, 0.0]);
            wishes[slot] = Wish::walk(east, south);
        }
    }

    /// Observes all walkers after a tick.
    pub(super) fn watch(&mut self, units: &Units, corner: WorldPos, tick: u32) {
        for (slot, follower) in self.followers.iter_mut().enumerate() {
            follower.see(place(units, slot, corner).to_array(), u64::from(tick));
        }
    }

    /// The actions of all walkers.
    pub(super) fn feats(&self) -> Feats {
        let mut feats = Feats::default();
        self.followers.iter().for_each(|follower| feats.add(follower.feats));
        feats
    }

    /// Rounds completed by all walkers together.
    pub(super) fn rounds_walked(&self) -> u64 {
        let walked = |walker: &Walker| walker.point / self.rounds[walker.round].points.len();
        self.walkers.iter().map(|walker| walked(walker) as u64).sum()
    }

    /// The round of a walker, and the point it is heading for.
    pub(super) fn whereabouts(&self, slot: usize) -> Option<(&'static str, usize)> {
        let walker = self.walkers.get(slot)?;
        Some((self.rounds[walker.round].name, walker.point))
    }
}

/// Feet of a unit, metres from the corner; y is the height.
pub(super) fn place(units: &Units, slot: usize, corner: WorldPos) -> Vec3 {
    let size = units.sector_size();
    match WorldPos::new(units.sectors()[slot], units.locals()[slot], size) {
        Ok(place) => place.relative_to(corner, size),
        Err(_) => Vec3::ZERO, // a unit's position is always canonical
    }
}
