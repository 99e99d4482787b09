//! Tests of the judge: cases by hand, sampled points, and the terrain's own queries.

use std::sync::Arc;

use marchland_random::Random;
use marchland_terrain::format::encode;
use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::math::Rotation;
use marchland_terrain::props::{LiveProp, LiveProps, LoadedMesh, Placement, PreparedMesh};
use marchland_terrain::query::{Contacts, Cylinder, Seams};
use marchland_terrain::{
    CellKind, Collision, Grid, Ground, LoadedSector, ResidentSectors, SectorCoord, SectorData,
    WorldPos,
};

use super::cylinder::{Fill, Triangle, UprightCylinder, depth};
use super::{Culprit, Judge, JudgedBody};
use crate::shapes;
use crate::town::Town;

const BODY: JudgedBody = JudgedBody { radius: 0.4, knee: 0.45, height: 1.8 };
const ALL: u32 = u32::MAX;

fn vector(random: &mut Random, most: f64) -> DVec3 {
    DVec3::from_array([0; 3].map(|_| random.between(-most, most)))
}

/// Four sectors of 16 m that meet at (8, 8), and live props.
struct Scene {
    sectors: ResidentSectors,
    live: LiveProps,
}

impl Scene {
    fn new(height: impl Fn(f64, f64) -> f64, is_hole: impl Fn(i32, i32) -> bool) -> Self {
        let grid = Grid::new(1.0, 16.0, 1.0 / 256.0).unwrap();
        let mut sectors = ResidentSectors::new(grid);
        for (sx, sz) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            let (east, south) = (f64::from(sx) * 16.0, f64::from(sz) * 16.0);
            let data = SectorData::from_fn(grid, |x, z| height(east + x, south + z)).unwrap();
            let kinds = (-1..17).flat_map(|row| (-1..17).map(move |column| (column, row)));
            let kinds = kinds.map(|(column, row)| {
                let hole = is_hole(sx * 16 + column - 8, sz * 16 + row - 8);
                if hole { CellKind::Hole } else { CellKind::Solid }
            });
            let data = data.with_kinds(kinds.collect()).unwrap();
            let coord = SectorCoord::new(sx, sz);
            sectors
                .insert(coord, Arc::new(LoadedSector::new(encode(coord, &data).bytes).unwrap()))
                .unwrap();
        }
        Self { sectors, live: LiveProps::new(grid.sector_size()) }
    }

    fn level() -> Self {
        Self::new(|_, _| 0.0, |_, _| false)
    }

    fn put(&mut self, mesh: &marchland_terrain::props::MeshSource, at: [f64; 3], yaw: f64) {
        let mesh = PreparedMesh::new(mesh).unwrap().0;
        let mesh = Arc::new(LoadedMesh::new(mesh.encode()).unwrap());
        let mut prop = LiveProp::new(mesh, self.at(at));
        prop.placement = Placement::new(Rotation::from_degrees([0.0, yaw, 0.0]), 1.0).unwrap();
        self.live.add(prop).unwrap();
    }

    fn at(&self, [x, y, z]: [f64; 3]) -> WorldPos {
        WorldPos::from_metres(x, y, z, self.sectors.grid().sector_size()).unwrap()
    }

    fn penetration(&self, at: [f64; 3]) -> f64 {
        let view = self.sectors.view().with_live(&self.live);
        Judge::new().penetration(view, self.at(at), BODY, ALL)
    }
}

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 2e-6, "found {found}, expected {expected}");
}

#[test]
fn a_crate_is_as_deep_as_the_body_is_in_it() {
    let mut scene = Scene::level();
    scene.put(&shapes::crate_box(1.0, 1.0, 1.0), [0.0, 0.0, 0.0], 0.0);
    close(scene.penetration([-1.0, 0.0, 0.0]), 0.0);
    close(scene.penetration([-0.9, 0.0, 0.0]), 0.0);
    close(scene.penetration([-0.899, 0.0, 0.0]), 0.001);
    close(scene.penetration([-0.7, 0.0, 0.1]), 0.2);
    // By its corner, in the direction of the diagonal.
    let off = 0.5 + 0.39 / 2.0_f64.sqrt();
    close(scene.penetration([off, 0.0, -off]), 0.01);
    // On top, and with the knee just within it.
    close(scene.penetration([0.0, 1.0, 0.0]), 0.0);
    close(scene.penetration([0.0, 0.55, 0.0]), 0.0);
    close(scene.penetration([0.0, 0.547, 0.0]), 0.003);
    close(scene.penetration([0.6, 0.547, 0.0]), 0.003);
}

