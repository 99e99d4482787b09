//! Visits every prop whose box touches a region: baked ones, then live ones.
//!
//! A prop is known to every sector that it reaches, so a region across a border finds it more than once. It
//! is handed out in the first of the region's sectors that knows it.

use std::ops::{ControlFlow, Range};

use glam::DVec3;

use super::region::{Region, SectorRegion};
use super::sectors::Sectors;
use super::types::PropMotion;
use super::visit::{Source, SourceId};
use crate::heightfield::SurfaceId;
use crate::math::{Aabb, SectorCoord, between, greater, lesser, outward, pairs};
use crate::props::{
    Collision, LivePropRef, MeshView, Placement, PosedProp, PropRecord, SectorProps,
};
use crate::resident::SectorState;
use crate::view::TerrainView;

/// How much the box around a prop is widened when the sectors that know it are searched. Metres: more than
/// rounding may move it over a border.
const BORDER_MARGIN: f64 = 1e-3;

/// A placed mesh near a region.
pub(super) struct NearProp<'a> {
    pub(super) mesh: MeshView<'a>,
    pub(super) placement: Placement,
    pub(super) surface: SurfaceId,
    pub(super) source: Source,
    /// Whether it has moved in the last tick.
    pub(super) has_moved: bool,
}

/// Calls `visit` with the props of the layers of `mask` that may touch a region, as far as its sectors are resident.
/// `visit` returns the part of the region's motion that is still of interest, at first `until`; less than 0 ends it.
/// Returns what is of interest in the end.
pub(super) fn each_prop(
    view: TerrainView<'_>,
    mask: u32,
    (sectors, mut until): (&Sectors<'_, '_>, f64),
    visit: &mut impl FnMut(&NearProp<'_>) -> f64,
) -> f64 {
    let _ = sectors.each(|here, state| {
        if let SectorState::Resident(sector) = state {
            let (props, is_only) = (sector.props(), sectors.is_one());
            until = BakedProps { view, mask, props, here, is_only }.each(until, visit);
        }
        if until < 0.0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    each_live_prop(view, mask, (sectors.region, until), visit)
}

/// The baked props that a sector knows.
struct BakedProps<'a, 'r> {
    view: TerrainView<'a>,
    mask: u32,
    props: SectorProps<'a>,
    here: &'r SectorRegion<'r>,
    /// Whether the region reaches no other sector.
    is_only: bool,
}

impl BakedProps<'_, '_> {
    /// Calls `visit` with those near the region, except those that an earlier sector of it handed out.
    fn each(&self, mut until: f64, visit: &mut impl FnMut(&NearProp<'_>) -> f64) -> f64 {
        let SectorRegion { region, shift, low, high, .. } = *self.here;
        if self.props.is_empty() {
            return until;
        }
        if region.motion == DVec3::ZERO {
            self.props.any_in_box(&outward(low, high), |range| {
                until = self.of_range(range, until, visit);
                until < 0.0
            });
            return until;
        }
        let (middle, half) = region.middle_and_half();
        let put = |range, until| self.of_range(range, until, visit);
        self.props.nearest(middle - shift, region.motion, half, until, put)
    }

    /// The same of a range of them. Returns what is still of interest.
    fn of_range(
        &self,
        range: Range<u32>,
        mut until: f64,
        visit: &mut impl FnMut(&NearProp<'_>) -> f64,
    ) -> f64 {
        let Self { view, mask, props, here, is_only } = self;
        let (region, size) = (here.region, view.grid().sector_size());
        let (min, max) = region.bounds();
        for at in range {
            let record = props.record(at);
            if !record.is_met_by(*mask) {
                continue;
            }
            let (mesh, placement) = (props.mesh(&record), record.placement);
            let origin = record.origin_from(region.sector, size);
            let bounds = mesh.bounds();
            if !placement.may_touch(&bounds, min - origin, max - origin) {
                continue;
            }
            let bounds = placement.placed_bounds(&bounds);
            let (low, high) = (origin + bounds.min.as_dvec3(), origin + bounds.max.as_dvec3());
            if !touches(region, low, high)
                || !is_only && is_known_before(*view, here, &record, (low, high))
            {
                continue;
            }
            let source = Source {
                id: SourceId::Baked { id: record.id(), known_to: here.coord, at },
                origin,
                solid: record.collision == Collision::Solid,
                moving: PropMotion::default(),
                bounds,
            };
            let surface = record.surface;
            until = visit(&NearProp { mesh, placement, surface, source, has_moved: false });
            if until < 0.0 {
                break;
            }
        }
        until
    }
}

/// Whether one of the region's sectors before this one knows a prop whose box is `low` to `high`. Only sectors
/// that the box reaches, and the sector of its origin, can know it.
fn is_known_before(
    view: TerrainView<'_>,
    here: &SectorRegion<'_>,
    record: &PropRecord,
    (low, high): (DVec3, DVec3),
) -> bool {
    let (region, size, home) = (here.region, view.grid().sector_size(), record.sector);
    let is_earlier = |other: SectorCoord| (other.z, other.x) < (here.coord.z, here.coord.x);
    let knows = |earlier: &SectorRegion<'_>| {
        let SectorState::Resident(sector) = view.sector(earlier.coord) else { return false };
        // Only the part of the box in the region: a wide prop then does not visit all props of the sector.
        let low = pairs(low - earlier.shift, earlier.low, greater);
        let near = outward(low, pairs(high - earlier.shift, earlier.high, lesser));
        knows(sector.props(), record, &near)
    };
    let search = |earlier: &SectorRegion<'_>| {
        let is_known = is_earlier(earlier.coord) && knows(earlier);
        if is_known { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let margin = DVec3::splat(BORDER_MARGIN);
    if region.each_sector_in((low - margin, high + margin), size, search).is_break() {
        return true;
    }
    // The sector of the origin may lie beside the box.
    let side = f64::from(size.metres());
    let centre = between(region.sector, home, size);
    let half = DVec3::new(side * 0.5 - BORDER_MARGIN, 0.0, side * 0.5 - BORDER_MARGIN);
    is_earlier(home)
        && region
            .each_sector_in((centre - half, centre + half), size, |at| {
                if at.coord == home { search(at) } else { ControlFlow::Continue(()) }
            })
            .is_break()
}

/// Whether a sector knows a prop that touches a box in the sector's frame.
fn knows(props: SectorProps<'_>, record: &PropRecord, near: &Aabb) -> bool {
    props.any_in_box(near, |mut range| range.any(|at| props.record(at).id() == record.id()))
}

/// Like [`each_prop`] for the props that were added at run time.
pub(super) fn each_live_prop(
    view: TerrainView<'_>,
    mask: u32,
    (region, mut until): (&Region, f64),
    visit: &mut impl FnMut(&NearProp<'_>) -> f64,
) -> f64 {
    let Some(props) = view.live().filter(|_| until >= 0.0) else { return until };
    let mut put = |prop: LivePropRef<'_>| {
        if until >= 0.0 && prop.is_met_by(mask) {
            let at = (prop.placement(), prop.origin_from(region.sector), prop.bounds());
            let near = live_prop(&prop, SourceId::Live(prop.id()), at, region);
            until = near.map_or(until, |near| visit(&near));
        }
        until
    };
    if region.motion == DVec3::ZERO {
        let ends = |prop: LivePropRef<'_>| put(prop) < 0.0;
        props.any_in_box(region.sector, region.min, region.max, ends);
    } else {
        let (middle, half) = region.middle_and_half();
        props.along_until(region.sector, middle, region.motion, half, &mut put);
    }
    until
}

/// A live prop at a moment of its way, if it is near a region then.
pub(super) fn posed_prop<'a>(posed: &'a PosedProp<'_>, region: &Region) -> Option<NearProp<'a>> {
    let (prop, placement) = (posed.prop(), posed.placement());
    let id = SourceId::Posed { id: prop.id(), placement };
    let at = (placement, posed.origin_from(region.sector), posed.bounds());
    live_prop(&prop, id, at, region)
}

/// A live prop placed at an origin, with a box around it from there, if that touches a region.
fn live_prop<'a>(
    prop: &LivePropRef<'a>,
    id: SourceId,
    (placement, origin, bounds): (Placement, DVec3, Aabb),
    region: &Region,
) -> Option<NearProp<'a>> {
    let (low, high) = (origin + bounds.min.as_dvec3(), origin + bounds.max.as_dvec3());
    if !touches(region, low, high) {
        return None;
    }
    let source = Source {
        id,
        origin,
        solid: prop.collision() == Collision::Solid,
        moving: PropMotion { linear: prop.linear_velocity(), angular: prop.angular_velocity() },
        bounds,
    };
    let has_moved = prop.before() != (prop.position(), prop.placement());
    Some(NearProp { mesh: prop.mesh(), placement, surface: prop.surface(), source, has_moved })
}

/// Whether a box, metres from the centre of the region's sector, touches the region. May return true too
/// often.
#[inline]
fn touches(region: &Region, low: DVec3, high: DVec3) -> bool {
    let (min, max) = region.bounds();
    if !(low.cmple(max).all() && high.cmpge(min).all()) {
        return false;
    }
    if region.motion == DVec3::ZERO {
        return true;
    }
    // The moving box against the box at rest: for each axis the times at which they overlap.
    let (mut from, mut to) = (0.0, 1.0);
    for axis in 0..3 {
        let motion = region.motion[axis];
        if motion == 0.0 {
            continue;
        }
        let a = (low[axis] - region.max[axis]) / motion;
        let b = (high[axis] - region.min[axis]) / motion;
        let (first, last) = if a < b { (a, b) } else { (b, a) };
        from = greater(first - 1e-9, from);
        to = lesser(last + 1e-9, to);
    }
    from <= to
}
