//! The demo bakes; what stands in it stands well, and out of the way.

#![allow(clippy::unwrap_used, reason = "a test")]

#[path = "common/demo.rs"]
mod demo_world;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use marchland_terrain::bake::Spread;
use marchland_terrain::bake::props::PropInput;
use marchland_terrain::glam::Vec3;
use marchland_terrain::math::greater;
use marchland_terrain::{Ground, PropRecord, WorldPos};
use marchland_worlds::demo::{self, SAMPLES, SHORE, SPACING};
use marchland_worlds::demo_props::{self, CENTRE, KINDS, Kind, Look};
use marchland_worlds::march::Plan;

static INPUT: LazyLock<PropInput> = LazyLock::new(|| demo_props::props().unwrap());
static WORLD: LazyLock<Spread> = LazyLock::new(demo_world::world);

/// A prop's kind, its place in metres from the north-west corner, and a box around it.
struct StandingProp {
    kind: Kind,
    low: [f64; 2],
    high: [f64; 2],
    height: f64,
}

const HOUSES: [Kind; 5] =
    [Kind::Cottage, Kind::House, Kind::LongHouse, Kind::TownHouse, Kind::Hall];

fn standing() -> Vec<StandingProp> {
    let one = |prop: &PropRecord| {
        let bounds = INPUT.meshes[prop.mesh as usize].bounds();
        let placed = prop.placement.placed_bounds(&bounds);
        let at = |sector: i32, local: f32, placed: f32| {
            f64::from(sector) * 512.0 + f64::from(local) + f64::from(placed) + CENTRE
        };
        let corner = |placed: Vec3| {
            [
                at(prop.sector.x, prop.position.x, placed.x),
                at(prop.sector.z, prop.position.z, placed.z),
            ]
        };
        StandingProp {
            kind: KINDS[prop.mesh as usize],
            low: corner(placed.min),
            high: corner(placed.max),
            height: f64::from(prop.position.y),
        }
    };
    WORLD.placements.props().iter().map(one).collect()
}

#[test]
fn there_are_a_town_woods_and_rocks() {
    let mut counts = BTreeMap::new();
    for prop in standing() {
        *counts.entry(prop.kind.name()).or_insert(0) += 1;
    }
    let many = |look: &dyn Fn(Look) -> bool| -> i32 {
        let of = KINDS.iter().filter(|kind| look(kind.look()));
        of.map(|kind| counts.get(kind.name()).copied().unwrap_or(0)).sum()
    };
    println!("{counts:?}");
    let houses: i32 = HOUSES.iter().map(|kind| counts[kind.name()]).sum();
    assert!((30..=70).contains(&houses), "{houses} houses");
    assert_eq!(counts["gate"], 3);
    assert_eq!(counts["bridge"], 1);
    let (trees, rocks) = (many(&|l| matches!(l, Look::Tree(_))), many(&|l| l == Look::Rock));
    assert!(trees > 5000, "{trees} trees");
    assert!(rocks > 800, "{rocks} rocks");
    for kind in KINDS {
        assert!(counts.contains_key(kind.name()), "no {}", kind.name());
    }
    for report in WORLD.placements.rules() {
        assert!(report.placed > 0, "{report:?}");
    }
}

