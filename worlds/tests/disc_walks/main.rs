//! Walks at corners, faces, gaps and funnels, beside a disc that slides in the plane.
//!
//! The disc knows the shapes as outlines and shares no code with the libraries. Around one convex obstacle a
//! walk keeps to its way; among several it ends where the disc ends; nobody stands where the disc could go.
//! Every faulty walk is reported with its numbers, and the first of each row as a scenario file.
//!
//! `DISC_WALKS=50` walks so many times as often, at other places with `DISC_SEED=3`.

#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods, clippy::print_stderr)]

mod catalogue;
mod disc;
mod outline;
mod planar;
mod report;
mod stage;
mod verdict;
mod walk;

use self::catalogue::{Scene, scenes};
use self::disc::Way;
use self::report::Table;
use self::stage::Stage;
use self::walk::{Start, WalkTrace};

/// Of one form of one shape.
const WALKS: usize = 3;

const RATES: [u32; 4] = [30, 60, 120, 240];

#[test]
fn units_go_where_a_disc_goes() {
    let table = all_walks(walk::walk);
    assert!(table.faulty == 0, "{}\n{}", table.text(), table.summary());
}

#[test]
fn a_plain_walker_in_the_plane_keeps_every_bound() {
    let table = all_walks(walk::plain_walk);
    assert!(table.faulty == 0, "{}\n{}", table.text(), table.summary());
}

fn all_walks(walks: Walks) -> Table {
    let number = |name: &str, usual: u64| {
        std::env::var(name).map_or(usual, |text| text.parse().expect("a whole number"))
    };
    let (times, seed) = (number("DISC_WALKS", 1), number("DISC_SEED", 1));
    let mut table = Table::default();
    for round in 0..times {
        table.join(walked(&scenes(WALKS, seed * 1000 + round), walks));
    }
    table
}

type Walks = fn(&Stage, &[(Start, Way)], u32) -> Vec<WalkTrace>;

/// Walks all scenes at all rates, on two threads.
fn walked(scenes: &[Scene], walks: Walks) -> Table {
    let halves = [0, 1].map(|half| scenes.iter().skip(half).step_by(2));
    let mut table = Table::default();
    std::thread::scope(|scope| {
        let threads = halves.map(|scenes| {
            scope.spawn(|| {
                let mut table = Table::default();
                for scene in scenes {
                    walk_scene(scene, walks, &mut table);
                }
                table
            })
        });
        for thread in threads {
            table.join(thread.join().unwrap());
        }
    });
    table
}

fn walk_scene(scene: &Scene, walks: Walks, table: &mut Table) {
    for rate in RATES {
        // Every second walk at the rates that take longest.
        let part = match rate {
            120 => scene.starts.iter().step_by(2).cloned().collect(),
            240 => scene.starts.iter().skip(1).step_by(2).cloned().collect(),
            _ => scene.starts.clone(),
        };
        for walked in walks(&scene.stage, &part, rate) {
            let faults = verdict::faults(&scene.stage, &walked);
            table.put((&scene.name, scene.form, &scene.stage), &walked, rate, &faults);
        }
    }
}
