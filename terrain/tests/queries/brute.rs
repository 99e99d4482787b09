//! Answers against looking at every triangle: judged by backward error, so that an answer is right if
//! it is that of some body whose place and size differ by no more than a tenth of a millimetre.
//!
//! What the judge knows is how far a body is from touching a triangle, found by searching convex
//! functions. It shares no code with the library.

#[path = "../../src/query/cylinder/tests/judge.rs"]
#[allow(dead_code)]
mod judge;

use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::query::{
    ALL_LAYERS, Contacts, Cylinder, Seams, SupportBy, Sweep, TriangleId,
};
use marchland_terrain::{SectorCoord, SectorState};

use self::judge::{Body, excess_moved, least_of};
use super::scene::{Random, Scene, Vectors, block};

/// How much the body of the judge may differ. Metres.
const SLACK: f64 = 1e-4;

/// A triangle as the test sees it, metres from the middle of the world.
pub(crate) struct Triangle {
    pub(crate) id: TriangleId,
    pub(crate) corners: [DVec3; 3],
    pub(crate) solid: bool,
}

impl Triangle {
    pub(crate) fn from(&self, feet: Vec3) -> [DVec3; 3] {
        self.corners.map(|corner| corner - feet.as_dvec3())
    }

    pub(crate) fn normal(&self) -> DVec3 {
        let [a, b, c] = self.corners;
        (b - a).cross(c - a).normalize_or_zero()
    }
}

/// Every triangle of a scene: ground by its corners, props vertex by vertex.
pub(crate) fn all_triangles(scene: &Scene) -> Vec<Triangle> {
    let size = f64::from(scene.sectors.grid().sector_size().metres());
    let mut all = Vec::new();
    let apart = |sector: SectorCoord| {
        let (x, z) = (sector.x - scene.middle.x, sector.z - scene.middle.z);
        DVec3::new(f64::from(x) * size, 0.0, f64::from(z) * size)
    };
    for &sector in scene.sectors.resident() {
        let SectorState::Resident(resident) = scene.view().sector(sector) else { continue };
        let field = resident.field();
        let (cell, half) = (f64::from(field.grid().cell()), size / 2.0);
        for (column, row) in
            (0..field.cells()).flat_map(|row| (0..field.cells()).map(move |column| (column, row)))
        {
            let [nw, ne, sw, se] = field.corners(column, row).map(f64::from);
            let corner = |dx: f64, y: f64, dz: f64| {
                let (x, z) = (f64::from(column) + dx, f64::from(row) + dz);
                apart(sector) + DVec3::new(x * cell - half, y, z * cell - half)
            };
            let (nw, ne) = (corner(0.0, nw, 0.0), corner(1.0, ne, 0.0));
            let (sw, se) = (corner(0.0, sw, 1.0), corner(1.0, se, 1.0));
            let first = (row * field.cells() + column) * 16;
            for (corners, number) in [([nw, se, ne], 0), ([nw, sw, se], 1)] {
                let id = TriangleId::Terrain { sector, triangle: first + number };
                all.push(Triangle { id, corners, solid: true });
            }
        }
    }
    for prop in scene.live.iter() {
        let origin = apart(prop.position().sector()) + prop.position().local().as_dvec3();
        for triangle in 0..prop.mesh().triangles() {
            let placed = prop.mesh().triangle(triangle).map(|v| prop.placer().place(v).as_dvec3());
            all.push(Triangle {
                id: TriangleId::Prop { prop: prop.id(), triangle },
                corners: placed.map(|corner| origin + corner),
                solid: prop.collision() == marchland_terrain::Collision::Solid,
            });
        }
    }
    all
}

