//! The outlines of props on a map: the area that each covers, seen from above.
//!
//! A prop of a few pixels is drawn triangle by triangle, a smaller one as its bounding box, one of
//! about a pixel as a dot. Detail that would not be visible is not drawn.

use marchland_terrain::MeshView;
use marchland_terrain::glam::Vec3;
use marchland_terrain::math::{Aabb, greater, lesser};
use marchland_terrain::props::Placement;

use super::canvas::{Canvas, Rgb};
use super::heights::MapRect;

/// The colour of what props cover.
pub const PROP_FILL: Rgb = [150, 58, 44];
/// The colour of their outlines, and of dots.
pub const PROP_LINE: Rgb = [72, 24, 22];

/// A prop with a longer side of fewer pixels is a dot.
const DOT_PIXELS: f64 = 1.5;
/// A prop with a longer side of fewer pixels is a box.
const BOX_PIXELS: f64 = 8.0;
/// A prop with a longer side of fewer pixels has no outline.
const LINE_PIXELS: f64 = 14.0;
/// Sample points along a side of a pixel, so that thin walls show.
const FINE: i64 = 3;

/// A prop on a map.
#[derive(Clone, Copy, Debug)]
pub struct Footprint<'a> {
    /// Its origin, metres along X and Z from the centre of sector (0, 0).
    pub origin: [f64; 2],
    /// Its rotation and scale.
    pub placement: Placement,
    /// Its mesh.
    pub mesh: MeshView<'a>,
}

/// Draws footprints on a map that shows `rect`.
#[derive(Debug)]
pub struct FootprintPen<'a> {
    map: &'a mut Canvas,
    rect: MapRect,
    /// Pixels for each metre along X and along Z.
    scale: [f64; 2],
    /// The covered part of a footprint's box of pixels, reused from one to the next.
    covered: Vec<bool>,
}

impl<'a> FootprintPen<'a> {
    /// A pen for a map.
    pub fn new(map: &'a mut Canvas, rect: MapRect) -> Self {
        Self { rect, scale: rect.scale(map), map, covered: Vec::new() }
    }

    /// Draws a footprint. Has no effect if it lies outside the map.
    pub fn draw(&mut self, prop: &Footprint<'_>) {
        let bounds = prop.mesh.bounds();
        let placed = prop.placement.placed_bounds(&bounds);
        let (rect, scale) = (self.rect, self.scale);
        let pixel = |from_origin: Vec3| rect.pixel(scale, prop.origin, from_origin);
        let (low, high) = (pixel(placed.min), pixel(placed.max));
        let (width, height) = (high[0] - low[0], high[1] - low[1]);
        let longer = greater(width, height);
        // NaN counts as outside.
        let is_seen = high[0] >= 0.0
            && high[1] >= 0.0
            && low[0] < f64::from(self.map.width())
            && low[1] < f64::from(self.map.height());
        if !is_seen {
            return;
        }
        if longer < DOT_PIXELS {
            let (x, y) = ((low[0] + high[0]) * 0.5, (low[1] + high[1]) * 0.5);
            self.map.blend(x.floor() as i64, y.floor() as i64, PROP_LINE, 0.8);
            return;
        }
        let mut mask = Mask::new(low, high, self.map, &mut self.covered);
        let placer = prop.placement.placer();
        let place = |vertex| pixel(placer.place(vertex));
        if longer < BOX_PIXELS {
            faces(&bounds).for_each(|face| mask.fill(face.map(place)));
        } else {
            for index in 0..prop.mesh.triangles() {
                mask.fill(prop.mesh.triangle(index).map(place));
            }
        }
        mask.paint(self.map, longer >= LINE_PIXELS);
    }
}

/// The twelve triangles of a box.
fn faces(bounds: &Aabb) -> impl Iterator<Item = [Vec3; 3]> {
    const SIDES: [[u8; 4]; 6] =
        [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]];
    let (low, high) = (bounds.min, bounds.max);
    let corner = move |bits: u8| {
        Vec3::new(
            if bits & 1 == 0 { low.x } else { high.x },
            if bits & 2 == 0 { low.y } else { high.y },
            if bits & 4 == 0 { low.z } else { high.z },
        )
    };
    SIDES.into_iter().flat_map(move |[a, b, c, d]| [[a, b, c], [a, c, d]].map(|t| t.map(corner)))
}