#[test]
fn a_ceiling_is_as_deep_as_the_head_is_in_it() {
    let mut scene = Scene::level();
    scene.put(&shapes::crate_box(4.0, 0.5, 4.0), [8.0, 1.75, 8.0], 30.0);
    for (x, z) in [(8.0, 8.0), (7.1, 8.3), (8.0, 9.0)] {
        close(scene.penetration([x, 0.0, z]), 0.05);
        close(scene.penetration([x, -0.04, z]), 0.01);
        close(scene.penetration([x, -0.06, z]), 0.0);
    }
}

#[test]
fn the_inside_of_a_closed_solid_is_full() {
    let mut scene = Scene::level();
    scene.put(&shapes::crate_box(6.0, 6.0, 6.0), [0.0, 0.0, 0.0], 20.0);
    // No triangle is touched; sideways out is 3 m plus the radius away.
    close(scene.penetration([0.0, 2.0, 0.0]), 3.4);
    // Upwards is nearer.
    close(scene.penetration([0.0, 4.0, 0.0]), 1.55);
    let view = scene.sectors.view().with_live(&scene.live);
    let verdict = Judge::new().deepest(view, scene.at([0.0, 4.0, 0.0]), BODY, ALL);
    assert!(matches!(verdict.culprit, Culprit::Prop { triangle: None, .. }), "{verdict:?}");
}

#[test]
fn a_hollow_and_a_soup_are_not_full() {
    let mut scene = Scene::level();
    scene.put(&shapes::well(), [8.0, 0.0, 8.0], 0.0);
    close(scene.penetration([8.0, 0.0, 8.0]), 0.0);
    // Between the twelve-sided walls, 0.85 m in radius at their corners.
    assert!(scene.penetration([8.5, 0.0, 8.0]) > 0.04);
    let mut scene = Scene::level();
    let mesh = PreparedMesh::new(&shapes::crate_box(6.0, 6.0, 6.0)).unwrap().0;
    let mesh = Arc::new(LoadedMesh::new(mesh.encode()).unwrap());
    let mut prop = LiveProp::new(mesh, scene.at([0.0, 0.0, 0.0]));
    prop.collision = Collision::Soup;
    scene.live.add(prop).unwrap();
    close(scene.penetration([0.0, 2.0, 0.0]), 0.0);
    close(scene.penetration([2.61, 2.0, 0.0]), 0.01);
}

#[test]
fn the_ground_is_solid_downwards_without_end() {
    let scene = Scene::level();
    close(scene.penetration([3.3, 0.0, -2.7]), 0.0);
    close(scene.penetration([3.3, -0.45, -2.7]), 0.0);
    close(scene.penetration([8.0, -0.452, 8.0]), 0.002);
    close(scene.penetration([3.3, -1.7, -2.7]), 1.25);
    close(scene.penetration([3.3, -100.0, -2.7]), 99.55);
    let judge = Judge::new();
    close(judge.below_ground(scene.sectors.view(), scene.at([3.3, -0.25, 8.0])), 0.25);
    close(judge.below_ground(scene.sectors.view(), scene.at([3.3, 0.25, 8.0])), 0.0);
}

#[test]
fn steep_ground_counts_along_its_normal() {
    // 60 degrees, rising eastwards; the knee of a body meets it first at its eastern rim.
    let slope = 3.0_f64.sqrt();
    let scene = Scene::new(move |x, _| (x * slope * 256.0).round() / 256.0, |_, _| false);
    let feet = |x: f64, depth: f64| (x + 0.4) * slope - 0.45 - depth * 2.0;
    for x in [-2.0, -0.4, 0.3] {
        assert!(scene.penetration([x, feet(x, -0.005), 0.4]) == 0.0);
        let found = scene.penetration([x, feet(x, 0.02), 0.4]);
        // Samples are rounded to 4 mm, which moves the plane by as much.
        assert!((found - 0.02).abs() < 0.004, "{found}");
    }
}

