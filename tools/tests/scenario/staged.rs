//! The props of a scenario as live props.

use marchland_terrain::glam::Vec3;
use marchland_terrain::math::Rotation;
use marchland_terrain::{Collision, Raycast, SurfaceId};
use marchland_tools::command::scenario::Stage;

use crate::fixtures::*;

const PROPS: &str = "[surfaces.ice]\n[meshes.box]\nbox = [2, 1, 4]\n[meshes.leaf]\nfile = \"leaf.obj\"\n\
    [[props]]\nmesh = \"box\"\nposition = [10, 0.5, -200]\nrotation = [0, 90, 0]\nscale = 2\n\
    surface = \"ice\"\nlayers = 5\ncollision = \"soup\"\n\
    [[props]]\nmesh = \"leaf\"\nposition = [0, 0, 0]\n\
    motion = [{ tick = 2, velocity = [0, 6, 0] }, { tick = 4, angular_velocity = [0, 90, 0] }]\n\
    [[props]]\nmesh = \"box\"\nposition = [30, 0, 0]\nvelocity = [0, 0, 60]\n";

fn stage_of(more: &str) -> (marchland_tools::command::scenario::Scenario, Stage) {
    let folder = Folder::new();
    folder.file("leaf.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let scenario = folder.load(&format!("{LEAST}{more}{PROPS}")).unwrap_or_else(|e| panic!("{e}"));
    let stage = Stage::new(&scenario).unwrap();
    (scenario, stage)
}

#[test]
fn props_stand_as_the_file_says() {
    let (scenario, stage) = stage_of("");
    let prop = stage.live.get(stage.prop_ids[0]).unwrap();
    assert_eq!(prop.position(), place(&scenario, 10.0, 0.5, -200.0));
    assert_eq!(prop.placement().rotation(), Rotation::from_degrees([0.0, 90.0, 0.0]));
    assert_eq!((prop.placement().scale(), prop.surface(), prop.layers()), (2.0, SurfaceId(1), 5));
    assert_eq!(prop.collision(), Collision::Soup);
    // Turned, the 8 m of Z lie along X; and it is 2 m high.
    let above = place(&scenario, 13.5, 9.0, -200.0);
    let hit = stage.view().raycast(above, Vec3::NEG_Y, 100.0).unwrap();
    let Raycast::Hit(hit) = hit else { panic!("{hit:?}") };
    assert!((hit.distance - 7.5).abs() < 1e-5, "{hit:?}");
    let leaf = stage.live.get(stage.prop_ids[1]).unwrap();
    assert_eq!((leaf.collision(), leaf.surface()), (Collision::Soup, SurfaceId(0)));
}

#[test]
fn props_move_as_the_file_says() {
    let (scenario, mut stage) = stage_of("");
    let mut heights = Vec::new();
    for tick in 0..6 {
        stage.begin_tick(&scenario, tick).unwrap();
        for (prop, id) in stage.prop_ids.iter().enumerate() {
            let live = stage.live.get(*id).unwrap();
            let [linear, angular] = scenario.motion_at(prop, tick);
            assert_eq!((live.linear_velocity(), live.angular_velocity()), (linear, angular));
        }
        stage.live.advance(scenario.dt()).unwrap();
        heights.push(stage.live.get(stage.prop_ids[1]).unwrap().position().local().y);
    }
    let expected = [0.0, 0.0, 0.1, 0.2, 0.2, 0.2];
    let near = heights
        .iter()
        .zip(expected)
        .all(|(found, expected): (&f32, f32)| (found - expected).abs() < 1e-4);
    assert!(near, "{heights:?}");
    let last = stage.live.get(stage.prop_ids[2]).unwrap();
    assert!((last.position().local().z - 6.0).abs() < 1e-4, "a velocity stays");
}

#[test]
fn a_shift_changes_no_bit_of_a_prop() {
    let (near, mut near_stage) = stage_of("");
    let (far, mut far_stage) = stage_of("origin_sector = [-70000, 123456]\n");
    for tick in 0..50 {
        for (scenario, stage) in [(&near, &mut near_stage), (&far, &mut far_stage)] {
            stage.begin_tick(scenario, tick).unwrap();
            stage.live.advance(scenario.dt()).unwrap();
        }
        let hashes =
            (near_stage.live.state_hash(), far_stage.live.state_hash_from(far.origin_sector));
        assert_eq!(hashes.0, hashes.1, "tick {tick}");
    }
}
