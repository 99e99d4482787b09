//! The moving part of a scenario: its bodies, surfaces and units in the controller.

use marchland_controller::{BodyId, Spawn, UnitId, Units};
use marchland_terrain::{SurfaceId, TerrainView};

use super::run::error::RunError;
use super::spec::Scenario;

/// The units of a scenario at the start.
pub(super) struct Actors {
    pub(super) units: Units,
    /// By their indices in the scenario.
    pub(super) ids: Vec<UnitId>,
    /// By their indices in the scenario.
    pub(super) bodies: Vec<BodyId>,
}

/// Puts the units of a scenario at their starts. A unit whose feet are within the skin of support, according
/// to `view`, begins walking.
pub(super) fn actors(scenario: &Scenario, view: TerrainView<'_>) -> Result<Actors, RunError> {
    let mut units = Units::new(scenario.sector_size);
    for (id, surface) in (0..=u8::MAX).zip(&scenario.surfaces) {
        let set = units.set_surface(SurfaceId(id), surface.response);
        set.map_err(|fault| RunError::Surface { name: surface.name.clone(), fault })?;
    }
    let mut made = Vec::with_capacity(scenario.bodies.len());
    let mut bodies = Vec::with_capacity(scenario.bodies.len());
    for body in &scenario.bodies {
        let refused = |fault| RunError::Body { name: body.name.clone(), fault };
        let built = body.values.build().map_err(refused)?;
        bodies.push(units.add_body(built).map_err(refused)?);
        made.push(built);
    }
    let mut ids = Vec::with_capacity(scenario.units.len());
    for unit in &scenario.units {
        // Every name was resolved when the scenario was read.
        let (Some(body), Some(&id)) = (made.get(unit.body), bodies.get(unit.body)) else {
            continue;
        };
        let spawned = units.spawn(Spawn {
            position: unit.position,
            velocity: unit.velocity,
            motion: units.start_motion(view, unit.position, body, u32::MAX),
            body: id,
            mask: u32::MAX,
        });
        let id = spawned.map_err(|fault| RunError::Unit {
            name: unit.name.clone(),
            line: unit.line,
            fault,
        })?;
        units.board(view, id);
        ids.push(id);
    }
    Ok(Actors { units, ids, bodies })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use marchland_controller::{Body, BodyBuilder, LeavePlatform, SlopeRule, SurfaceResponse};
    use marchland_terrain::glam::Vec3;

    use super::*;
    use crate::command::scenario::Stage;

    const HEAD: &str = "version = 1\nname = \"n\"\nticks = 1\n[terrain]\nflat = 2.0\n";

    fn actors_of(toml: &str) -> Actors {
        let read = Scenario::from_text(Path::new("run.toml"), &format!("{HEAD}{toml}"));
        let scenario = read.unwrap_or_else(|error| panic!("{error}"));
        let stage = Stage::new(&scenario).unwrap();
        actors(&scenario, stage.view()).unwrap()
    }

    #[test]
    fn every_key_of_a_body_reaches_the_controller() {
        let keys = [
            "radius = 0.5",
            "height = 2.5",
            "knee = 0.75",
            "step_up = 1.25",
            "step_down = 0.25",
            "climb = 3.5",
            "max_slope = 60",
            "slope_rule = \"keep_direction\"",
            "slide_control = 0.125",
            "air_control = 7",
            "leave_platform = \"drop\"",
            "jump_speed = 9",
            "slide_speed = 11",
            "terminal_speed = 13",
        ];
        let made = actors_of(&format!("[bodies.a]\n{}\n", keys.join("\n")));
        let plain = BodyBuilder::default();
        let expected = BodyBuilder {
            radius: 0.5,
            height: 2.5,
            knee: 0.75,
            step_up: 1.25,
            step_down: 0.25,
            climb: 3.5,
            max_slope_degrees: 60.0,
            slope_rule: SlopeRule::KeepDirection,
            slide_control: 0.125,
            air_control: 7.0,
            leave_platform: LeavePlatform::Drop,
            jump_speed: 9.0,
            slide_speed: 11.0,
            climb_speed: plain.climb_speed,
            terminal_speed: 13.0,
        };
        assert_eq!(made.units.bodies(), [Body::default(), expected.build().unwrap()]);
        let rules = [
            ("keep_horizontal_speed", SlopeRule::KeepHorizontalSpeed),
            ("keep_path_speed", SlopeRule::KeepPathSpeed),
            ("project", SlopeRule::Project),
        ];
        for (word, rule) in rules {
            let made = actors_of(&format!("[bodies.a]\nslope_rule = \"{word}\"\n"));
            assert_eq!(made.units.bodies()[1].slope_rule(), rule);
        }
        for (word, what) in [("keep", LeavePlatform::Keep), ("add", LeavePlatform::Add)] {
            let made = actors_of(&format!("[bodies.a]\nleave_platform = \"{word}\"\n"));
            assert_eq!(made.units.bodies()[1].leave_platform(), what);
        }
    }

    #[test]
    fn every_key_of_a_surface_reaches_the_controller() {
        let made = actors_of(
            "[surfaces.ice]\nfriction = 0.25\n[surfaces.odd]\nsticky = true\nclimbable = true\n\
             bounce = 0.5\nbounce_friction = 0.75\nconveyor = [1, 2, 3]\n",
        );
        let [ground, ice, odd] = [0, 1, 2].map(|id| made.units.surface(SurfaceId(id)));
        assert!(ground.is_plain());
        assert_eq!(ice, SurfaceResponse { friction: 0.25, ..SurfaceResponse::PLAIN });
        let expected = SurfaceResponse {
            friction: 1.0,
            sticky: true,
            climbable: true,
            bounce: 0.5,
            bounce_friction: 0.75,
            conveyor: Vec3::new(1.0, 2.0, 3.0),
        };
        assert_eq!(odd, expected);
    }

    #[test]
    fn units_start_in_the_order_of_the_file_each_with_its_body() {
        let made = actors_of(
            "[bodies.a]\nheight = 3\n[[units]]\nname = \"x\"\nposition = [1, 2, 0]\n\
             [[units]]\nname = \"y\"\nbody = \"a\"\nposition = [5, 9, 0]\nvelocity = [1, 0, 2]\n",
        );
        let slots: Vec<u32> = made.ids.iter().map(|id| id.slot).collect();
        assert_eq!(slots, [0, 1]);
        let heights = made.ids.iter().map(|id| made.units.body(*id).unwrap().height());
        assert_eq!(heights.collect::<Vec<_>>(), [1.8, 3.0]);
        let speed = made.units.velocity(made.ids[1]).unwrap();
        assert_eq!(speed.to_array(), [1.0, 0.0, 2.0]);
    }
}
