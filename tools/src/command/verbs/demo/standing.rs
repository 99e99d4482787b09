//! The props of the demo world, drawn as seen from above: roofs and crowns lit from the north-west,
//! with their shadows.

use marchland_terrain::glam::Vec3;
use marchland_terrain::math::{greater, lesser};
use marchland_terrain::props::{LiveProps, LoadedMesh, Placement};
use marchland_terrain::store::World;
use marchland_terrain::{MeshHash, MeshView, SectorState};
use marchland_worlds::demo_props::{KINDS, Kind, Look};

use super::march::fault;
use crate::command::failure::Failure;
use crate::command::render::{Canvas, MapRect, Rgb};

/// Sample points along a side of a pixel.
const FINE: usize = 4;
/// Direction of the light: east, up and south, as for relief.
const LIGHT: Vec3 = Vec3::new(-0.52, 0.60, -0.61);
/// Darkness of shadows, and their length for a metre of height: shorter than the light implies, so that
/// streets stay bright.
const SHADOW: f32 = 0.42;
const SHADOW_LENGTH: f32 = 0.45;
const SHADOW_COLOUR: Rgb = [22, 26, 40];
/// The colour of platforms.
pub(super) const PLATFORM_COLOUR: Rgb = [255, 196, 0];
/// The colour of rocks.
pub(super) const ROCK_COLOUR: Rgb = [150, 146, 140];

/// The kind of each mesh, by its hash.
pub(super) struct Looks(Vec<(MeshHash, Kind)>);

impl Looks {
    /// Identifies the demo's meshes.
    ///
    /// # Errors
    /// If one cannot be prepared, which is a fault of this project.
    pub(super) fn new() -> Result<Self, Failure> {
        let input = marchland_worlds::demo_props::props().map_err(|error| fault(&error))?;
        let hash = |mesh: &marchland_terrain::props::PreparedMesh| {
            LoadedMesh::new(mesh.encode()).map(|mesh| mesh.hash()).map_err(|error| fault(&error))
        };
        let hashes = input.meshes.iter().map(hash).collect::<Result<Vec<_>, _>>()?;
        Ok(Self(hashes.into_iter().zip(KINDS.iter().copied()).collect()))
    }

    fn of(&self, hash: MeshHash) -> Option<Kind> {
        self.0.iter().find(|(other, _)| *other == hash).map(|&(_, kind)| kind)
    }
}

/// The number of props that the legend names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PropCounts {
    /// Houses of all kinds.
    pub(super) houses: u64,
    /// Trees of all kinds.
    pub(super) trees: u64,
    /// Rocks of all kinds.
    pub(super) rocks: u64,
}

/// A prop to draw.
struct DrawnProp<'a> {
    origin: [f64; 2],
    placement: Placement,
    mesh: MeshView<'a>,
    look: Look,
    /// Lighter or darker than others of its kind, −1 to 1.
    tint: f32,
}

/// Draws all props of the sectors in memory on a map of `rect`: first every shadow, then every prop.
/// Returns how many the world has.
pub(super) fn draw_standing(
    map: &mut Canvas,
    rect: MapRect,
    world: &World,
    looks: &Looks,
) -> PropCounts {
    let view = world.view();
    let side = f64::from(world.info().facts.grid.sector_size().metres());
    let mut counted = PropCounts::default();
    let mut drawn = Vec::new();
    for &coord in world.resident().resident() {
        let SectorState::Resident(sector) = view.sector(coord) else { continue };
        let props = sector.props();
        for record in (0..props.len()).map(|at| props.record(at)) {
            // A prop that reaches into several sectors is drawn with the one that owns it.
            let (true, Some(kind)) = (record.sector == coord, looks.of(props.mesh_hash(&record)))
            else {
                continue;
            };
            counted.add(kind);
            drawn.push(DrawnProp {
                origin: [
                    f64::from(coord.x) * side + f64::from(record.position.x),
                    f64::from(coord.z) * side + f64::from(record.position.z),
                ],
                placement: record.placement,
                mesh: props.mesh(&record),
                look: kind.look(),
                tint: (record.index.wrapping_mul(0x9e37_79b1) >> 24) as f32 / 127.5 - 1.0,
            });
        }
    }
    let mut pen = Pen { map, rect, points: Vec::new() };
    drawn.iter().for_each(|prop| pen.shadow(prop));
    drawn.iter().for_each(|prop| pen.prop(prop));
    counted
}