#[test]
fn a_hole_is_free_and_its_rim_a_wall() {
    let is_hole = |column: i32, row: i32| (7..=9).contains(&column) && (7..=9).contains(&row);
    let scene = Scene::new(|_, _| 0.0, is_hole);
    // Cells 7, 8 and 9 from 7 to 10 m, across the corner of four sectors.
    close(scene.penetration([8.5, -3.0, 8.5]), 0.0);
    close(scene.penetration([7.41, -3.0, 8.0]), 0.0);
    close(scene.penetration([7.399, -3.0, 8.0]), 0.001);
    close(scene.penetration([8.2, -3.0, 9.62]), 0.02);
    let judge = Judge::new();
    close(judge.below_ground(scene.sectors.view(), scene.at([8.5, -3.0, 8.5])), 0.0);
    close(judge.below_ground(scene.sectors.view(), scene.at([6.9, -3.0, 8.5])), 3.0);
}

#[test]
fn what_is_beyond_a_border_is_met_from_this_side() {
    // A bank of 3 m that ends at x = 7, and so does its sector at x = 8; bodies stand beyond.
    let mut scene = Scene::new(|x, _| if x < 7.5 { 3.0 } else { 0.0 }, |_, _| false);
    close(scene.penetration([8.41, 0.0, 3.0]), 0.0);
    assert!(scene.penetration([8.1, 0.0, 3.0]) > 0.05);
    scene.put(&shapes::crate_box(1.0, 1.0, 1.0), [7.5, 3.5, -4.0], 0.0);
    close(scene.penetration([8.3, 3.5, -4.0]), 0.1);
    close(scene.penetration([8.2, 3.5, -4.0]), 0.2);
}

/// Heights of the judge and of the library, everywhere on rough ground with holes.
#[test]
fn the_ground_is_where_the_height_rule_says() {
    let rough = |x: f64, z: f64| libm::sin(x * 1.7) * 1.5 + libm::cos(z * 2.3 + x);
    let scene = Scene::new(rough, |column, row| (column * 7 + row * 3) % 5 == 0);
    let (view, judge) = (scene.sectors.view(), Judge::new());
    let mut random = Random::from_state(5);
    let (mut ground, mut holes) = (0, 0);
    for _ in 0..5000 {
        let [x, z] = [0; 2].map(|_| random.between(-8.0, 24.0));
        let found = judge.below_ground(view, scene.at([x, -20.0, z]));
        if let Ground::Height(height) = view.ground(scene.at([x, 0.0, z])) {
            close(found - 20.0, f64::from(height));
            ground += 1;
        } else {
            close(found, 0.0);
            holes += 1;
        }
    }
    assert!(ground > 3000 && holes > 500, "{ground}, {holes}");
}

#[test]
fn props_of_other_layers_are_not_there() {
    let mut scene = Scene::level();
    let mesh = PreparedMesh::new(&shapes::crate_box(1.0, 1.0, 1.0)).unwrap().0;
    let mesh = Arc::new(LoadedMesh::new(mesh.encode()).unwrap());
    let mut prop = LiveProp::new(mesh, scene.at([0.0; 3]));
    prop.layers = 0b10;
    scene.live.add(prop).unwrap();
    let view = scene.sectors.view().with_live(&scene.live);
    let feet = scene.at([0.7, 0.0, 0.0]);
    close(Judge::new().penetration(view, feet, BODY, 0b01), 0.0);
    close(Judge::new().penetration(view, feet, BODY, 0b11), 0.2);
}

/// Points all over a triangle, and of a column below it.
fn samples(corners: &Triangle, fill: Fill) -> impl Iterator<Item = DVec3> {
    const ALONG: u32 = 150;
    let [a, b, c] = *corners;
    let places = (0..=ALONG).flat_map(|i| (0..=ALONG - i).map(move |j| (i, j)));
    let below = if fill == Fill::Column { 40 } else { 0 };
    places.flat_map(move |(i, j)| {
        let (u, v) = (f64::from(i) / f64::from(ALONG), f64::from(j) / f64::from(ALONG));
        let point = a + (b - a) * u + (c - a) * v;
        (0..=below).map(move |number| point - DVec3::Y * (f64::from(number) * 0.15))
    })
}

fn holds(upper: UprightCylinder, point: DVec3, slack: f64) -> bool {
    let away = (point.x * point.x + point.z * point.z).sqrt();
    away < upper.radius - slack && point.y > slack && point.y < upper.height - slack
}

