//! The props near a body: their triangles, and the inside of those that are closed solids.

use std::ops::Range;

use marchland_reference::{least, most};
use marchland_terrain::glam::{DVec2, DVec3, Vec3};
use marchland_terrain::math::Aabb;
use marchland_terrain::props::{Collision, LivePropRef, MeshView, Placement, PropRecord};
use marchland_terrain::{PropId, SectorCoord, SectorState, TerrainView};

use super::cylinder::{
    Fill, Triangle, UprightCylinder, depth, distance_to_stretch, low_and_high, sides, within,
};
use super::ground::sectors_between;
use super::verdict::{Culprit, Verdict};

/// Boxes of queries are larger by this margin. Metres.
const SPARE: f64 = 0.01;

/// Where an axis passes through the surface of a solid: heights, and +1 on the way in, seen from below.
type Crossings = Vec<(f64, i32)>;

/// A prop at its place.
struct StandingProp<'a> {
    id: PropId,
    mesh: MeshView<'a>,
    placement: Placement,
    /// Its origin, metres from the centre of the cylinder's lower end.
    origin: DVec3,
    is_solid: bool,
}

/// Judges bodies against props; keeps memory between them.
#[derive(Clone, Debug, Default)]
pub(super) struct PropJudge {
    /// Baked props already judged: several sectors may list one.
    seen: Vec<PropId>,
    /// Where the axis of a body passes through a solid.
    crossings: Crossings,
}

impl PropJudge {
    /// Judges a cylinder against the props of a mask; `base` is the centre of its lower end, metres from
    /// the centre of `sector`. Plainly: by every prop of the sectors around and every live prop, with all of
    /// their triangles.
    pub(super) fn judge<'a>(
        &mut self,
        view: TerrainView<'a>,
        (sector, base): (SectorCoord, DVec3),
        upper: UprightCylinder,
        mask: u32,
        is_plain: bool,
        verdict: &mut Verdict,
    ) {
        if !(upper.height > 0.0 && upper.radius > 0.0) {
            return;
        }
        let side = DVec3::new(upper.radius + SPARE, SPARE, upper.radius + SPARE);
        let (low, high) = (base - side, base + side + DVec3::Y * upper.height);
        let around = DVec3::new(1.0, 0.0, 1.0) * f64::from(view.grid().sector_size().metres());
        let (from, to) = if is_plain { (base - around, base + around) } else { (low, high) };
        let judge_by = if is_plain { StandingProp::judge_all } else { StandingProp::judge };
        let Self { seen, crossings } = self;
        seen.clear();
        for (coord, centre) in sectors_between(view, sector, from, to) {
            let SectorState::Resident(resident) = view.sector(coord) else { continue };
            let props = resident.props();
            let mut judge = |range: Range<u32>| {
                for record in range.map(|at| props.record(at)) {
                    if record.layers & mask == 0 || seen.contains(&record.id()) {
                        continue;
                    }
                    seen.push(record.id());
                    let standing =
                        StandingProp::baked(view, &record, props.mesh(&record), sector, base);
                    judge_by(&standing, upper, crossings, verdict);
                }
            };
            if is_plain {
                judge(0..props.len());
                continue;
            }
            let region = Aabb {
                min: (low - centre).as_vec3() - Vec3::splat(SPARE as f32),
                max: (high - centre).as_vec3() + Vec3::splat(SPARE as f32),
            };
            props.in_box(&region, judge);
        }
        let Some(live) = view.live() else { return };
        let judge = |prop: LivePropRef<'a>| {
            if prop.layers() & mask != 0 {
                let standing = StandingProp::live(&prop, sector, base);
                judge_by(&standing, upper, crossings, verdict);
            }
        };
        if is_plain {
            live.iter().for_each(judge);
        } else {
            live.in_box(sector, low, high, judge);
        }
    }
}

impl<'a> StandingProp<'a> {
    fn baked(
        view: TerrainView<'_>,
        record: &PropRecord,
        mesh: MeshView<'a>,
        sector: SectorCoord,
        base: DVec3,
    ) -> Self {
        let side = f64::from(view.grid().sector_size().metres());
        let sectors = |to: i32, from: i32| f64::from(to) - f64::from(from);
        let (x, z) = (sectors(record.sector.x, sector.x), sectors(record.sector.z, sector.z));
        Self {
            id: record.id(),
            mesh,
            placement: record.placement,
            origin: DVec3::new(x * side, 0.0, z * side) + record.position.as_dvec3() - base,
            is_solid: record.collision == Collision::Solid,
        }
    }

    fn live(prop: &LivePropRef<'a>, sector: SectorCoord, base: DVec3) -> Self {
        Self {
            id: prop.id(),
            mesh: prop.mesh(),
            placement: prop.placement(),
            origin: prop.origin_from(sector) - base,
            is_solid: prop.collision() == Collision::Solid,
        }
    }