/// Draws platforms on a map of `rect`, at their current places.
pub(super) fn draw_platforms(map: &mut Canvas, rect: MapRect, live: &LiveProps) {
    let mut pen = Pen { map, rect, points: Vec::new() };
    for prop in live.iter() {
        let [x, _, z] = prop.position().to_metres(live.sector_size());
        pen.prop(&DrawnProp {
            origin: [x, z],
            placement: prop.placement(),
            mesh: prop.mesh(),
            look: Look::Built(PLATFORM_COLOUR),
            tint: 0.0,
        });
    }
}

impl PropCounts {
    fn add(&mut self, kind: Kind) {
        let of = match (kind, kind.look()) {
            (_, Look::Tree(_)) => &mut self.trees,
            (_, Look::Rock) => &mut self.rocks,
            (
                Kind::Cottage | Kind::House | Kind::LongHouse | Kind::TownHouse | Kind::Hall,
                Look::Built(_),
            ) => &mut self.houses,
            _ => return,
        };
        *of += 1;
    }
}

/// What lies at a point of the map: its height and brightness.
#[derive(Clone, Copy)]
struct Point {
    height: f32,
    light: f32,
}

const NOTHING: Point = Point { height: f32::NEG_INFINITY, light: 0.0 };

struct Pen<'a> {
    map: &'a mut Canvas,
    rect: MapRect,
    /// Points of one prop's box of pixels, reused for the next.
    points: Vec<Point>,
}

/// A box of pixels around one prop.
#[derive(Clone, Copy)]
struct Frame {
    x: i64,
    y: i64,
    columns: usize,
    rows: usize,
}

