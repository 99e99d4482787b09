//! What a tick tells of many units, however they are split, and takes back if it may not run.
#![allow(clippy::unwrap_used)]

mod common;

use common::props::{cuboid, put};
use common::{Random, Scene, grid, held_units, hills, place, solid, world};
use marchland_controller::{Event, EventKind, LeftGround, Report, TickError, TickMode, Wish};
use marchland_terrain::{LiveProps, ResidentSectors, SectorCoord};

/// Sectors from the middle.
const FAR: i32 = 3;

/// The sector that comes and goes.
const LATE: SectorCoord = SectorCoord::new(1, 0);

fn ground() -> ResidentSectors {
    world(grid(1.0, 8), (-FAR, FAR), &hills, &solid)
}

/// Crates that units run into.
fn crates() -> LiveProps {
    let grid = grid(1.0, 8);
    let mut live = LiveProps::new(grid.sector_size());
    for sector in [(-1, 0), (0, -1), (-2, -2), (0, 1)] {
        put(&mut live, &cuboid([1.0, 1.0, 1.0]), place(grid, sector, [1.0, 1.5, -1.0]));
    }
    live
}

/// Units all over, in no order, that walk fast, some of them jumping.
fn crowd(ground: &ResidentSectors) -> Scene {
    let grid = grid(1.0, 8);
    let mut scene = Scene::new(grid);
    let mut random = Random::from_state(17);
    for unit in 0..400 {
        let mut along = || random.below(2 * FAR as u64 - 1) as i32 - FAR + 1;
        let sector = (along(), along());
        let mut part = || random.within(-4.0, 3.99);
        let at = [part(), 0.0, part()];
        let wish = Wish::walk(part(), part()).with_jump(unit % 16 == 0);
        scene.walker(ground.view(), place(grid, sector, at), wish);
    }
    scene
}

fn tick<'s>(scene: &'s mut Scene, ground: &ResidentSectors, live: &LiveProps) -> &'s Report {
    scene.tick(ground.view().with_live(live))
}

#[test]
fn a_refused_tick_takes_back_all_that_units_did() {
    let (whole, live) = (ground(), crates());
    let mut late = whole.clone();
    late.unload(LATE);
    let [mut scene, mut other] = [(); 2].map(|()| crowd(&whole));
    for scene in [&mut scene, &mut other] {
        scene.settings.mode = TickMode::Strict;
        scene.switches.chunk_units = 48;
    }
    let mut undone = [0; 4];
    for round in 0..60 {
        let before = scene.units.state_hash();
        let (were_held, sectors) = (held_units(&scene.units), scene.units.sectors().to_vec());
        let view = late.view().with_live(&live);
        let refused = scene.try_tick(view).err();
        assert_eq!(refused, Some(TickError::NotResident { count: 1 }));
        let (report, held) = (scene.batch.report(), scene.batch.report().held().len());
        let alone = (report.ticked, report.full, report.borders_crossed, report.outside().len());
        assert_eq!((alone, report.missing()), ((0, 0, 0, 0), &[LATE][..]), "{report:?}");
        assert!(0 < held && held < 400 && report.held().is_sorted());
        assert!(scene.batch.events().is_empty());
        assert_eq!(scene.units.state_hash(), before, "round {round}");
        assert_eq!((&held_units(&scene.units), scene.units.sectors()), (&were_held, &sectors[..]));
        let report = tick(&mut other, &whole, &live).clone();
        assert_eq!(*tick(&mut scene, &whole, &live), report, "round {round}");
        assert_eq!(scene.batch.events(), other.batch.events(), "round {round}");
        assert_eq!(scene.units.state_hash(), other.units.state_hash(), "round {round}");
        let now = [report.full, report.landed, report.left_ground, report.borders_crossed as usize];
        for (sum, now) in undone.iter_mut().zip(now) {
            *sum += now;
        }
    }
    assert!(undone.iter().all(|&sum| sum > 10), "too little was taken back: {undone:?}");
}

#[test]
fn events_are_by_slot_and_who_is_released_is_so_before_it_does_anything() {
    let (whole, live) = (ground(), crates());
    let mut late = whole.clone();
    late.unload(LATE);
    let mut scene = crowd(&whole);
    for wish in &mut scene.wishes {
        *wish = wish.with_jump(true);
    }
    let mut first: Option<Vec<Event>> = None;
    let start = scene.units.snapshot();
    for chunk_units in [1, 32, 80, 1024] {
        scene.switches.chunk_units = chunk_units;
        scene.units.restore(&start);
        let held = tick(&mut scene, &late, &live).held().to_vec();
        let mut events = scene.batch.events().to_vec();
        tick(&mut scene, &whole, &live);
        let after = scene.batch.events();
        for id in &held {
            let own: Vec<_> = after.iter().filter(|event| event.unit == *id).collect();
            let jumped = EventKind::LeftGround { reason: LeftGround::Jumped };
            assert_eq!(own[0].kind, EventKind::Released, "{own:?}");
            assert!(own[1..].iter().any(|event| event.kind == jumped), "{own:?}");
        }
        assert!(held.len() > 10 && after.is_sorted_by_key(|event| event.unit.slot));
        events.extend_from_slice(after);
        assert!(events.len() > 400 + held.len());
        assert_eq!(*first.get_or_insert_with(|| events.clone()), events, "{chunk_units}");
    }
}
