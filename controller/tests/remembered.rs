//! What units remember of the ground is forgotten as soon as it is no longer so: whatever happens to the
//! world or to them between two ticks, the bits are those of a walk that remembers nothing.
#![allow(clippy::unwrap_used)]

mod common;

use common::props::{cuboid, put};
use common::{HEADINGS, Random, Scene, grid, height_at, hills, place, sector, solid, world};
use marchland_controller::{SecondLook, SurfaceResponse, Wish};
use marchland_terrain::glam::Vec3;
use marchland_terrain::{LiveProps, SectorCoord, SurfaceId};

#[test]
fn nothing_is_remembered_longer_than_it_is_so() {
    let grid = grid(1.0, 32);
    let mut ground = world(grid, (-1, 1), &hills, &solid);
    let other = |c: i64, r: i64| hills(c, r) + 0.25;
    let mut live = LiveProps::new(grid.sector_size());
    let mut random = Random(9);
    let mut scenes = [SecondLook::WhereNeeded, SecondLook::Always].map(|second_look| {
        let mut scene = Scene::new(grid);
        scene.settings.second_look = second_look;
        scene
    });
    for unit in 0..600 {
        let at = [random.between(-16.0, 15.99), 0.0, random.between(-16.0, 15.99)];
        let coord = (random.below(3) as i32 - 1, random.below(3) as i32 - 1);
        let [x, z] = HEADINGS[unit % 16];
        for scene in &mut scenes {
            scene.walker(ground.view(), place(grid, coord, at), Wish::walk(3.0 * x, 3.0 * z));
        }
    }
    for tick in 0..240_u32 {
        match tick {
            20 => ground.unload(SectorCoord::new(1, 0)),
            40 => ground.insert(
                SectorCoord::new(1, 0),
                sector(grid, SectorCoord::new(1, 0), &other, &solid),
            ),
            60 => ground.set_outside(SectorCoord::new(0, 1)),
            80 => ground.insert(
                SectorCoord::new(0, 0),
                sector(grid, SectorCoord::new(0, 0), &other, &solid),
            ),
            100 => {
                let at = place(grid, (-1, 0), [0.0, 1.0, 0.0]);
                let y = height_at(ground.view(), at).unwrap();
                put(&mut live, &cuboid([6.0, 3.0, 6.0]), place(grid, (-1, 0), [0.0, y, 0.0]));
            }
            _ => {}
        }
        let ids: Vec<_> = scenes[0].units.iter().filter(|id| id.slot % 7 == tick % 7).collect();
        for scene in &mut scenes {
            match tick {
                120 => ids.iter().for_each(|&id| {
                    scene.units.add_impulse(id, Vec3::new(1.0, 3.0, 0.0)).unwrap();
                }),
                140 => ids.iter().for_each(|&id| {
                    let to = place(grid, (0, 0), [1.0, 3.0, 2.0]);
                    scene.units.teleport(ground.view(), id, to).unwrap();
                }),
                160 => {
                    let ice = SurfaceResponse { friction: 0.0, ..SurfaceResponse::PLAIN };
                    scene.units.set_surface(SurfaceId(0), ice).unwrap();
                }
                _ => {}
            }
            scene.tick(ground.view().with_live(&live));
        }
        let [a, b] = &scenes;
        assert_eq!(a.units.state_hash(), b.units.state_hash(), "tick {tick}");
        assert_eq!(a.batch.report(), b.batch.report(), "tick {tick}");
    }
}
