//! Units as sources of streaming.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Random, Scene, endless, grid, place};
use marchland_controller::Wish;
use marchland_terrain::SectorCoord;
use marchland_terrain::stream::Crowd;

#[test]
fn crowds_are_the_boxes_around_the_units_of_each_sector_and_the_speeds_of_their_fastest() {
    let grid = grid(1.0, 32);
    let ground = endless(grid, &|_, _| 0.0);
    let mut scene = Scene::new(grid);
    let mut random = Random::from_state(5);
    for _ in 0..500 {
        let sector = (random.below(5) as i32 - 2, random.below(3) as i32);
        let at = [random.within(-16.0, 15.9), 0.0, random.within(-16.0, 15.9)];
        let wish = Wish::walk(random.within(-9.0, 9.0), random.within(-9.0, 9.0));
        let id = scene.walker(ground.view(), place(grid, sector, at), wish);
        if random.below(7) == 0 {
            scene.units.despawn(id);
        }
    }
    let mut crowds: Vec<Crowd> = Vec::new();
    for _ in 0..20 {
        scene.tick(ground.view());
        scene.batch.crowds(&scene.units, &mut crowds);
        assert!(crowds.is_sorted_by(|a, b| a.sector < b.sector));
        // By brute force: each of them holds every unit of its sector, and touches one on each side.
        let mut found = 0;
        for crowd in &crowds {
            let here: Vec<_> = scene
                .units
                .iter()
                .filter(|id| scene.units.position(*id).unwrap().sector() == crowd.sector)
                .collect();
            found += here.len();
            let all = |value: &dyn Fn(usize) -> f32| {
                let values: Vec<f32> = (0..here.len()).map(value).collect();
                (
                    values.iter().copied().min_by(f32::total_cmp).unwrap(),
                    values.iter().copied().max_by(f32::total_cmp).unwrap(),
                )
            };
            let local = |i: usize| scene.local(here[i]);
            let speed = |i: usize| scene.units.velocity(here[i]).unwrap().length();
            assert_eq!((crowd.low.x, crowd.high.x), all(&|i| local(i).x));
            assert_eq!((crowd.low.y, crowd.high.y), all(&|i| local(i).z));
            assert!((crowd.fastest - all(&speed).1).abs() < 1e-5);
        }
        assert_eq!(found, scene.units.len());
        assert!(crowds.iter().any(|crowd| crowd.sector == SectorCoord::new(0, 1)));
    }
}
