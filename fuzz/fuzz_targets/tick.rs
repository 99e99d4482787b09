//! A world of 2 × 2 sectors, up to 16 units, up to 64 operations: wishes, ticks, sectors loaded, unloaded and
//! removed. After each operation, every invariant of a tick is checked.
#![no_main]

use std::sync::Arc;

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use marchland_controller::{
    Batch, Body, BodyBuilder, Shortcuts, Spawn, Switches, TickMode, TickSettings, Units, Wish,
};
use marchland_terrain::format::encode;
use marchland_terrain::glam::Vec3;
use marchland_terrain::{
    CellKind, Grid, Ground, LoadedSector, ResidentSectors, SectorCoord, SectorData, SurfaceId,
    SurfaceLayer, TerrainView, WorldPos,
};

/// Cells along a sector.
const CELLS: usize = 8;

#[derive(Arbitrary, Debug)]
struct Scene {
    heights: Vec<i8>,
    relief: u8,
    kinds: Vec<u8>,
    corner: [i8; 2],
    far: bool,
    slope: u8,
    units: Vec<Start>,
    operations: Vec<Operation>,
}

#[derive(Arbitrary, Debug)]
struct Start {
    x: u16,
    z: u16,
    above: u8,
    velocity: [i8; 3],
}

#[derive(Arbitrary, Debug)]
enum Operation {
    Wish { unit: u8, velocity: [i16; 2] },
    WishBits { unit: u8, velocity: [u32; 2] },
    Tick { ticks: u8, dt: u8, strict: bool },
    TickBits { dt: u32 },
    Load(u8),
    Unload(u8),
    TakeAway(u8),
    Despawn(u8),
}

fuzz_target!(|scene: Scene| {
    run(&scene);
});

fn run(scene: &Scene) {
    let grid = Grid::new(1.0, CELLS as f64, 1.0 / 256.0).expect("a grid");
    let corner = match scene.far {
        false => SectorCoord::new(scene.corner[0].into(), scene.corner[1].into()),
        true => SectorCoord::new(i32::MAX - 1, i32::MIN),
    };
    let files: Vec<(SectorCoord, Arc<LoadedSector>)> =
        (0..4).filter_map(|index| sector(scene, grid, corner, index)).collect();
    let mut world = ResidentSectors::new(grid);
    for (coord, file) in &files {
        world.insert(*coord, Arc::clone(file)).expect("one grid");
    }
    let mut units = Units::new(grid.sector_size());
    let slope = f64::from(scene.slope % 91);
    let body = BodyBuilder { max_slope_degrees: slope, ..Body::builder() }.build();
    let body = units.add_body(body.expect("a body")).expect("room for it");
    for start in scene.units.iter().take(16) {
        let Some(position) = position(start, corner, world.view()) else { continue };
        let velocity = Vec3::from(start.velocity.map(f32::from));
        let spawn = Spawn { velocity, ..Spawn::standing(position, body) };
        units.spawn(spawn).expect("a unit");
    }
    let mut wishes = vec![Wish::STAND; units.slots()];
    for operation in scene.operations.iter().take(64) {
        let pick = |index: u8| &files[usize::from(index) % files.len()];
        match *operation {
            Operation::Wish { unit, velocity } => {
                let velocity = velocity.map(|part| f32::from(part) / 4.0);
                set(&mut wishes, unit, velocity);
            }
            Operation::WishBits { unit, velocity } => {
                set(&mut wishes, unit, velocity.map(f32::from_bits));
            }
            Operation::Tick { ticks, dt, strict } => {
                let dt = [0.0, 1.0 / 60.0, 0.1, 0.25][usize::from(dt % 4)];
                let mode = if strict { TickMode::Strict } else { TickMode::Hold };
                for _ in 0..=ticks % 16 {
                    tick(&world, &mut units, &wishes, dt, mode);
                }
            }
            Operation::TickBits { dt } => {
                tick(&world, &mut units, &wishes, f32::from_bits(dt), TickMode::Hold);
            }
            Operation::Load(index) if !files.is_empty() => {
                let (coord, file) = pick(index);
                world.insert(*coord, Arc::clone(file)).expect("one grid");
            }
            Operation::Unload(index) if !files.is_empty() => world.unload(pick(index).0),
            Operation::TakeAway(index) if !files.is_empty() => world.set_outside(pick(index).0),
            Operation::Load(_) | Operation::Unload(_) | Operation::TakeAway(_) => {}
            Operation::Despawn(index) => {
                let id = units.iter().nth(usize::from(index));
                assert!(id.is_none_or(|id| units.despawn(id)));
            }
        }
    }
}

fn set(wishes: &mut [Wish], unit: u8, velocity: [f32; 2]) {
    if let Some(wish) = wishes.get_mut(usize::from(unit) % 16) {
        *wish = Wish::STAND.at_velocity(velocity);
    }
}