/// The covered points of a box of pixels, [`FINE`] along a side of each pixel. A rim of a pixel
/// around the footprint stays free.
struct Mask<'a> {
    x: i64,
    y: i64,
    width: i64,
    height: i64,
    covered: &'a mut Vec<bool>,
}

impl<'a> Mask<'a> {
    /// The mask of a footprint, as far as it lies on the map.
    fn new(low: [f64; 2], high: [f64; 2], map: &Canvas, covered: &'a mut Vec<bool>) -> Self {
        let begin = |metres: f64| (metres.floor() as i64 - 1).max(-1);
        let end = |metres: f64, most: u32| (metres.floor() as i64 + 2).min(i64::from(most) + 1);
        let (x, y) = (begin(low[0]), begin(low[1]));
        let width = (end(high[0], map.width()) - x).max(0);
        let height = (end(high[1], map.height()) - y).max(0);
        covered.clear();
        covered.resize((width * height * FINE * FINE) as usize, false);
        Self { x, y, width, height, covered }
    }

    /// Covers the points inside a triangle.
    fn fill(&mut self, corners: [[f64; 2]; 3]) {
        let fine = FINE as f64;
        let [a, b, c] = corners
            .map(|[x, y]| [(x - self.x as f64) * fine - 0.5, (y - self.y as f64) * fine - 0.5]);
        let (columns, rows) = (self.width * FINE, self.height * FINE);
        let ys = [a[1], b[1], c[1]];
        let first = ys.into_iter().fold(f64::INFINITY, |least, y| lesser(y, least));
        let last = ys.into_iter().fold(f64::NEG_INFINITY, |most, y| greater(y, most));
        for row in (first.ceil() as i64).max(0)..=(last.floor() as i64).min(rows - 1) {
            let Some([left, right]) = crossed([a, b, c], row as f64) else { continue };
            let left = (left.ceil() as i64).max(0);
            let right = (right.floor() as i64).min(columns - 1);
            for column in left..=right {
                self.covered[(row * columns + column) as usize] = true;
            }
        }
    }

    /// How much of a pixel is covered, 0 to 1.
    fn part(&self, column: i64, row: i64) -> f32 {
        if column < 0 || row < 0 || column >= self.width || row >= self.height {
            return 0.0;
        }
        let points = (0..FINE * FINE).filter(|point| {
            let (x, y) = (column * FINE + point % FINE, row * FINE + point / FINE);
            self.covered[(y * self.width * FINE + x) as usize]
        });
        points.count() as f32 / (FINE * FINE) as f32
    }

    fn paint(&self, map: &mut Canvas, outlined: bool) {
        for row in 0..self.height {
            for column in 0..self.width {
                let part = self.part(column, row);
                if part == 0.0 {
                    continue;
                }
                let beside = [(-1, 0), (1, 0), (0, -1), (0, 1)];
                // Half a pixel or more counts as inside, so that slanted sides also have an outline.
                let is_rim = beside.iter().any(|(x, y)| self.part(column + x, row + y) < 0.5);
                let colour = if outlined && is_rim { PROP_LINE } else { PROP_FILL };
                map.blend(self.x + column, self.y + row, colour, part * 0.85);
            }
        }
    }
}

/// Where a row crosses a triangle: its least and greatest `x`; `None` if the row does not cross it.
fn crossed(corners: [[f64; 2]; 3], y: f64) -> Option<[f64; 2]> {
    let mut span: Option<[f64; 2]> = None;
    for (from, to) in [(0, 1), (1, 2), (2, 0)] {
        let ([ax, ay], [bx, by]) = (corners[from], corners[to]);
        if (ay <= y && y <= by) || (by <= y && y <= ay) {
            let ends =
                if ay == by { [ax, bx] } else { [ax + (bx - ax) * ((y - ay) / (by - ay)); 2] };
            for x in ends {
                let [least, most] = span.unwrap_or([x, x]);
                span = Some([lesser(x, least), greater(x, most)]);
            }
        }
    }
    span
}

#[cfg(test)]
mod tests {
    use marchland_terrain::math::Rotation;
    use marchland_terrain::props::{LoadedMesh, MeshSource, PreparedMesh};

    use super::*;

    const PAPER: Rgb = [255; 3];

