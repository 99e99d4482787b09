//! Level motion: whatever triangles a convex prism is made of, it is one wall, and a disc meets its outline.

use marchland_terrain::SectorCoord;
use marchland_terrain::glam::{DVec2, Vec3};
use marchland_terrain::kernel::{Gathered, LevelBody, LevelImpact, Walls};
use marchland_terrain::math::{greater, lesser};
use marchland_terrain::props::MeshSource;
use marchland_terrain::query::{ALL_LAYERS, Cylinder, Region, Solids};

use super::scene::{Random, Scene, Vectors, loaded};

/// A body with its knees at 0.3 m, and a skin of a centimetre.
pub(crate) const BODY: LevelBody = LevelBody {
    body: Cylinder { radius: 0.4, height: 1.8 },
    skin: 0.01,
    margin: 2e-4,
    head: 1.7995,
    low: 0.3,
    upright: 0.64,
};

/// The corners of a convex outline around the origin, on a circle of a metre.
fn outline(corners: usize, random: &mut Random) -> Vec<DVec2> {
    let turn = random.part();
    let part = |at: usize| (at as f64 + turn) / corners as f64 * std::f64::consts::TAU;
    (0..corners).map(|at| DVec2::from_angle(part(at))).collect()
}

/// An upright prism of 3 m over an outline, its sides cut into `along` × `up` quads with diagonals either way.
fn prism(outline: &[DVec2], [along, up]: [u32; 2], random: &mut Random) -> MeshSource {
    let count = outline.len() as u32 * along;
    let mut mesh = MeshSource::default();
    for level in 0..=up {
        for (at, from) in outline.iter().enumerate() {
            let to = outline[(at + 1) % outline.len()];
            for part in 0..along {
                let place = from.lerp(to, f64::from(part) / f64::from(along));
                let y = 3.0 * level as f32 / up as f32;
                mesh.vertices.push(Vec3::new(place.x as f32, y, place.y as f32));
            }
        }
    }
    for level in 0..up {
        for at in 0..count {
            let next = (at + 1) % count;
            let [a, b] = [at, next].map(|at| level * count + at);
            let [c, d] = [b + count, a + count];
            let halves =
                if random.below(2) == 0 { [[a, c, b], [a, d, c]] } else { [[a, d, b], [b, d, c]] };
            mesh.triangles.extend(halves);
        }
    }
    let (top, ends) = (up * count, mesh.vertices.len() as u32);
    mesh.vertices.extend([Vec3::ZERO, Vec3::Y * 3.0]);
    for at in 0..count {
        let next = (at + 1) % count;
        mesh.triangles.extend([[ends, next, at], [ends + 1, top + at, top + next]]);
    }
    // From x to z is clockwise seen from above.
    mesh.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
    mesh
}

/// How far an outline is from a place outside it, and the way from it to there.
fn beside(outline: &[DVec2], place: DVec2) -> (f64, DVec2) {
    let edges = outline.iter().zip(outline.iter().cycle().skip(1));
    let near = edges.map(|(from, to)| {
        let along = *to - *from;
        let part = (place - *from).dot(along) / along.length_squared();
        let part = lesser(greater(part, 0.0), 1.0);
        place - (*from + along * part)
    });
    let nearest = near.reduce(|a, b| if b.length_squared() < a.length_squared() { b } else { a });
    let way = nearest.expect("an outline has edges");
    (way.length(), way.normalize())
}

/// Props are placed on a lattice of a few millionths.
const PLACED: f64 = 4e-6;

fn walls_at(solids: &Solids<'_>, scene: &Scene, at: Vec3) -> Walls {
    let mut walls = Walls::new();
    solids.level_walls(&BODY, scene.at(at), &mut walls).unwrap();
    walls
}

#[test]
fn a_prism_of_any_triangles_is_one_wall() {
    let mut random = Random::new(41);
    let mut met = 0;
    for round in 0..60 {
        let mut scene = Scene::without_ground(SectorCoord::new(3, -2));
        let outline = outline(3 + round % 4, &mut random);
        let parts = [[1, 1], [5, 3], [2, 7]][round % 3];
        let middle = Vec3::new(6.5, 0.0, -7.0); // over a corner of sectors
        let mesh = prism(&outline, parts, &mut random);
        assert!(loaded(&mesh).view().is_closed());
        scene.put(&mesh, middle, [0.0; 3]);
        let solids = scene.view().solids(ALL_LAYERS);
        for _ in 0..60 {
            let way = DVec2::from_angle(random.part() * std::f64::consts::TAU);
            let off = way * random.between(0.5, 1.6);
            let (distance, normal) = beside(&outline, off);
            let inside = outline
                .iter()
                .zip(outline.iter().cycle().skip(1))
                .all(|(from, to)| (*to - *from).perp_dot(off - *from) > 0.0);
            if inside || distance < 0.05 || (distance - 0.4102).abs() < 1e-4 {
                continue;
            }
            let at = middle + Vec3::new(off.x as f32, random.within(-0.2, 0.9), off.y as f32);
            let walls = walls_at(&solids, &scene, at);
            let walls = walls.as_slice();
            if distance > 0.4102 {
                assert_eq!(walls.len(), 0, "{distance}: {walls:?}");
                continue;
            }
            met += 1;
            assert_eq!(walls.len(), 1, "{walls:?} at {off}, outline {outline:?}");
            assert!((walls[0].distance - distance).abs() < PLACED, "{distance} {walls:?}");
            assert!(walls[0].normal.dot(normal) > 1.0 - 1e-9, "{normal} {walls:?}");
        }
    }
    assert!(met > 600, "{met}");
}

