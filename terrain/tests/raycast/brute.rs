//! All triangles of a scene, asked one by one: plane, then barycentric coordinates, in `f64`.

use marchland_terrain::math::lesser;
use marchland_terrain::{CellKind, RayHit, Raycast, SectorState};

use crate::scene::Scene;

type Point = [f64; 3];

/// Within this a ray may pass either side of an edge. Barycentric, so in parts of a cell.
const EDGE: f64 = 1e-9;

/// Far enough before and after a crossing to see on which side the ray is. Metres.
const ASIDE: f64 = 1e-4;

struct Triangle {
    corners: [Point; 3],
    /// Least and greatest `[x, z]`, with room.
    low: [f64; 2],
    high: [f64; 2],
}

/// A triangle in the way.
struct Touch {
    t: f64,
    /// How exactly `t` is known, beyond the usual.
    blur: f64,
    /// A ray that passes here without a hit, passes the ground.
    certain: bool,
    normal: Point,
}

pub(crate) struct Brute {
    triangles: Vec<Triangle>,
    /// Corners of the cells that are ground, by column and row from the scene's low corner.
    cells: Vec<Option<[f64; 4]>>,
    cells_along: i32,
    cell: f64,
    half: f64,
}

impl Brute {
    pub(crate) fn new(scene: &Scene) -> Self {
        let view = scene.sectors.view();
        let per_sector = scene.grid.cells() as i32;
        let cells_along = per_sector * scene.along;
        let (cell, half) = (f64::from(scene.grid.cell()), scene.extent() * 0.5);
        let mut cells = Vec::new();
        for row in 0..cells_along {
            for column in 0..cells_along {
                let around = scene.along / 2;
                let sector =
                    scene.middle.offset(column / per_sector - around, row / per_sector - around);
                let SectorState::Resident(sector) = view.sector(sector.unwrap()) else {
                    cells.push(None);
                    continue;
                };
                let (column, row) = (column % per_sector, row % per_sector);
                let solid = sector.field().cell_kind(column, row) == CellKind::Solid;
                let corners = sector.field().corners(column as u32, row as u32).map(f64::from);
                cells.push(solid.then_some(corners));
            }
        }
        let mut brute = Self { triangles: Vec::new(), cells, cells_along, cell, half };
        for row in 0..cells_along {
            for column in 0..cells_along {
                let Some([nw, ne, sw, se]) = brute.cells[(row * cells_along + column) as usize]
                else {
                    continue;
                };
                let (x, z) = (f64::from(column) * cell - half, f64::from(row) * cell - half);
                let (low, high) = ([x - 1e-3, z - 1e-3], [x + cell + 1e-3, z + cell + 1e-3]);
                let (nw, ne) = ([x, nw, z], [x + cell, ne, z]);
                let (sw, se) = ([x, sw, z + cell], [x + cell, se, z + cell]);
                brute.triangles.push(Triangle { corners: [nw, se, ne], low, high });
                brute.triangles.push(Triangle { corners: [nw, sw, se], low, high });
            }
        }
        brute
    }

    /// Height above the ground at a place; nothing unless all cells that touch it are ground.
    fn above(&self, [x, y, z]: Point) -> Option<f64> {
        let place = |metres: f64| (metres + self.half) / self.cell;
        let (across, down) = (place(x), place(z));
        let mut above = None;
        for near_z in [-1e-7, 1e-7] {
            for near_x in [-1e-7, 1e-7] {
                let (column, row) = ((across + near_x).floor(), (down + near_z).floor());
                let along = f64::from(self.cells_along);
                if !(0.0 <= column && column < along && 0.0 <= row && row < along) {
                    return None;
                }
                let [nw, ne, sw, se] = self.cells[(row * along + column) as usize]?;
                let (u, v) = (across - column, down - row);
                above = Some(if u >= v {
                    y - (nw + (ne - nw) * u + (se - ne) * v)
                } else {
                    y - (nw + (sw - nw) * v + (se - sw) * u)
                });
            }
        }
        above
    }

