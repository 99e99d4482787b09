//! Nothing allocates when a crowd is pushed a second time, whoever falls, moves to other buckets or gets
//! another body in between.
#![allow(clippy::unwrap_used)]

mod common;
#[path = "common/counting.rs"]
mod counting;

use common::{Random, Scene, endless, grid, hills, place};
use counting::allocations;
use marchland_controller::{
    BodyBuilder, CommandError, Separation, SeparationSettings, SingleThread, Switches, Wish,
};
use marchland_terrain::glam::Vec3;

fn run(switches: Switches<'_>) {
    let switches = Switches { chunk_units: 64, ..switches };
    let grid = grid(1.0, 8);
    let ground = endless(grid, &hills);
    let view = ground.view();
    let mut scene = Scene::new(grid);
    let mut random = Random::from_state(3);
    for unit in 0..6000 {
        let at = [random.within(-4.0, 3.99), 0.0, random.within(-4.0, 3.99)];
        let sector = (random.below(5) as i32, random.below(5) as i32);
        scene.walker(view, place(grid, sector, at), Wish::walk((unit % 7) as f32 - 3.0, 1.0));
    }
    let mut separation = Separation::new(SeparationSettings::default()).unwrap();
    let ids: Vec<_> = scene.units.iter().collect();
    let (mut pushed, mut wide, mut grown) = (0, None, 0);
    for tick in 0..100 {
        // Some are thrown, and land again; some become wide, on another level of the grid.
        let id = ids[tick * 7];
        scene.units.add_impulse(id, Vec3::new(0.0, 5.0, 0.0)).unwrap();
        if tick == 30 {
            let body = BodyBuilder { radius: 0.9, ..BodyBuilder::default() };
            wide = Some(scene.units.add_body(body.build().unwrap()).unwrap());
        }
        if let Some(wide) = wide {
            let resized = scene.units.resize(view, ids[tick * 5 + 1], wide);
            let is_beside_a_cliff = matches!(resized, Err(CommandError::Steep { .. }));
            grown += usize::from(resized.is_ok());
            assert!(resized.is_ok() || is_beside_a_cliff, "{resized:?}");
        }
        let before = allocations();
        let asked =
            separation.push_with(&switches, view, &scene.units, &scene.wishes, 1.0 / 60.0).unwrap();
        let allocations = allocations() - before;
        pushed += asked.iter().zip(&scene.wishes).filter(|(asked, wish)| asked != wish).count();
        assert!(tick == 0 || allocations == 0, "{allocations} allocations in tick {tick}");
        scene.batch.tick(view, &mut scene.units, asked, &scene.settings).unwrap();
    }
    assert!(pushed > 50_000, "only {pushed} were pushed");
    assert!(grown > 30, "only {grown} have grown");
}

#[test]
fn a_push_does_not_allocate() {
    run(Switches { executor: &SingleThread, ..Switches::default() });
    #[cfg(feature = "rayon")]
    for threads in [1, 2] {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap()
            .install(|| run(Switches::default()));
    }
}
