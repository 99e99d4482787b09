//! What a world tells of its sectors beside their ground: where they are in memory, and which have changed.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use marchland_terrain::{
    Grid, LoadedSector, ResidentSectors, SectorCoord, SectorData, SectorSlot, format,
};

fn grid() -> Grid {
    Grid::new(1.0, 8.0, 1.0 / 256.0).unwrap()
}

fn flat(coord: SectorCoord, height: f64) -> Arc<LoadedSector> {
    let data = SectorData::from_fn(grid(), |_, _| height).unwrap();
    Arc::new(LoadedSector::new(format::encode(coord, &data).bytes).unwrap())
}

fn at(x: i32) -> SectorCoord {
    SectorCoord::new(x, -x)
}

/// The height of the sector in a slot.
fn height(world: &ResidentSectors, slot: Option<SectorSlot>) -> Option<f32> {
    world.view().cell_corners(slot?).map(|corners| corners.at(3, 5)[0])
}

#[test]
fn a_slot_is_a_sectors_own_until_it_changes() {
    let mut world = ResidentSectors::new(grid());
    for x in 0..5 {
        world.insert(at(x), flat(at(x), f64::from(x))).unwrap();
    }
    let slots: Vec<_> = (0..5).map(|x| world.view().sector_slot(at(x))).collect();
    assert!((1..5).all(|x| !slots[..x].contains(&slots[x])), "{slots:?}");
    world.unload(at(1));
    world.set_outside(at(3));
    let gone = [at(1), at(3), at(9)].map(|coord| world.view().sector_slot(coord));
    assert_eq!(gone, [None; 3]);
    world.insert(at(4), flat(at(4), 44.0)).unwrap();
    world.insert(at(7), flat(at(7), 7.0)).unwrap();
    for (x, now) in [(0, 0.0), (2, 2.0), (4, 44.0), (7, 7.0)] {
        let slot = world.view().sector_slot(at(x));
        assert_eq!(height(&world, slot), Some(now), "sector {x}");
    }
    let kept = [0, 2].map(|x| world.view().sector_slot(at(x)));
    assert_eq!(kept, [slots[0], slots[2]]);
    assert_eq!(height(&world, Some(SectorSlot::NONE)), None);
    let shifted = world.shifted(10, 0).unwrap();
    let moved = SectorCoord::new(12, -2);
    assert_eq!(height(&shifted, shifted.view().sector_slot(moved)), Some(2.0));
    let endless = ResidentSectors::endless(flat(at(0), 5.0));
    assert_eq!(height(&endless, endless.view().sector_slot(at(1234))), Some(5.0));
}

#[test]
fn all_that_changed_is_told_or_that_it_cannot_be() {
    let mut world = ResidentSectors::new(grid());
    let changed = |world: &ResidentSectors, since| -> Option<Vec<SectorCoord>> {
        world.view().changed_since(since).map(Iterator::collect)
    };
    let first = world.view().revision();
    assert_eq!(changed(&world, first), Some(Vec::new()));
    world.insert(at(2), flat(at(2), 0.0)).unwrap();
    world.unload(at(5));
    let then = world.view().revision();
    world.set_outside(at(2));
    assert_eq!(changed(&world, first), Some(vec![at(2), at(5), at(2)]));
    assert_eq!(changed(&world, then), Some(vec![at(2)]));
    // Two worlds that were one part.
    let mut other = world.clone();
    other.unload(at(8));
    world.unload(at(9));
    assert_eq!(changed(&other, then), Some(vec![at(2), at(8)]));
    assert_eq!(changed(&other, world.view().revision()), None);
    for x in 0..1000 {
        world.unload(at(x));
    }
    assert_eq!(changed(&world, then), None, "too much to tell");
    assert_eq!(changed(&world.shifted(0, 0).unwrap(), world.view().revision()), None);
}