    fn touches(&self, from: Point, towards: Point, max: f64) -> Vec<Touch> {
        let at = |t: f64| [0, 1, 2].map(|axis| from[axis] + towards[axis] * t);
        let mut touches = Vec::new();
        for Triangle { corners: [p, q, r], low, high } in &self.triangles {
            if !passes_box(from, towards, *low, *high) {
                continue;
            }
            let (side, other) = (minus(*q, *p), minus(*r, *p));
            let area = cross(side, other);
            let size = dot(area, area).sqrt();
            let normal = area.map(|part| part / size);
            let closing = dot(normal, towards);
            let apart = dot(normal, minus(*p, from));
            if closing.abs() < 1e-10 {
                if apart.abs() < 1e-7 {
                    // In the plane itself: touched all along, or nowhere. Nothing is certain.
                    touches.push(Touch { t: 0.0, blur: f64::INFINITY, certain: false, normal });
                }
                continue;
            }
            let t = apart / closing;
            let blur = 1e-11 / closing.abs();
            let point = minus(at(t), *p);
            let second = dot(cross(point, other), area) / (size * size);
            let third = dot(cross(side, point), area) / (size * size);
            let margin =
                [second, third, 1.0 - second - third].into_iter().fold(f64::INFINITY, lesser);
            let edge = EDGE + blur;
            let tolerance = tolerance(t) + blur;
            if margin < -edge || t < -tolerance || t > max + tolerance {
                continue;
            }
            let within = t > tolerance && t < max - tolerance;
            let crosses = || {
                let sides = (self.above(at(t - ASIDE)), self.above(at(t + ASIDE)));
                t > ASIDE
                    && self.above(at(t)).is_some()
                    && matches!(sides, (Some(a), Some(b)) if a.abs() > EDGE && b.abs() > EDGE && a * b < 0.0)
            };
            let certain = within && (margin > edge || crosses());
            touches.push(Touch { t, blur, certain, normal });
        }
        touches
    }

    /// Whether an answer is right; otherwise what is wrong. `known` is how far the world is known.
    pub(crate) fn judge(
        &self,
        from: Point,
        towards: Point,
        max: f64,
        known: f64,
        answer: Raycast,
    ) -> Result<(), String> {
        let length = dot(towards, towards).sqrt();
        let towards = towards.map(|part| part / length);
        let reach = lesser(known, max);
        let touches = self.touches(from, towards, reach);
        let first = touches
            .iter()
            .filter(|touch| touch.certain)
            .map(|touch| touch.t)
            .fold(f64::INFINITY, lesser);
        match answer {
            Raycast::Hit(hit) => judge_hit(&touches, first, towards, hit),
            Raycast::Miss if known < max - tolerance(max) => {
                Err(format!("a miss, but the world is known up to {known} only"))
            }
            Raycast::Miss if first < f64::INFINITY => Err(format!("a miss, but hits at {first}")),
            Raycast::Miss => Ok(()),
            Raycast::Unknown { from } if (f64::from(from) - known).abs() > tolerance(known) => {
                Err(format!("unknown from {from}, known up to {known}"))
            }
            Raycast::Unknown { .. } if first < known => Err(format!("unknown, hits at {first}")),
            Raycast::Unknown { .. } => Ok(()),
        }
    }
}

fn judge_hit(touches: &[Touch], first: f64, towards: Point, hit: RayHit) -> Result<(), String> {
    let t = f64::from(hit.distance);
    if first < t - 2.0 * ASIDE {
        return Err(format!("hits at {t}, but before at {first}"));
    }
    let normal = hit.normal.to_array().map(f64::from);
    let fits = |touch: &&Touch| (touch.t - t).abs() <= tolerance(t) + touch.blur;
    if !touches.iter().any(|touch| fits(&touch)) {
        return Err(format!("hits at {t}, where nothing is"));
    }
    let same = |touch: &Touch| (0..3).all(|axis| (touch.normal[axis] - normal[axis]).abs() < 1e-5);
    if !touches.iter().filter(fits).any(same) {
        return Err(format!("normal {normal:?} is of no face at {t}"));
    }
    // At a vertex or an edge a ray may come from above by one face and from below by another, and at
    // a rim from neither.
    let facing = |touch: &Touch| dot(touch.normal, towards);
    let agrees = |touch: &Touch| {
        !touch.certain || facing(touch).abs() < 1e-6 || hit.from_below == (facing(touch) > 0.0)
    };
    if !touches.iter().filter(fits).any(agrees) {
        return Err(format!("from below is {}, normal {normal:?}", hit.from_below));
    }
    Ok(())
}

/// How near two distances must be. Metres.
pub(crate) fn tolerance(t: f64) -> f64 {
    1e-6 * (1.0 + t.abs())
}

/// Whether the ray's line on the map comes into a rectangle: only so as not to wait for the rest.
fn passes_box(from: Point, towards: Point, low: [f64; 2], high: [f64; 2]) -> bool {
    let across = |x: f64, z: f64| (x - from[0]) * towards[2] - (z - from[2]) * towards[0];
    let sides = [(low[0], low[1]), (high[0], low[1]), (low[0], high[1]), (high[0], high[1])]
        .map(|(x, z)| across(x, z));
    let vertical = towards[0] == 0.0 && towards[2] == 0.0;
    !vertical && sides.iter().any(|&side| side >= 0.0) && sides.iter().any(|&side| side <= 0.0)
        || vertical
            && (low[0]..=high[0]).contains(&from[0])
            && (low[1]..=high[1]).contains(&from[2])
}

fn minus(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
