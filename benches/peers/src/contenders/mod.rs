//! All contenders, behind one small trait.

pub(crate) mod all;
#[cfg(feature = "box3d")]
pub(crate) mod box3d;
#[cfg(feature = "box3d")]
mod box3d_mover;
#[cfg(feature = "box3d")]
mod box3d_world;
mod followers;
#[cfg(feature = "jolt")]
pub(crate) mod jolt;
#[cfg(feature = "jolt")]
mod jolt_world;
pub(crate) mod marchland;
pub(crate) mod ours;
pub(crate) mod parry;
#[cfg(feature = "physx")]
pub(crate) mod physx;
#[cfg(feature = "physx")]
mod physx_sdk;
pub(crate) mod rapier;
mod singles;

use crate::clock::Stopwatch;
use crate::movers::Movers;
use crate::setup::{DT, Failure, GRAVITY};

/// A library that moves units over a scene.
pub(crate) trait Contender {
    /// Its name in the tables.
    fn name(&self) -> &str;

    /// How many threads move units.
    fn threads(&self) -> usize {
        1
    }

    /// Sets the velocity of every unit: x and z in metres per second, by unit. Not timed.
    fn steer(&mut self, wishes: &[[f32; 2]]);

    /// Moves all units by `ticks` ticks. Timed.
    fn run(&mut self, ticks: usize) -> Result<(), Failure>;

    /// As `run`, and records how long single units and ticks took, in nanoseconds. A contender
    /// that moves all units at once moves each of them once more, alone, for this.
    fn run_each(&mut self, ticks: usize, _nanoseconds: &mut Vec<u32>) -> Result<(), Failure> {
        self.run(ticks)
    }

    /// As `run`, and records the cycles of single units and ticks in the full controller: of several times that
    /// the same ticks are run, the least. Only ours has such a controller.
    fn run_cycles(&mut self, ticks: usize, _cycles: &mut Vec<u32>) -> Result<(), Failure> {
        self.run(ticks)
    }

    /// What part of all units and ticks took the full controller, 0 to 1; NaN if there is none.
    fn share_full(&self) -> f64 {
        f64::NAN
    }

    /// What moves around its units.
    fn movers(&self) -> Option<&Movers> {
        None
    }

    /// The positions of the feet, by unit. Metres from the middle of the ground.
    fn places(&self) -> Vec<[f64; 3]>;

    /// What the library reported in the last tick of units that it cannot move as they are asked; `None` if it reports
    /// no such thing.
    fn troubles(&self) -> Option<Vec<(usize, Trouble)>> {
        None
    }

    /// Whether no request moves a unit at rest although its body has a way. Only a contender whose units can be
    /// copied and asked knows.
    fn is_trapped(&self, _unit: usize) -> bool {
        false
    }

    /// Heap bytes of the ground, the meshes, the placed props and the walkers, if they were counted.
    fn bytes(&self) -> Option<[i64; 4]> {
        None
    }
}

/// Why a library says that it does not move a unit as it is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// It is in something.
    Stuck,
    /// Something that moves leaves it no room.
    Crushed,
    /// More is around it than a tick works on.
    Overloaded,
}

/// A walker of a contender that keeps no state for walkers.
#[derive(Clone, Copy)]
pub(crate) struct Walker {
    /// Metres.
    pub(crate) feet: [f32; 3],
    /// Requested velocity along x and z. Metres per second.
    pub(crate) wish: [f32; 2],
    /// Downward speed. Metres a second.
    pub(crate) fall: f32,
    /// Whether it stood when the last tick ended.
    pub(crate) stands: bool,
}

/// Walkers at the given places, slightly above the ground: otherwise a round end would reach into a slope.
pub(crate) fn walkers(starts: &[[f64; 3]]) -> Vec<Walker> {
    let lift = 0.03;
    let walker = |&[x, y, z]: &[f64; 3]| Walker {
        feet: [x as f32, (y + lift) as f32, z as f32],
        wish: [0.0; 2],
        fall: 0.0,
        stands: true,
    };
    starts.iter().map(walker).collect()
}

/// The speed of a fall after a tick.
pub(crate) fn fallen(walker: &Walker) -> f32 {
    if walker.stands { 0.0 } else { walker.fall + GRAVITY * DT }
}

/// Runs walkers one by one.
pub(crate) fn run_walkers<W>(walkers: &mut [W], ticks: usize, tick: impl Fn(&mut W)) {
    for _ in 0..ticks {
        walkers.iter_mut().for_each(&tick);
    }
}

/// Runs walkers one by one, and records how long each took.
pub(crate) fn time_walkers<W>(
    walkers: &mut [W],
    ticks: usize,
    nanoseconds: &mut Vec<u32>,
    tick: impl Fn(&mut W),
) {
    for _ in 0..ticks {
        for walker in &mut *walkers {
            let begun = Stopwatch::start();
            tick(walker);
            nanoseconds.push(begun.nanoseconds());
        }
    }
}

/// The positions of walkers.
pub(crate) fn places(walkers: &[Walker]) -> Vec<[f64; 3]> {
    walkers.iter().map(|walker| walker.feet.map(f64::from)).collect()
}

/// Sets the requested velocities of walkers.
pub(crate) fn steer(walkers: &mut [Walker], wishes: &[[f32; 2]]) {
    for (walker, &wish) in walkers.iter_mut().zip(wishes) {
        walker.wish = wish;
    }
}