/// Boxes, slivers, needles, sheets edge on and huge triangles over rough ground.
fn clutter(seed: u64) -> Scene {
    let mut random = Random::new(seed);
    let rough: Vec<f64> = (0..64).map(|_| f64::from(random.within(-0.6, 0.6))).collect();
    let mut scene = Scene::new(SectorCoord::new(-7, 1000), move |x, z| {
        rough[((x.floor() as i64 * 5 + z.floor() as i64 * 11).rem_euclid(64)) as usize]
    });
    for _ in 0..6 {
        let half =
            Vec3::new(random.within(0.2, 1.5), random.within(0.2, 1.5), random.within(0.2, 1.5));
        let degrees = match random.bits() % 3 {
            0 => [0.0; 3],
            1 => [0.0, f64::from(random.within(0.0, 360.0)), 0.0],
            _ => [0, 1, 2].map(|_| f64::from(random.within(0.0, 360.0))),
        };
        let at = random.vector(3.0) + Vec3::Y;
        scene.put(&block(-half, half), at, degrees);
    }
    for _ in 0..12 {
        let a = random.vector(2.5);
        let (reach, thin) = (random.within(0.05, 3.0), random.within(0.0, 1.0));
        let corners = match random.bits() % 6 {
            0 => [a, a + Vec3::X * reach, a + Vec3::Z * reach],
            1 => [a, a + Vec3::X * reach, a + Vec3::Y * reach],
            2 => [a, a + random.vector(3.0), a + random.vector(3.0)],
            3 => [a, a + random.vector(0.02), a + random.vector(0.02)],
            4 => {
                let along = random.vector(3.0);
                [a, a + along, a + along * thin + random.vector(0.001)]
            }
            _ => [a + random.vector(300.0), a + random.vector(300.0), a + random.vector(300.0)],
        };
        let mesh = marchland_terrain::props::MeshSource {
            vertices: corners.to_vec(),
            triangles: vec![[0, 1, 2]],
        };
        // What preparing refuses as too thin is not a case.
        if marchland_terrain::props::PreparedMesh::new(&mesh).is_ok() {
            scene.put(&mesh, Vec3::Y, [0.0; 3]);
        }
    }
    scene
}

/// How much more than by `by` a body must grow to touch a triangle when it has moved; corners are from
/// where its feet were. Below 0 where it overlaps, 1 or more where it is not near. Metres.
pub(crate) fn lacks(corners: &[DVec3; 3], body: Cylinder, by: f64, moved: DVec3) -> f64 {
    let body = grown(body, by);
    if is_far(&corners.map(|corner| corner - moved), &body, DVec3::ZERO) {
        return 1.0;
    }
    excess_moved(corners, body, moved)
}

/// The least of [`lacks`] on the way up to a part of a motion.
pub(crate) fn lacks_on_the_way(
    corners: &[DVec3; 3],
    body: Cylinder,
    by: f64,
    motion: DVec3,
    until: f64,
) -> f64 {
    let body = grown(body, by);
    if is_far(corners, &body, motion * until) {
        return 1.0;
    }
    least_of(0.0, until, |t| excess_moved(corners, body, motion * t))
}

fn grown(body: Cylinder, by: f64) -> Body {
    Body { radius: f64::from(body.radius) + by, foot: -by, top: f64::from(body.height) + by }
}

fn body(random: &mut Random) -> Cylinder {
    Cylinder { radius: random.within(0.05, 1.2), height: random.within(0.1, 2.5) }
}

/// Whether the boxes are so far apart that there is nothing to judge.
fn is_far(corners: &[DVec3; 3], body: &Body, motion: DVec3) -> bool {
    let out = |part: fn(&DVec3) -> f64, low: f64, high: f64, motion: f64| {
        let parts = corners.map(|corner| part(&corner));
        let least = parts.iter().copied().fold(f64::INFINITY, judge::pick_least);
        let most = parts.iter().copied().fold(f64::NEG_INFINITY, judge::pick_greatest);
        least > high + judge::pick_greatest(motion, 0.0)
            || most < low + judge::pick_least(motion, 0.0)
    };
    out(|c| c.x, -body.radius, body.radius, motion.x)
        || out(|c| c.z, -body.radius, body.radius, motion.z)
        || out(|c| c.y, body.foot, body.top, motion.y)
}

fn check_support(scene: &Scene, all: &[Triangle], body: Cylinder, feet: Vec3) {
    let solids = scene.view().solids(ALL_LAYERS);
    let (low, high) = (-0.7_f32, 0.9_f32);
    let found = solids.support(body, scene.at(feet), low, high, SupportBy::All).unwrap();
    let radius = f64::from(body.radius);
    let height = found.map_or(f64::from(low), |found| f64::from(found.point.y));
    let higher =
        Body { radius: radius - SLACK, foot: height + SLACK, top: f64::from(high) - SLACK };
    let counts = |t: &&Triangle| !t.solid || t.normal().y >= 0.0;
    for triangle in all.iter().filter(counts) {
        let corners = triangle.from(feet);
        let none = higher.foot >= higher.top || is_far(&corners, &higher, DVec3::ZERO);
        assert!(
            none || judge::excess(&corners, higher) >= 0.0,
            "{:?} is higher than {found:?} of {body:?} at {feet}",
            triangle.id
        );
    }
    if let Some(found) = found {
        let there = Body { radius: radius + SLACK, foot: height - SLACK, top: height + SLACK };
        let touches = |t: &Triangle| {
            let corners = t.from(feet);
            !is_far(&corners, &there, DVec3::ZERO) && judge::excess(&corners, there) <= 0.0
        };
        assert!(all.iter().any(touches), "nothing is at {found:?} of {body:?} at {feet}");
        let own = all.iter().find(|t| t.id == found.triangle).unwrap();
        assert!(judge::distance_to(&own.from(feet), found.point.as_dvec3()) < 2.0 * SLACK);
        let normal = own.normal();
        let up = if normal.y < 0.0 { -normal } else { normal };
        assert!((found.normal.as_dvec3() - up).length() < 1e-3, "{found:?}, {normal}");
    }
}

