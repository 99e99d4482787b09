//! What is so where a file says nothing.

use marchland_controller::{BodyBuilder, LeavePlatform, SlopeRule};
use marchland_terrain::glam::Vec3;
use marchland_terrain::props::Placement;
use marchland_terrain::{Collision, SectorCoord, SurfaceId};
use marchland_tools::command::scenario::{
    BodySpec, ControlEntry, MotionEntry, SurfaceSpec, Terrain,
};

use crate::fixtures::*;

#[test]
fn the_least_scenario_has_every_default() {
    let scenario = read("");
    assert_eq!((scenario.name.as_str(), scenario.ticks, scenario.ticks_line), ("n", 100, 3));
    assert_eq!((scenario.tick_rate, scenario.gravity), (60.0, 9.81));
    assert_eq!(scenario.dt(), 1.0 / 60.0);
    assert_eq!(scenario.sector_size.metres(), 256.0);
    assert_eq!(scenario.origin_sector, SectorCoord::new(0, 0));
    assert_eq!(scenario.terrain, Terrain::None);
    assert_eq!(scenario.surfaces, [SurfaceSpec::plain("ground")]);
    assert!(scenario.meshes.is_empty() && scenario.props.is_empty() && scenario.units.is_empty());
    assert!(scenario.not_resident.is_empty() && scenario.expects.is_empty());
    assert_eq!(scenario.bodies, [BodySpec::default()]);
}

#[test]
fn an_empty_surface_is_plain_and_comes_after_the_ground() {
    let scenario = read("[surfaces.ice]\n[surfaces.belt]\nconveyor = [1, 0, -2]\nbounce = 0.5\n");
    let names: Vec<_> = scenario.surfaces.iter().map(|surface| surface.name.as_str()).collect();
    assert_eq!(names, ["ground", "ice", "belt"], "in the order of the file, not of the alphabet");
    let ice = &scenario.surfaces[1].response;
    assert_eq!((ice.friction, ice.bounce, ice.conveyor), (1.0, 0.0, Vec3::ZERO));
    assert!(!ice.sticky && !ice.climbable && ice.bounce_friction == 0.0);
    let belt = &scenario.surfaces[2].response;
    assert_eq!((belt.conveyor, belt.bounce), (Vec3::new(1.0, 0.0, -2.0), 0.5));
}

#[test]
fn the_ground_may_be_given_another_response() {
    let scenario = read("[surfaces.mud]\n[surfaces.ground]\nfriction = 0.25\nsticky = true\n");
    assert_eq!(scenario.surfaces.len(), 2);
    assert_eq!(
        (scenario.surfaces[0].response.friction, scenario.surfaces[0].response.sticky),
        (0.25, true)
    );
    assert_eq!(scenario.surfaces[0].name, "ground");
}

#[test]
fn an_empty_body_is_the_default_one_with_a_name() {
    let scenario = read("[bodies.plain]\n");
    let named = BodySpec { name: "plain".to_owned(), ..BodySpec::default() };
    assert_eq!(scenario.bodies, [BodySpec::default(), named.clone()]);
    // Written out, because the defaults are a promise.
    assert_eq!(
        named,
        BodySpec {
            name: "plain".to_owned(),
            values: BodyBuilder {
                radius: 0.4,
                height: 1.8,
                knee: 0.45,
                step_up: 0.45,
                step_down: 0.45,
                climb: 0.0,
                max_slope_degrees: 45.0,
                slope_rule: SlopeRule::KeepHorizontalSpeed,
                slide_control: 0.3,
                air_control: 0.0,
                leave_platform: LeavePlatform::Keep,
                jump_speed: 5.0,
                slide_speed: 6.0,
                climb_speed: 2.0,
                terminal_speed: 55.0,
            }
        }
    );
}

#[test]
fn every_key_of_a_body_is_read_into_its_own_place() {
    let scenario = read(
        "[bodies.giant]\nshape = \"cylinder\"\nradius = 1.5\nheight = 9\nknee = 2\nstep_up = 3.5\n\
         step_down = 4\nclimb = 6\nmax_slope = 50.5\nslope_rule = \"keep_path_speed\"\n\
         slide_control = 0.75\nair_control = 0.125\nleave_platform = \"add\"\njump_speed = 7\n\
         slide_speed = 8\nterminal_speed = 90\n",
    );
    let expected = BodySpec {
        name: "giant".to_owned(),
        values: BodyBuilder {
            radius: 1.5,
            height: 9.0,
            knee: 2.0,
            step_up: 3.5,
            step_down: 4.0,
            climb: 6.0,
            max_slope_degrees: 50.5,
            slope_rule: SlopeRule::KeepPathSpeed,
            slide_control: 0.75,
            air_control: 0.125,
            leave_platform: LeavePlatform::Add,
            jump_speed: 7.0,
            slide_speed: 8.0,
            climb_speed: 2.0,
            terminal_speed: 90.0,
        },
    };
    assert_eq!(scenario.bodies[1], expected);
}