impl Pen<'_> {
    fn shadow(&mut self, prop: &DrawnProp<'_>) {
        let lean = |corner: Vec3| {
            let up = SHADOW_LENGTH * corner.y;
            let [x, z] = [corner.x - LIGHT.x / LIGHT.y * up, corner.z - LIGHT.z / LIGHT.y * up];
            Vec3::new(x, corner.y, z)
        };
        let Some(frame) = self.fill(prop, lean) else { return };
        self.paint(frame, |_| SHADOW_COLOUR, SHADOW);
    }

    fn prop(&mut self, prop: &DrawnProp<'_>) {
        let Some(frame) = self.fill(prop, |corner| corner) else { return };
        let (colour, opacity) = match prop.look {
            Look::Built(colour) => (colour, 1.0),
            Look::Tree(colour) => (colour, 0.94),
            Look::Rock => (ROCK_COLOUR, 0.9),
        };
        let tint = 1.0 + 0.09 * prop.tint;
        let lit = |light: f32| {
            colour.map(|channel| {
                let bright = f32::from(channel) * light * tint;
                if bright < 255.0 { bright as u8 } else { 255 }
            })
        };
        self.paint(frame, lit, opacity);
    }

    /// Finds what lies at the points under a prop, after `bend` has moved its corners. `None` if the prop is
    /// outside the map.
    fn fill(&mut self, prop: &DrawnProp<'_>, bend: impl Fn(Vec3) -> Vec3) -> Option<Frame> {
        let scale = self.rect.scale(self.map);
        let placer = prop.placement.placer();
        let place = |corner: Vec3| {
            let corner = bend(placer.place(corner));
            let [x, y] = self.rect.pixel(scale, prop.origin, corner);
            [x, y, f64::from(corner.y)]
        };
        let triangles: Vec<[[f64; 3]; 3]> =
            (0..prop.mesh.triangles()).map(|at| prop.mesh.triangle(at).map(place)).collect();
        let frame = self.frame(triangles.as_flattened())?;
        self.points.clear();
        self.points.resize(frame.columns * frame.rows * FINE * FINE, NOTHING);
        for triangle in &triangles {
            draw_triangle(&mut self.points, frame, *triangle, scale[0]);
        }
        Some(frame)
    }

    fn frame(&self, corners: &[[f64; 3]]) -> Option<Frame> {
        let most = [self.map.width(), self.map.height()];
        let range = |axis: usize| {
            let along = corners.iter().map(|corner| corner[axis]);
            let low = along.clone().fold(f64::INFINITY, |a, b| lesser(b, a));
            let high = along.fold(f64::NEG_INFINITY, |a, b| greater(b, a));
            let begin = (low.floor() as i64).max(0);
            let end = (high.floor() as i64 + 1).min(i64::from(most[axis]));
            (begin < end).then(|| (begin, (end - begin) as usize))
        };
        let ((x, columns), (y, rows)) = (range(0)?, range(1)?);
        Some(Frame { x, y, columns, rows })
    }

    fn paint(&mut self, frame: Frame, colour: impl Fn(f32) -> Rgb, opacity: f32) {
        for row in 0..frame.rows {
            for column in 0..frame.columns {
                let points = (0..FINE * FINE).map(|point| {
                    let (x, y) = (column * FINE + point % FINE, row * FINE + point / FINE);
                    self.points[y * frame.columns * FINE + x]
                });
                let (mut light, mut covered) = (0.0, 0.0);
                for point in points.filter(|point| point.height > f32::NEG_INFINITY) {
                    light += point.light;
                    covered += 1.0;
                }
                if covered > 0.0 {
                    let part = covered / (FINE * FINE) as f32;
                    let (x, y) = (frame.x + column as i64, frame.y + row as i64);
                    self.map.blend(x, y, colour(light / covered), opacity * part);
                }
            }
        }
    }
}