fn check_overlap(scene: &Scene, all: &[Triangle], body: Cylinder, feet: Vec3) {
    let solids = scene.view().solids(ALL_LAYERS).with_seams(Seams::Raw);
    let mut contacts = Contacts::with_capacity(1024);
    solids.overlap(body, scene.at(feet), &mut contacts).unwrap();
    let (thin, fat) = (grown(body, -SLACK), grown(body, SLACK));
    for triangle in all {
        let corners = triangle.from(feet);
        let found = contacts.as_slice().iter().find(|c| c.triangle == triangle.id && !c.inside);
        let is_far = is_far(&corners, &fat, DVec3::ZERO);
        let (surely, maybe) = if is_far {
            (false, false)
        } else {
            let excess = |body| judge::excess(&corners, body);
            (excess(thin) < 0.0, excess(fat) <= 0.0)
        };
        let name = triangle.id;
        assert!(!surely || found.is_some(), "{name:?} not found by {body:?} at {feet}");
        let Some(found) = found else { continue };
        assert!(maybe, "{name:?} is not there: {found:?} of {body:?} at {feet}");
        let (way, depth) = (found.normal.as_dvec3(), f64::from(found.depth));
        assert!((way.length() - 1.0).abs() < 1e-6, "{found:?}");
        let free = excess_moved(&corners, thin, way * depth);
        assert!(free >= 0.0, "not free by {free}: {found:?} of {body:?} at {feet}");
        check_level_way(&corners, body, found, triangle);
        let mut ways = vec![DVec3::Y, DVec3::NEG_Y, triangle.normal(), -triangle.normal()];
        let turn = DVec3::new(0.965_925_826_289_068_3, 0.0, 0.258_819_045_102_520_76);
        let mut level = DVec3::X;
        for _ in 0..24 {
            ways.push(level);
            level = DVec3::new(
                level.x * turn.x - level.z * turn.z,
                0.0,
                level.x * turn.z + level.z * turn.x,
            );
        }
        for way in ways {
            if triangle.solid && way.dot(triangle.normal()) < -1e-9 {
                continue;
            }
            let still = excess_moved(&corners, fat, way * (depth - 3.0 * SLACK));
            assert!(
                depth < 3.0 * SLACK || still <= 0.0,
                "{way} frees sooner than {found:?} of {body:?} at {feet}"
            );
        }
    }
}

/// Where a triangle that blocks both ways is left by a level push that is the best by a millimetre, the
/// push goes that way to a thousandth.
fn check_level_way(
    corners: &[DVec3; 3],
    body: Cylinder,
    found: &marchland_terrain::query::Contact,
    triangle: &Triangle,
) {
    let along_face = found.normal.as_dvec3().dot(triangle.normal()).abs() > 1.0 - 1e-9;
    if triangle.solid || along_face || found.normal.y != 0.0 {
        return;
    }
    // What of the triangle is at the body's height, seen from above.
    let height = f64::from(body.height);
    let mut seen = Vec::new();
    for (from, to) in [(0, 1), (1, 2), (2, 0)] {
        let (from, to) = (corners[from], corners[to]);
        let at = |t: f64| from + (to - from) * t;
        let rise = to.y - from.y;
        let (low, high) = (-from.y / rise, (height - from.y) / rise);
        let (low, high) = if low < high { (low, high) } else { (high, low) };
        let (low, high) = if rise == 0.0 {
            if (0.0..=height).contains(&from.y) { (0.0, 1.0) } else { (2.0, -1.0) }
        } else {
            (judge::pick_greatest(low, 0.0), judge::pick_least(high, 1.0))
        };
        if low <= high {
            seen.extend([at(low), at(high)]);
        }
    }
    let depth = |angle: f64| {
        let (x, z) = (libm_cos(angle), libm_cos(angle - std::f64::consts::FRAC_PI_2));
        let reach = seen.iter().map(|p| p.x * x + p.z * z);
        f64::from(body.radius) + reach.fold(f64::NEG_INFINITY, judge::pick_greatest)
    };
    let turns = 720;
    let angle = |turn: i32| f64::from(turn) * std::f64::consts::TAU / f64::from(turns);
    let mut valleys: Vec<(f64, f64)> = (0..turns)
        .filter(|&turn| {
            let here = depth(angle(turn));
            here <= depth(angle(turn - 1)) && here <= depth(angle(turn + 1))
        })
        .map(|turn| valley(angle(turn - 1), angle(turn + 1), &depth))
        .collect();
    valleys.sort_by(|a, b| a.1.total_cmp(&b.1));
    let Some(&(best, least)) = valleys.first() else { return };
    if valleys.get(1).is_some_and(|next| next.1 < least + 1e-3) {
        return;
    }
    // A flat valley has no direction: what is as deep a thousandth beside it.
    let flat = [best - 2e-3, best + 2e-3].iter().any(|&beside| depth(beside) < least + 1e-7);
    let way = DVec3::new(libm_cos(best), 0.0, libm_cos(best - std::f64::consts::FRAC_PI_2));
    let off = (found.normal.as_dvec3() - way).length();
    assert!(flat || off < 1e-3, "{way} is the way, by {off}: {found:?} of {body:?}");
}