#[test]
fn defaults_of_a_body_never_contradict_what_is_said() {
    let scenario = read("[bodies.rat]\nheight = 0.25\nradius = 0.1\n[bodies.ox]\nknee = 0.75\n");
    let [_, rat, ox] = &scenario.bodies[..] else { panic!("three bodies") };
    let (rat, ox) = (&rat.values, &ox.values);
    assert_eq!((rat.knee, rat.step_down, rat.step_up), (0.25, 0.25, 0.45));
    assert_eq!((ox.knee, ox.step_up, ox.step_down), (0.75, 0.75, 0.45));
}

#[test]
fn a_prop_with_a_mesh_and_a_place_stands_still_as_the_mesh_is() {
    let scenario = read(
        "[meshes.box]\nbox = [1, 2, 1]\n\
         [meshes.leaf]\nvertices = [[0,0,0],[1,0,0],[0,1,0]]\ntriangles = [[0,1,2]]\n\
         [[props]]\nmesh = \"leaf\"\nposition = [1, 2, 3]\n\
         [[props]]\nmesh = \"box\"\nposition = [130, 0, 0]\n",
    );
    let [leaf, crate_] = &scenario.props[..] else { panic!("two props") };
    assert_eq!(leaf.position, at([0, 0], [1.0, 2.0, 3.0], &scenario));
    assert_eq!(crate_.position, at([1, 0], [-126.0, 0.0, 0.0], &scenario));
    assert_eq!((leaf.mesh, crate_.mesh), (1, 0));
    for prop in [leaf, crate_] {
        assert_eq!(prop.placement, Placement::IDENTITY);
        assert_eq!((prop.surface, prop.layers), (SurfaceId(0), u32::MAX));
        assert!(prop.motion.is_empty());
    }
    assert_eq!((leaf.collision, crate_.collision), (Collision::Soup, Collision::Solid));
}

#[test]
fn velocities_are_a_motion_from_the_start_in_radians() {
    let scenario = read(
        "[meshes.box]\nbox = [1, 1, 1]\n[[props]]\nmesh = \"box\"\nposition = [0, 0, 0]\n\
         velocity = [1, 0, 0]\nangular_velocity = [0, 90, 0]\n",
    );
    let expected = MotionEntry {
        tick: 0,
        velocity: Vec3::X,
        angular_velocity: Vec3::new(0.0, std::f32::consts::FRAC_PI_2, 0.0),
        line: 9,
    };
    assert_eq!(scenario.props[0].motion, [expected]);
}

#[test]
fn a_unit_with_a_name_and_a_place_stands_with_the_default_body() {
    let scenario = read("[[units]]\nname = \"a\"\nposition = [0.5, 1, -2]\n");
    let unit = &scenario.units[0];
    assert_eq!((unit.name.as_str(), unit.body, unit.velocity), ("a", 0, Vec3::ZERO));
    assert_eq!(unit.position, at([0, 0], [0.5, 1.0, -2.0], &scenario));
    assert!(unit.controls.is_empty());
}

#[test]
fn a_control_that_says_nothing_tells_nothing() {
    let scenario =
        read("[[units]]\nname = \"a\"\nposition = [0, 0, 0]\ncontrols = [{ tick = 7 }]\n");
    let expected = ControlEntry {
        tick: 7,
        walk: [0.0, 0.0],
        jump: false,
        impulse: None,
        teleport: None,
        body: 0,
        mask: u32::MAX,
        line: 7,
    };
    assert_eq!(scenario.units[0].controls, [expected]);
}

#[test]
fn an_expectation_of_a_unit_alone_expects_nothing_at_the_end() {
    let scenario =
        read("[[units]]\nname = \"a\"\nposition = [0, 0, 0]\n[[expect]]\nunit = \"a\"\n");
    let expect = &scenario.expects[0];
    assert_eq!((expect.unit, expect.tick), (0, 100));
    assert_eq!((expect.tolerance, expect.speed_tolerance), (0.01, 0.05));
    assert_eq!((expect.position, expect.min, expect.max), ([None; 3], [None; 3], [None; 3]));
    assert_eq!((expect.mode, expect.speed), (None, None));
}

#[test]
fn heights_begin_at_the_origin_and_lie_on_the_ground() {
    let scenario =
        read("[terrain]\nheights = { columns = 2, rows = 2, spacing = 4, samples = [0,0,1,0] }\n");
    let Terrain::Samples(samples) = &scenario.terrain else { panic!("samples") };
    assert_eq!((samples.origin, samples.spacing), ([0.0, 0.0], 4.0));
    assert_eq!((samples.quantum, samples.surface), (1.0 / 1024.0, SurfaceId(0)));
    assert_eq!(samples.quanta, [Some(0), Some(0), Some(1024), Some(0)]);
    assert!(samples.holes.is_empty());
}