    /// Judges by all of the prop's triangles, wherever they are.
    fn judge_all(&self, upper: UprightCylinder, crossings: &mut Crossings, verdict: &mut Verdict) {
        crossings.clear();
        for triangle in 0..self.mesh.triangles() {
            let corners = self.corners(triangle);
            let is_beside = |along: [f64; 3]| {
                along.iter().all(|&at| at > upper.radius)
                    || along.iter().all(|&at| at < -upper.radius)
            };
            if !is_beside(corners.map(|at| at.x)) && !is_beside(corners.map(|at| at.z)) {
                self.judge_triangle(triangle, &corners, upper, crossings, verdict);
            }
        }
        self.judge_inside(upper, crossings, verdict);
    }

    fn judge(&self, upper: UprightCylinder, crossings: &mut Crossings, verdict: &mut Verdict) {
        let bounds = self.placement.placed_bounds(&self.mesh.bounds());
        let (bottom, top) = (f64::from(bounds.min.y), f64::from(bounds.max.y));
        if top + self.origin.y <= 0.0 || bottom + self.origin.y >= upper.height {
            return;
        }
        // The whole height of the prop: the axis is followed through the whole solid.
        let side = (upper.radius + SPARE) as f32;
        let middle = -self.origin.as_vec3();
        let column = Aabb {
            min: Vec3::new(middle.x - side, bounds.min.y - side, middle.z - side),
            max: Vec3::new(middle.x + side, bounds.max.y + side, middle.z + side),
        };
        crossings.clear();
        self.mesh.in_box(&self.placement.unplaced(&column), |range| {
            for triangle in range {
                self.judge_triangle(triangle, &self.corners(triangle), upper, crossings, verdict);
            }
        });
        self.judge_inside(upper, crossings, verdict);
    }

    fn judge_triangle(
        &self,
        triangle: u32,
        corners: &Triangle,
        upper: UprightCylinder,
        crossings: &mut Crossings,
        verdict: &mut Verdict,
    ) {
        let (low, high) = low_and_high(corners);
        if high > 0.0 && low < upper.height {
            let depth = depth(corners, Fill::Sheet, upper, verdict.depth);
            let culprit = Culprit::Prop { prop: self.id, triangle: Some(triangle) };
            verdict.consider(depth, culprit);
        }
        if self.is_solid {
            crossings.extend(crossing(corners));
        }
    }

    /// Judges the segments of the axis within the solid.
    fn judge_inside(
        &self,
        upper: UprightCylinder,
        crossings: &mut Crossings,
        verdict: &mut Verdict,
    ) {
        crossings.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let (mut winding, mut entered) = (0, f64::INFINITY);
        for &(height, turn) in crossings.iter() {
            let before = winding;
            winding += turn;
            if before <= 0 && winding > 0 {
                entered = height;
            } else if before > 0 && winding <= 0 && height > 0.0 && entered < upper.height {
                let (up, down) = (height, upper.height - entered);
                let middle = 0.5 * (most(entered, 0.0) + least(height, upper.height));
                let sideways = self.level_distance(middle) + upper.radius;
                let culprit = Culprit::Prop { prop: self.id, triangle: None };
                verdict.consider(least(least(up, down), sideways), culprit);
            }
        }
    }

    /// The corners of a triangle, metres from the centre of the cylinder's lower end.
    fn corners(&self, triangle: u32) -> Triangle {
        let placer = self.placement.placer();
        self.mesh.triangle(triangle).map(|corner| placer.place(corner).as_dvec3() + self.origin)
    }

    /// The distance of the axis from the surface at one height. Metres.
    fn level_distance(&self, height: f64) -> f64 {
        let triangles = (0..self.mesh.triangles()).map(|triangle| self.corners(triangle));
        triangles.map(|corners| level_distance(&corners, height)).fold(f64::INFINITY, least)
    }
}

/// Where the line x = z = 0 passes through a triangle: its height, and +1 if it enters the solid behind
/// it on the way up. A line through a side shared by two triangles passes through exactly one of them:
/// each side is intersected with its ends in a fixed order, and only its lower end belongs to it.
fn crossing(corners: &Triangle) -> Option<(f64, i32)> {
    let mut is_inside = false;
    for (from, to) in sides(corners) {
        if (from.z > 0.0) != (to.z > 0.0) {
            let (low, high) = if from.z < to.z { (from, to) } else { (to, from) };
            is_inside ^= low.x + (high.x - low.x) * (-low.z / (high.z - low.z)) > 0.0;
        }
    }
    let [a, b, c] = *corners;
    let normal = (b - a).cross(c - a);
    if !is_inside || normal.y == 0.0 {
        return None;
    }
    let (low, high) = low_and_high(corners);
    let height = a.y + (a.x * normal.x + a.z * normal.z) / normal.y;
    let height = within(height, low, high);
    Some((height, if normal.y < 0.0 { 1 } else { -1 }))
}

/// The distance of the axis from a triangle at one height. Metres; infinite if the triangle is not at that
/// height.
fn level_distance(corners: &Triangle, height: f64) -> f64 {
    let mut cuts = [DVec2::ZERO; 2];
    let mut count = 0;
    for (from, to) in sides(corners) {
        if (from.y > height) != (to.y > height) {
            let cut = from.lerp(to, (height - from.y) / (to.y - from.y));
            cuts[count] = DVec2::new(cut.x, cut.z);
            count += 1; // two sides or none
        }
    }
    if count == 2 { distance_to_stretch(cuts[0], cuts[1]) } else { f64::INFINITY }
}