/// Draws a triangle into points, where nothing higher was drawn. `scale` is pixels for each metre.
fn draw_triangle(points: &mut [Point], frame: Frame, corners: [[f64; 3]; 3], scale: f64) {
    let fine = FINE as f64;
    let [a, b, c] = corners.map(|[x, y, height]| {
        [(x - frame.x as f64) * fine - 0.5, (y - frame.y as f64) * fine - 0.5, height]
    });
    let (ab, ac) = ([b[0] - a[0], b[1] - a[1]], [c[0] - a[0], c[1] - a[1]]);
    let area = ab[0] * ac[1] - ab[1] * ac[0];
    // Seen from above, upward faces turn this way; the others are hidden below them.
    if area >= 0.0 {
        return;
    }
    let metre = scale * fine;
    let slope = |axis: usize| {
        let (b_up, c_up) = (b[2] - a[2], c[2] - a[2]);
        let other = 1 - axis;
        let sign = if axis == 0 { 1.0 } else { -1.0 };
        (sign * (b_up * ac[other] - c_up * ab[other]) / area * metre) as f32
    };
    let normal = Vec3::new(-slope(0), 1.0, -slope(1)).normalize();
    let light = 0.52 + 0.8 * greater(normal.dot(LIGHT), 0.0);
    let columns = frame.columns * FINE;
    let rows = points.len() / columns;
    let span = |axis: usize, most: usize| {
        let low = [b[axis], c[axis]].into_iter().fold(a[axis], |m, x| lesser(x, m));
        let high = [b[axis], c[axis]].into_iter().fold(a[axis], |m, x| greater(x, m));
        let end = high.floor() + 1.0;
        (low.ceil() as usize)..(if end > 0.0 { end as usize } else { 0 }).min(most)
    };
    for row in span(1, rows) {
        for column in span(0, columns) {
            let (x, y) = (column as f64 - a[0], row as f64 - a[1]);
            let (v, w) = ((x * ac[1] - y * ac[0]) / area, (ab[0] * y - ab[1] * x) / area);
            let height = (a[2] + v * (b[2] - a[2]) + w * (c[2] - a[2])) as f32;
            let point = &mut points[row * columns + column];
            if v >= 0.0 && w >= 0.0 && v + w <= 1.0 && height > point.height {
                *point = Point { height, light };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use marchland_terrain::math::Rotation;
    use marchland_terrain::props::PreparedMesh;

    use super::*;

    const GROUND: Rgb = [100; 3];
    const RED: Look = Look::Built([200, 40, 40]);

    /// A map of 40 × 30 m at 2 pixels a metre with a house of 8 × 10 m, turned by `degrees`.
    fn drawn(origin: [f64; 2], degrees: f64, shadow: bool) -> Canvas {
        let (prepared, _) = PreparedMesh::new(&Kind::House.source()).unwrap();
        let mesh = LoadedMesh::new(prepared.encode()).unwrap();
        let placement = Placement::new(Rotation::from_degrees([0.0, degrees, 0.0]), 1.0).unwrap();
        let prop = DrawnProp { origin, placement, mesh: mesh.view(), look: RED, tint: 0.0 };
        let mut map = Canvas::new(80, 60, GROUND);
        let rect = MapRect { x0: -20.0, z0: -15.0, x1: 20.0, z1: 15.0 };
        let mut pen = Pen { map: &mut map, rect, points: Vec::new() };
        if shadow {
            pen.shadow(&prop);
        }
        pen.prop(&prop);
        map
    }

    fn painted(map: &Canvas) -> usize {
        let places = (0..60).flat_map(|y| (0..80).map(move |x| (x, y)));
        places.filter(|&(x, y)| map.get(x, y) != GROUND).count()
    }

    #[test]
    fn a_roof_is_bright_where_it_looks_to_the_light_and_covers_its_extent() {
        let map = drawn([0.0, 0.0], 0.0, false);
        // 8.8 × 10.8 m with its eaves, at 2 pixels a metre; pixels that it only touches count.
        assert_eq!(painted(&map), 18 * 22);
        // The ridge runs along Z: its west side is lit, its east side is not.
        assert!(map.get(34, 30)[0] > map.get(45, 30)[0] + 60, "{:?}", map.get(34, 30));
        // Turned by a quarter, the north side is.
        let turned = drawn([0.0, 0.0], 90.0, false);
        assert!(turned.get(40, 24)[0] > turned.get(40, 35)[0] + 60);
        assert_ne!(turned.get(30, 30), GROUND, "longer from west to east");
    }

    #[test]
    fn shadows_fall_away_from_the_light() {
        let (map, bare) = (drawn([0.0, 0.0], 0.0, true), drawn([0.0, 0.0], 0.0, false));
        assert!(map.get(51, 40)[0] < GROUND[0] - 20, "east and south: {:?}", map.get(51, 40));
        assert_eq!(map.get(28, 20), GROUND, "west and north");
        assert_eq!(map.get(40, 30), bare.get(40, 30), "under the roof no shadow shows");
    }

    #[test]
    fn what_lies_beside_the_map_is_cut_off() {
        assert_eq!(painted(&drawn([60.0, 0.0], 0.0, true)), 0);
        assert_eq!(painted(&drawn([0.0, f64::NAN], 0.0, true)), 0);
        let cut = painted(&drawn([20.0, 0.0], 0.0, false));
        assert_eq!(cut, 9 * 22, "half of it");
    }

    #[test]
    fn every_kind_is_found_by_the_hash_of_its_mesh_alone() {
        let looks = Looks::new().unwrap();
        assert_eq!(looks.0.len(), KINDS.len());
        for (at, (hash, kind)) in looks.0.iter().enumerate() {
            assert_eq!(looks.of(*hash), Some(*kind));
            assert!(looks.0[..at].iter().all(|(other, _)| other != hash), "{}", kind.name());
        }
        assert_eq!(looks.of(MeshHash(7)), None);
    }
}