    /// Two slabs with a gap between them, 4 m wide, the gap from −1 m to 1 m along Z.
    fn gate() -> LoadedMesh {
        let slab = |z0: f32, z1: f32| {
            [[-2.0, z0], [2.0, z0], [2.0, z1], [-2.0, z1]].map(|[x, z]| Vec3::new(x, 1.0, z))
        };
        let vertices = [slab(-3.0, -1.0), slab(1.0, 3.0)].concat();
        let triangles = vec![[0, 2, 1], [0, 3, 2], [4, 6, 5], [4, 7, 6]];
        let (mesh, _) = PreparedMesh::new(&MeshSource { vertices, triangles }).unwrap();
        LoadedMesh::new(mesh.encode()).unwrap()
    }

    /// A map of 100 × 50 pixels from (−10, −5) on, with a gate at a place.
    fn drawn(pixels_per_metre: f64, origin: [f64; 2], degrees: f64) -> Canvas {
        let mut map = Canvas::new(100, 50, PAPER);
        let (x0, z0) = (-10.0, -5.0);
        let (x1, z1) = (x0 + 100.0 / pixels_per_metre, z0 + 50.0 / pixels_per_metre);
        let placement = Placement::new(Rotation::from_degrees([0.0, degrees, 0.0]), 1.0).unwrap();
        let mesh = gate();
        let rect = MapRect { x0, z0, x1, z1 };
        FootprintPen::new(&mut map, rect).draw(&Footprint { origin, placement, mesh: mesh.view() });
        map
    }

    fn painted(map: &Canvas) -> Vec<(i64, i64)> {
        let places = (0..50).flat_map(|y| (0..100).map(move |x| (x, y)));
        places.filter(|&(x, y)| map.get(x, y) != PAPER).collect()
    }

    #[test]
    fn a_footprint_shows_what_is_covered_and_what_is_not() {
        let map = drawn(5.0, [0.0, 0.0], 0.0);
        // 4 × 2 m of 5 pixels a metre, twice.
        assert_eq!(painted(&map).len(), 2 * 20 * 10);
        assert_eq!(map.get(50, 25), PAPER, "the gap");
        assert_ne!(map.get(50, 15), map.get(50, 10), "the outline differs from the inside");
        // A quarter turn changes its sides.
        let turned = drawn(5.0, [0.0, 0.0], 90.0);
        assert_ne!(turned.get(40, 25), PAPER);
        assert_eq!(turned.get(50, 15), PAPER);
    }

    #[test]
    fn small_ones_are_boxes_and_smaller_ones_dots() {
        let boxed = painted(&drawn(1.0, [10.0, 10.0], 0.0));
        assert_eq!(boxed.len(), 4 * 6, "the gap is not seen");
        assert_eq!(painted(&drawn(0.2, [10.0, 10.0], 0.0)), [(4, 3)]);
    }

    #[test]
    fn what_lies_beside_the_map_is_cut_off() {
        assert!(painted(&drawn(5.0, [30.0, 0.0], 0.0)).is_empty());
        assert!(painted(&drawn(5.0, [f64::NAN, 0.0], 0.0)).is_empty());
        let cut = painted(&drawn(5.0, [10.0, 0.0], 0.0));
        assert_eq!(cut.len(), 2 * 10 * 10, "half of it");
        assert_eq!(painted(&drawn(5.0, [-10.0, -5.0], 0.0)).len(), 10 * 10, "a quarter");
        assert_eq!(painted(&drawn(0.2, [-14.0, 0.0], 0.0)).len(), 0, "a dot");
    }

    #[test]
    fn thin_walls_are_seen() {
        let vertices = [[0.0, 0.0], [8.0, 0.0], [8.0, 0.1], [0.0, 0.1]];
        let vertices = vertices.map(|[x, z]| Vec3::new(x, 0.0, z)).to_vec();
        let triangles = vec![[0, 2, 1], [0, 3, 2]];
        let (mesh, _) = PreparedMesh::new(&MeshSource { vertices, triangles }).unwrap();
        let mesh = LoadedMesh::new(mesh.encode()).unwrap();
        let rect = MapRect { x0: 0.0, z0: 0.0, x1: 20.0, z1: 10.0 };
        for offset in [0.0, 0.03, 0.06, 0.11, 0.17] {
            let mut map = Canvas::new(100, 50, PAPER);
            let prop = Footprint {
                origin: [3.0, 3.0 + offset],
                placement: Placement::IDENTITY,
                mesh: mesh.view(),
            };
            FootprintPen::new(&mut map, rect).draw(&prop);
            assert!(painted(&map).len() >= 40, "{offset}");
        }
    }
}