/// The lowest place of a function with one valley between two bounds, and its value there.
fn valley(low: f64, high: f64, value: &impl Fn(f64) -> f64) -> (f64, f64) {
    let (mut low, mut high) = (low, high);
    for _ in 0..60 {
        let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if value(a) < value(b) {
            high = b;
        } else {
            low = a;
        }
    }
    let at = (low + high) * 0.5;
    (at, value(at))
}

/// The cosine of an angle in radians, by the module that turns angles.
fn libm_cos(radians: f64) -> f64 {
    marchland_terrain::math::angle::cos_degrees(radians * 180.0 / std::f64::consts::PI)
}

fn check_sweep(scene: &Scene, all: &[Triangle], body: Cylinder, feet: Vec3, motion: Vec3) {
    let solids = scene.view().solids(ALL_LAYERS).with_seams(Seams::Raw);
    let found = solids.sweep(body, scene.at(feet), motion).unwrap();
    let way = motion.as_dvec3();
    let (thin, fat) = (grown(body, -SLACK), grown(body, SLACK));
    let time = match found {
        Sweep::Overlapping(_) => return,
        Sweep::Hit(hit) => hit.time,
        Sweep::Free => 1.0,
    };
    for triangle in all {
        let corners = triangle.from(feet);
        let from_behind = triangle.solid && triangle.normal().dot(way) >= 0.0;
        if from_behind || is_far(&corners, &thin, way) {
            continue;
        }
        let nearest = least_of(0.0, time, |t| excess_moved(&corners, thin, way * t));
        let name = triangle.id;
        assert!(nearest >= 0.0, "{name:?} is met before {found:?}: {body:?} at {feet} by {motion}");
    }
    if let Sweep::Hit(hit) = found {
        let touches = |t: &Triangle| {
            let corners = t.from(feet);
            !is_far(&corners, &fat, way) && excess_moved(&corners, fat, way * time) <= 0.0
        };
        assert!(all.iter().any(touches), "nothing is at {hit:?}: {body:?} at {feet} by {motion}");
        assert!(hit.normal.as_dvec3().dot(way) < 0.0, "{hit:?} by {motion}");
        assert!((hit.normal.length() - 1.0).abs() < 1e-6, "{hit:?}");
    }
}

fn check(cases: u64, seed: u64) {
    let mut random = Random::new(seed);
    let per_scene = 200;
    for scene in 0..cases.div_ceil(per_scene) {
        let scene = clutter(seed.wrapping_mul(1000) + scene);
        let all = all_triangles(&scene);
        for _ in 0..per_scene {
            let body = body(&mut random);
            let feet = random.vector(3.0);
            check_support(&scene, &all, body, feet);
            check_overlap(&scene, &all, body, feet);
            check_sweep(&scene, &all, body, feet, random.vector(4.0));
        }
    }
}

#[test]
fn answers_are_those_of_every_triangle_looked_at() {
    check(4_000, 1);
}

#[test]
#[ignore = "takes a quarter of an hour: .ci/deep queries"]
fn answers_are_those_of_every_triangle_looked_at_a_million_times() {
    for seed in 2..102 {
        check(10_000, seed);
        println!("{} of 1000000", (seed - 1) * 10_000);
    }
}