/// One tick, run twice in different ways, and checks of everything that must hold after it.
fn tick(world: &ResidentSectors, units: &mut Units, wishes: &[Wish], dt: f32, mode: TickMode) {
    let view = world.view();
    let before = units.clone();
    let settings = TickSettings { dt, mode, ..TickSettings::default() };
    let mut batch = Batch::new();
    let outcome = batch.tick(view, units, wishes, &settings).map(|_| ());
    let thorough = Switches { chunk_units: 1, shortcuts: Shortcuts::Ignore, ..Switches::default() };
    let mut again = before.clone();
    let outcome_again =
        Batch::new().tick_with(&thorough, view, &mut again, wishes, &settings).map(|_| ());
    // Compared as text: an error that contains NaN is not equal to itself.
    assert_eq!(format!("{outcome:?}"), format!("{outcome_again:?}"));
    assert_eq!(units.state_hash(), again.state_hash(), "the thorough way gave other bits");
    if outcome.is_err() || dt == 0.0 {
        assert_eq!(units.state_hash(), before.state_hash(), "a tick that did not run left a mark");
        return;
    }
    let report = batch.report();
    let half = view.grid().sector_size().half();
    for id in units.iter() {
        let slot = id.slot as usize;
        let (local, velocity) = (units.locals()[slot], units.velocities()[slot]);
        assert!(local.is_finite() && velocity.is_finite(), "{id:?}: {local} {velocity}");
        assert!(-half <= local.x && local.x < half && -half <= local.z && local.z < half);
        let same = local == before.locals()[slot] && velocity == before.velocities()[slot];
        // A held unit rides on a prop that moves under it.
        let may_ride = view.live().is_some_and(|live| live.step_dt().is_some());
        let waits = same || (may_ride && velocity == before.velocities()[slot]);
        if report.held().contains(&id) {
            assert!(units.is_held(id) == Some(true) && waits, "{id:?} was held and changed");
            continue;
        }
        if report.overloaded().contains(&id) {
            assert!(units.is_overloaded(id) == Some(true) && waits, "{id:?} is overloaded");
            continue;
        }
        assert!(!report.invalid().contains(&id) || same, "{id:?} was invalid and moved");
        let position = units.position(id).expect("a place");
        if let Ground::Height(height) = view.ground(position) {
            assert!(local.y >= height, "{id:?} at {local}, ground {height}");
        }
    }
}

fn sector(
    scene: &Scene,
    grid: Grid,
    corner: SectorCoord,
    index: i32,
) -> Option<(SectorCoord, Arc<LoadedSector>)> {
    let (east, south) = (index % 2, index / 2);
    let coord = corner.offset(east, south)?;
    let first = [east * CELLS as i32, south * CELLS as i32];
    let places = |end: i32| {
        (-1..=end)
            .flat_map(move |row| (-1..=end).map(move |column| (column, row)))
            .map(move |(column, row)| (column + first[0] + 1, row + first[1] + 1))
    };
    // Counted over the whole world: both sides of a border have the same samples.
    let at = |column: i32, row: i32, count: usize| (row * 19 + column) as usize % count;
    let height = |(column, row): (i32, i32)| {
        let height = match scene.heights.len() {
            0 => 0,
            count => i32::from(scene.heights[at(column, row, count)]),
        };
        height << (scene.relief % 12)
    };
    let kind = |(column, row): (i32, i32)| match scene.kinds.len() {
        0 => CellKind::Solid,
        count => match scene.kinds[at(column, row, count)] {
            250.. => CellKind::Outside,
            220.. => CellKind::Hole,
            _ => CellKind::Solid,
        },
    };
    let data = SectorData::new(
        grid,
        places(CELLS as i32 + 1).map(height).collect(),
        Some(places(CELLS as i32).map(kind).collect()),
        SurfaceLayer::Uniform(SurfaceId(0)),
    );
    let bytes = encode(coord, &data.expect("a sector")).bytes;
    Some((coord, Arc::new(LoadedSector::new(bytes).expect("it decodes"))))
}

fn position(start: &Start, corner: SectorCoord, view: TerrainView<'_>) -> Option<WorldPos> {
    let size = view.grid().sector_size();
    let coord = corner.offset(i32::from(start.x >> 15), i32::from(start.z >> 15))?;
    let along = |value: u16| f32::from(value & 0x7fff) / 32768.0 * size.metres() - size.half();
    let place = |y: f32| WorldPos::new(coord, Vec3::new(along(start.x), y, along(start.z)), size);
    let height = match view.ground(place(0.0).ok()?) {
        Ground::Height(height) => height,
        _ => 0.0,
    };
    place(height + f32::from(start.above) / 16.0).ok()
}