#[test]
fn a_disc_meets_a_prism_where_it_meets_its_outline() {
    let mut random = Random::new(42);
    let (mut hits, mut misses) = (0, 0);
    for round in 0..60 {
        let mut scene = Scene::without_ground(SectorCoord::new(3, -2));
        let outline = outline(3 + round % 4, &mut random);
        let middle = Vec3::new(-1.0, 0.0, 2.0);
        scene.put(&prism(&outline, [[1, 1], [4, 3]][round % 2], &mut random), middle, [0.0; 3]);
        let solids = scene.view().solids(ALL_LAYERS);
        for _ in 0..60 {
            let from =
                DVec2::from_angle(random.part() * std::f64::consts::TAU) * random.between(1.5, 3.0);
            let begin = middle + Vec3::new(from.x as f32, 0.25, from.y as f32);
            let from = (begin - middle).as_dvec3();
            let from = DVec2::new(from.x, from.z);
            if beside(&outline, from).0 < 0.42 {
                continue;
            }
            let motion = DVec2::new(random.between(-3.0, 3.0), random.between(-3.0, 3.0));
            let hit = solids.sweep_level(&BODY, scene.at(begin), motion, BODY.envelope()).unwrap();
            let distance = |time: f64| beside(&outline, from + motion * time).0;
            match hit {
                Some(LevelImpact { time, normal, .. }) => {
                    hits += 1;
                    let (there, out) = beside(&outline, from + motion * time);
                    assert!((there - 0.41).abs() < PLACED, "{there}");
                    assert!(normal.dot(out) > 1.0 - 1e-4 && normal.dot(motion) < 0.0);
                    assert!(
                        (0..20).all(|part| distance(time * f64::from(part) / 20.0) > 0.41 - PLACED)
                    );
                }
                None => {
                    misses += 1;
                    assert!(
                        (0..=400).all(|part| distance(f64::from(part) / 400.0) > 0.41 - PLACED)
                    );
                }
            }
        }
    }
    assert!(hits > 400 && misses > 400, "{hits} {misses}");
}

/// Of a prism over a part of the disc: no wall in the skin above the head, nor in so little of the head as rounding
/// makes up, up to which things count then.
#[test]
fn what_is_in_a_head_by_rounding_is_no_wall() {
    let mut random = Random::new(45);
    let outline = outline(4, &mut random);
    for (above, counts) in [(0.02, 1.81), (0.005, 1.8), (-3e-4, 1.7995), (-1e-3, 1.7995)] {
        let mut scene = Scene::without_ground(SectorCoord::new(3, -2));
        scene.put(&prism(&outline, [1, 1], &mut random), Vec3::new(0.0, 1.8, 0.0), [0.0; 3]);
        let solids = scene.view().solids(ALL_LAYERS);
        let (from, to) = (outline[0], outline[1]);
        let off = 0.5 * (from + to) + 0.2 * (from - to).perp().normalize();
        let walls = walls_at(&solids, &scene, Vec3::new(off.x as f32, -above, off.y as f32));
        let count = usize::from(above < -5e-4);
        assert_eq!(walls.as_slice().len(), count, "{above}: {:?}", walls.as_slice());
        let high = walls.envelope().height;
        assert!(count == 1 || (high - counts).abs() < 1e-6, "{above}: {high}");
    }
}

#[test]
fn the_order_of_triangles_and_what_is_gathered_make_no_difference() {
    let mut random = Random::new(43);
    let mut met = 0;
    for _ in 0..30 {
        let soup = MeshSource {
            vertices: (0..120).map(|_| random.vector(2.0)).collect(),
            triangles: (0..40).map(|at| [at * 3, at * 3 + 1, at * 3 + 2]).collect(),
        };
        let mut turned = soup.clone();
        turned.triangles.reverse();
        turned.triangles.iter_mut().step_by(3).for_each(|triangle| triangle.rotate_left(1));
        let place = |soup: &MeshSource| {
            let mut scene = Scene::without_ground(SectorCoord::new(0, 1));
            scene.put(soup, Vec3::ZERO, [0.0, 30.0, 0.0]);
            scene
        };
        let (scene, other) = (place(&soup), place(&turned));
        let mut gathered = Gathered::with_capacity(1024);
        for _ in 0..40 {
            let at = random.vector(2.5).with_y(-0.5);
            let motion = DVec2::new(random.between(-2.0, 2.0), random.between(-2.0, 2.0));
            let ask = |solids: Solids<'_>, scene: &Scene| {
                let walls = walls_at(&solids, scene, at);
                let hit =
                    solids.sweep_level(&BODY, scene.at(at), motion, walls.envelope()).unwrap();
                let walls: Vec<_> =
                    walls.as_slice().iter().map(|wall| (wall.distance, wall.normal)).collect();
                (walls, hit.map(|hit| (hit.time, hit.normal)))
            };
            let plain = ask(scene.view().solids(ALL_LAYERS), &scene);
            met += plain.0.len();
            assert_eq!(ask(other.view().solids(ALL_LAYERS), &other), plain);
            let wide = Cylinder { radius: 4.0, height: 4.0 };
            let region = Region::around(wide, scene.at(at - Vec3::Y), 1.0).unwrap();
            let solids = scene.view().gather(&region, ALL_LAYERS, &mut gathered).unwrap();
            assert_eq!(ask(solids, &scene), plain);
        }
    }
    assert!(met > 1000, "{met}");
}
