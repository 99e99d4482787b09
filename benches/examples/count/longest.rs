//! The ticks of single units that take longest, as far as a unit is not held for them.

use marchland_benches::{Random, heading, is_free};
use marchland_controller::{
    Batch, Body, BodyBuilder, PathChoice, Spawn, Switches, TickSettings, Units, Wish,
};
use marchland_terrain::props::{LiveProp, LiveProps, MeshSource};
use marchland_terrain::{Ground, SectorSize, TerrainView, WorldPos};
use marchland_worlds::clutter::{self, Clutter};
use marchland_worlds::shapes::{RockShape, loaded, rock, tangle};
use marchland_worlds::terrain::{SceneError, crags, grid_of, world_from_fn};

use crate::tick::counted_tick;

/// Units of each scene, each ticked alone, and its ticks.
const UNITS: usize = 12;
const TICKS: usize = 8;
/// Metres per second.
const SPEED: f32 = 3.0;

/// Units among triangles without order, at finely divided rocks, wide ones in the clutter, and units on rough ground.
pub(crate) fn longest() -> Result<usize, SceneError> {
    let mut unit_ticks = 0;
    for triangles in [200, 250, 400] {
        unit_ticks += among(&tangle(triangles, 1.5), 0.75)?;
    }
    for splits in 3..5 {
        let radii = [0.8, 1.1, 0.8];
        unit_ticks += among(&rock(RockShape { seed: 3, splits, radii, roughness: 0.2 }), 0.0)?;
    }
    let wide = BodyBuilder { radius: 4.0, height: 6.0, ..Body::builder() }.build()?;
    let clutter = Clutter::new(1)?;
    let (low, high) = (clutter::LOW + 8.0, clutter::HIGH - 8.0);
    unit_ticks += Walk::new(clutter.view(), wide, [low, high])?.walk(clutter.view())?;
    let rough = crags(1)?;
    unit_ticks += Walk::new(rough.view(), Body::default(), [-10.0, 40.0])?.walk(rough.view())?;
    Ok(unit_ticks)
}

/// Units that walk into props of a metre and a half, or begin in them. `middle` is how far the middle is from the
/// origin along z. Metres.
fn among(mesh: &MeshSource, middle: f64) -> Result<usize, SceneError> {
    let ground = world_from_fn(grid_of(1.0, 64)?, 1, |_, _| 0.0)?;
    let size = ground.grid().sector_size();
    let mesh = loaded(mesh)?;
    let mut live = LiveProps::new(size);
    let mut walk = Walk::default();
    for unit in 0..UNITS {
        let z = 4.0 * unit as f64 - 10.0;
        let at = |x: f64, z: f64| WorldPos::from_metres(x, 0.0, z, size);
        live.add(LiveProp::new(mesh.clone(), at(0.75 - middle, z - middle)?))?;
        // Before it, or in it.
        let x = if unit % 2 == 0 { -0.42 } else { 0.5 };
        walk.add(size, Body::default(), (at(x, z)?, Wish::walk(SPEED, 0.1)))?;
    }
    walk.walk(ground.view().with_live(&live))
}

/// Units that do not know of each other: a tick is that of one unit.
#[derive(Default)]
struct Walk {
    each: Vec<(Units, [Wish; 1])>,
}

impl Walk {
    /// Units at random places of a square on the ground, free of props.
    fn new(view: TerrainView<'_>, body: Body, [low, high]: [f64; 2]) -> Result<Self, SceneError> {
        let size = view.grid().sector_size();
        let mut walk = Self::default();
        let mut random = Random::new(9);
        while walk.each.len() < UNITS {
            let [x, z] = [(); 2].map(|()| random.between(low, high));
            let at = |y: f64| WorldPos::from_metres(x, y, z, size);
            let Ground::Height(height) = view.ground(at(0.0)?) else { continue };
            let place = at(f64::from(height))?;
            if is_free(view, place) {
                let to = heading(&mut random).map(|part| part * SPEED);
                walk.add(size, body, (place, Wish::STAND.at_velocity(to)))?;
            }
        }
        Ok(walk)
    }

    fn add(
        &mut self,
        size: SectorSize,
        body: Body,
        (place, wish): (WorldPos, Wish),
    ) -> Result<(), SceneError> {
        let mut units = Units::new(size);
        let body = units.add_body(body)?;
        units.spawn(Spawn::standing(place, body))?;
        self.each.push((units, [wish]));
        Ok(())
    }

    fn walk(&mut self, view: TerrainView<'_>) -> Result<usize, SceneError> {
        let settings = TickSettings::at_rate(60.0);
        let full = Switches::path(PathChoice::Full);
        let mut unit_ticks = 0;
        for (units, wishes) in &mut self.each {
            let mut batch = Batch::new();
            batch.tick_with(&full, view, units, &[Wish::STAND], &settings)?;
            for _ in 0..TICKS {
                counted_tick(&mut batch, view, units, wishes, &full, &settings)?;
                unit_ticks += batch.report().full;
            }
        }
        Ok(unit_ticks)
    }
}
