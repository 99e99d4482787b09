//! Who moves in a scenario: its bodies, surfaces and units as the controller has them.

use marchland_controller::{
    Body, BodyBuilder, BodyId, LeavePlatform, SlopeRule, Spawn, SurfaceResponse, UnitId, Units,
    start_motion,
};
use marchland_terrain::{SurfaceId, TerrainView};

use super::run_error::RunError;
use super::spec::{self, BodySpec, Scenario, SurfaceSpec};

/// The units of a scenario as they start.
pub(super) struct Cast {
    pub(super) units: Units,
    /// By their numbers in the scenario.
    pub(super) ids: Vec<UnitId>,
    /// By their numbers in the scenario.
    pub(super) bodies: Vec<BodyId>,
}

/// Puts the units of a scenario where they start. Whose feet are within the skin of support, which
/// `view` tells, begins walking.
pub(super) fn cast(scenario: &Scenario, view: TerrainView<'_>) -> Result<Cast, RunError> {
    let mut units = Units::new(scenario.sector_size);
    for (id, surface) in (0..=u8::MAX).zip(&scenario.surfaces) {
        let set = units.set_surface(SurfaceId(id), response(surface));
        set.map_err(|fault| RunError::Surface { name: surface.name.clone(), fault })?;
    }
    let mut made = Vec::with_capacity(scenario.bodies.len());
    let mut bodies = Vec::with_capacity(scenario.bodies.len());
    for body in &scenario.bodies {
        let refused = |fault| RunError::Body { name: body.name.clone(), fault };
        let built = build(body).map_err(refused)?;
        bodies.push(units.add_body(built).map_err(refused)?);
        made.push(built);
    }
    let mut ids = Vec::with_capacity(scenario.units.len());
    for unit in &scenario.units {
        // Every name was looked up when the scenario was read.
        let (Some(body), Some(&id)) = (made.get(unit.body), bodies.get(unit.body)) else {
            continue;
        };
        let spawned = units.spawn(Spawn {
            position: unit.position,
            velocity: unit.velocity,
            motion: start_motion(view, unit.position, body, u32::MAX),
            body: id,
            mask: u32::MAX,
        });
        ids.push(spawned.map_err(|fault| RunError::Unit {
            name: unit.name.clone(),
            line: unit.line,
            fault,
        })?);
    }
    Ok(Cast { units, ids, bodies })
}

fn response(surface: &SurfaceSpec) -> SurfaceResponse {
    SurfaceResponse {
        friction: surface.friction,
        sticky: surface.sticky,
        climbable: surface.climbable,
        bounce: surface.bounce,
        conveyor: surface.conveyor,
    }
}

fn build(body: &BodySpec) -> Result<Body, marchland_controller::BodyError> {
    let spec::Shape::Cylinder = body.shape;
    BodyBuilder {
        radius: body.radius,
        height: body.height,
        knee: body.knee,
        step_up: body.step_up,
        step_down: body.step_down,
        climb: body.climb,
        max_slope_degrees: body.max_slope_degrees,
        slope_rule: match body.slope_rule {
            spec::SlopeRule::KeepHorizontalSpeed => SlopeRule::KeepHorizontalSpeed,
            spec::SlopeRule::KeepDirection => SlopeRule::KeepDirection,
            spec::SlopeRule::KeepPathSpeed => SlopeRule::KeepPathSpeed,
            spec::SlopeRule::Project => SlopeRule::Project,
        },
        slide_control: body.slide_control,
        air_control: body.air_control,
        leave_platform: match body.leave_platform {
            spec::LeavePlatform::Keep => LeavePlatform::Keep,
            spec::LeavePlatform::Drop => LeavePlatform::Drop,
            spec::LeavePlatform::Add => LeavePlatform::Add,
        },
        jump_speed: body.jump_speed,
        slide_speed: body.slide_speed,
        terminal_speed: body.terminal_speed,
        // The format has no word for how fast a ledge is climbed.
        ..BodyBuilder::default()
    }
    .build()
}