#[test]
fn no_sampled_push_is_less_than_the_depth_and_the_depth_frees() {
    let upper = UprightCylinder { radius: 0.4, height: 1.35 };
    let mut random = Random::from_state(0x9e37_79b9);
    let (mut met, mut free) = (0, 0);
    for case in 0..600 {
        let fill = if case % 4 == 3 { Fill::Column } else { Fill::Sheet };
        let middle = vector(&mut random, 0.7) + DVec3::Y * 0.6;
        let mut corners = [0; 3].map(|_| middle + vector(&mut random, 0.9));
        if case % 8 == 1 {
            corners[1].y = corners[0].y;
            corners[2].y = corners[0].y;
        }
        if case % 8 == 2 {
            (corners[2].x, corners[2].z) = (corners[1].x, corners[1].z);
        }
        let depth = depth(&corners, fill, upper, 0.0);
        let seen = samples(&corners, fill).any(|point| holds(upper, point, 0.0));
        if depth == 0.0 {
            free += 1;
            assert!(!seen, "case {case}: {corners:?}");
            continue;
        }
        // A sliver that samples miss is not deep.
        assert!(seen || depth < 0.03, "case {case}: depth {depth} of {corners:?}");
        met += 1;
        // Pushes by less than the depth leave the triangle inside, in every allowed direction.
        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize();
        let normal = if normal.y < 0.0 { -normal } else { normal };
        let mut ways = vec![DVec3::Y, normal];
        if fill == Fill::Sheet {
            ways.extend([DVec3::NEG_Y, -normal]);
        }
        ways.extend((0..48).map(|turn| {
            let angle = f64::from(turn) / 48.0 * std::f64::consts::TAU;
            DVec3::new(libm::cos(angle), 0.0, libm::sin(angle))
        }));
        let mut one_frees = false;
        for way in ways {
            let pushed =
                |by: f64| samples(&corners, fill).any(|p| holds(upper, p - way * by, 1e-9));
            assert!(depth < 0.05 || pushed(depth - 0.05), "case {case}: {way} is shorter");
            one_frees |= !pushed(depth * 1.02 + 1e-6);
        }
        assert!(one_frees, "case {case}: {depth} does not free of {corners:?}");
    }
    assert!(met > 200 && free > 50, "{met} met, {free} free");
}

/// Everywhere in the town: what the queries overlap is overlapped, triangle by triangle as if each stood
/// alone. It is no deeper than the queries report, because they free a body of a solid only to its
/// outside.
#[test]
fn the_judge_and_the_queries_agree_about_what_is_free() {
    let town = Town::new().unwrap();
    let solids = town.sectors.view().solids(ALL).with_seams(Seams::Raw);
    let size = town.grid.sector_size();
    let (mut judge, mut contacts) = (Judge::new(), Contacts::with_capacity(64));
    let mut random = Random::from_state(77);
    let (mut overlapping, mut free, mut alike) = (0, 0, 0);
    for case in 0..20_000 {
        let near = town.placements.props()[case % town.placements.props().len()];
        let origin = WorldPos::new(near.sector, near.position, size).unwrap();
        let off = vector(&mut random, 2.5).as_vec3();
        let place = origin.moved_by(Vec3::new(off.x, 0.4 * off.y, off.z), size).unwrap();
        let found = judge.deepest(town.sectors.view(), place, BODY, ALL);
        let knee = place.moved_by(Vec3::new(0.0, BODY.knee, 0.0), size).unwrap();
        let upper = Cylinder { radius: BODY.radius, height: BODY.height - BODY.knee };
        solids.overlap(upper, knee, &mut contacts).unwrap();
        let asked = contacts.deepest().map_or(0.0, |contact| f64::from(contact.depth));
        if found.depth < 1e-5 && asked < 1e-5 {
            free += 1;
            continue;
        }
        overlapping += 1;
        let told = format!("case {case} at {place:?}: {found:?}, the query has {asked}");
        assert!(found.depth > 0.0 && asked > 0.0, "{told}");
        // The inside of the ground or of a solid counts for the judge as a whole.
        if matches!(found.culprit, Culprit::Prop { triangle: Some(_), .. }) {
            assert!(found.depth < asked + 1e-4, "{told}");
        }
        alike += usize::from(found.depth > asked - 1e-4);
        // The whole town is in layer 1.
        let of_another = judge.deepest(town.sectors.view(), place, BODY, 2).culprit;
        assert!(matches!(of_another, Culprit::Ground | Culprit::Nobody), "{of_another:?}");
    }
    assert!(overlapping > 3000 && free > 3000, "{overlapping} overlapping, {free} free");
    assert!(alike * 2 > overlapping, "{alike} of {overlapping} alike");
}