#[test]
fn nothing_stands_where_groups_march_or_in_the_lake() {
    const CELLS: usize = SAMPLES - 1;
    let plan = Plan::new().unwrap();
    let mut walked = vec![false; CELLS * CELLS];
    for (unit, spawn) in plan.spawn_points(720).into_iter().enumerate() {
        let (mut x, mut z, mut stop, mut moves) = (spawn.x, spawn.z, 0, 0);
        while stop < 4 && moves < 20_000 {
            let wish = plan.wish(spawn.group, stop, x, z, unit as u32);
            stop += usize::from(wish.reached);
            (x, z) = (x + wish.velocity[0] * 0.2, z + wish.velocity[1] * 0.2);
            moves += 1;
            let (column, row) = (f64::from(x) / SPACING, f64::from(z) / SPACING);
            walked[row as usize * CELLS + column as usize] = true;
        }
    }
    let mut bad = BTreeMap::new();
    for prop in standing() {
        assert!(prop.height > SHORE - 1.0, "{} in the lake at {:?}", prop.kind.name(), prop.low);
        let cell = |metres: f64| {
            let cell = metres / SPACING;
            if cell < 0.0 { 0 } else { (cell as usize).min(CELLS - 1) }
        };
        let rows = cell(prop.low[1] - 2.0)..=cell(prop.high[1] + 2.0);
        let columns = cell(prop.low[0] - 2.0)..=cell(prop.high[0] + 2.0);
        let mut near = rows.flat_map(|row| columns.clone().map(move |column| (column, row)));
        if near.any(|(column, row)| walked[row * CELLS + column]) {
            bad.entry(prop.kind.name()).or_insert_with(Vec::new).push(prop.low.map(|m| m as i32));
        }
    }
    assert!(bad.is_empty(), "{bad:?}");
}

#[test]
fn no_house_stands_in_another_and_the_high_street_is_free() {
    let houses: Vec<_> =
        standing().into_iter().filter(|prop| HOUSES.contains(&prop.kind)).collect();
    for (i, one) in houses.iter().enumerate() {
        for other in &houses[..i] {
            // Boxes around turned houses, with roofs that stand out, are wider than the houses.
            let apart = |axis: usize| {
                one.low[axis] > other.high[axis] - 2.8 || other.low[axis] > one.high[axis] - 2.8
            };
            let names = [one.kind.name(), other.kind.name()];
            assert!(apart(0) || apart(1), "{names:?} at {:?}", one.low);
        }
    }
    let town = demo_props::TOWN;
    for house in &houses {
        // From the well to the nearest point of its box.
        let away = |axis: usize| {
            let (low, high) = (house.low[axis] - town[axis], town[axis] - house.high[axis]);
            greater(greater(low, high), 0.0)
        };
        assert!(away(0) > 12.0 || away(1) > 9.0, "{} on the square", house.kind.name());
    }
    // From the west gate to the east gate, but for the square.
    for part in -70_i32..=70 {
        let t = f64::from(part) / 90.0;
        let [x, z] = [town[0] + f64::from(part), town[1] + 16.0 * (t - t * t * t)];
        let blocks = |prop: &&StandingProp| {
            prop.low[0] < x && x < prop.high[0] && prop.low[1] < z && z < prop.high[1]
        };
        let blocking = houses.iter().find(blocks).map(|prop| prop.kind.name());
        assert_eq!(blocking, None, "{x}, {z}");
    }
}

#[test]
fn the_demo_bakes_with_its_holes_and_surfaces() {
    let world = &WORLD.sectors;
    assert_eq!(world.resident().len(), 16);
    let (heights, holes) = (demo::heights().unwrap(), demo::holes().unwrap());
    let surfaces = demo::surfaces().unwrap();
    let size = world.grid().sector_size();
    let corner = f64::from(size.half());
    let mut holes_seen = 0;
    for (column, row) in (0..1024).flat_map(|row| (0..1024).map(move |column| (column, row))) {
        if holes.at(column, row) != 0 || (column * 7 + row * 13) % 997 == 0 {
            let (x, z) = (column as f64 * 2.0 - corner, row as f64 * 2.0 - corner);
            let place = WorldPos::from_metres(x, 0.0, z, size).unwrap();
            match world.view().ground(place) {
                Ground::Hole => holes_seen += 1,
                Ground::Height(height) => {
                    let off = f64::from(height) - heights.at(column, row);
                    assert!(off.abs() <= f64::from(world.grid().quantum()) / 2.0);
                    let surface = world.view().surface(place).unwrap().0;
                    assert_eq!(surface, surfaces.at(column, row), "{column}, {row}");
                }
                other => panic!("{other:?} at {column}, {row}"),
            }
        }
    }
    assert_eq!(holes_seen, holes.values.iter().filter(|hole| **hole != 0).count());
}
