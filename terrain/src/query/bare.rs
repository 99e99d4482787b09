//! Where there is certainly no prop: boxes that no triangle touches.

use glam::{DVec3, Vec3};

use super::each_triangle::each_triangle;
use super::gather::Gathered;
use super::inside::is_inside;
use super::region::Region;
use super::visit::{Facet, Source, Visit};
use crate::math::{Aabb, SectorCoord, greater, lesser};
use crate::view::TerrainView;

impl TerrainView<'_> {
    /// A box that contains `within`, touches no triangle of a prop of these layers, and lies in no closed
    /// prop. Boxes are metres from the centre of a sector. It is at least `within`, and at most `more` metres
    /// larger on each side; 0 if `more` is negative or not a number.
    ///
    /// `None` if there is no such box, if not all of that is in memory, or if `within` is empty or reaches
    /// further than a region [grows](Region::grown). Whether there is such a box does not depend on `more`,
    /// as long as all of it is in memory.
    #[doc(hidden)]
    #[must_use]
    pub fn bare_around(
        self,
        sector: SectorCoord,
        within: &Aabb,
        mask: u32,
        more: f32,
    ) -> Option<Aabb> {
        let need = all_of_box(sector, within)?;
        let bare = need.grown(f64::from(greater(more, 0.0)));
        let mut search =
            BareSearch { view: self, need, bare, source: None, is_found: false, is_tight: false };
        each_triangle(self, (mask, &[]), &bare, &mut search).ok()?;
        search.result()
    }
}

impl Region {
    /// The region of a whole box, metres from the centre of a sector: along X and Z as far as a region
    /// [grows](Self::grown), along Y as far as finite numbers reach.
    #[must_use]
    pub fn of_box(sector: SectorCoord, within: &Aabb) -> Self {
        let (min, max) = (within.min.as_dvec3(), within.max.as_dvec3());
        Self { sector, min, max, motion: DVec3::ZERO }.ended()
    }
}

/// The region of a whole box. `None` if the box has no size, or a region cannot be so large.
fn all_of_box(sector: SectorCoord, within: &Aabb) -> Option<Region> {
    let region = Region::of_box(sector, within);
    let (min, max) = (within.min.as_dvec3(), within.max.as_dvec3());
    let is_whole = |axis: usize| region.min[axis] == min[axis] && region.max[axis] == max[axis];
    (min.cmple(max).all() && is_whole(0) && is_whole(2)).then_some(region)
}

impl Gathered {
    /// Whether a whole region has been gathered, and the box around it is bare.
    #[doc(hidden)]
    #[must_use]
    pub fn is_bare(&self, view: TerrainView<'_>, region: &Region) -> bool {
        let (min, max) = region.bounds();
        let need = Region { min, max, motion: DVec3::ZERO, ..*region };
        self.search(view, need, need).is_some()
    }

    /// Like [`TerrainView::bare_around`], using what this view has gathered in the same layers, as far as
    /// that reaches. Also `None` if not all of the region has been gathered.
    #[doc(hidden)]
    #[must_use]
    pub fn bare_within(
        &self,
        view: TerrainView<'_>,
        sector: SectorCoord,
        within: &Aabb,
    ) -> Option<Aabb> {
        let need = all_of_box(sector, within)?;
        if !self.covers(view, &need) {
            return None;
        }
        // Most have something in the needed part, which is small.
        self.search(view, need, need)?;
        self.search(view, need, self.gathered_from(sector).unwrap_or(need))
    }

    fn search(&self, view: TerrainView<'_>, need: Region, bare: Region) -> Option<Aabb> {
        let mut search =
            BareSearch { view, need, bare, source: None, is_found: false, is_tight: false };
        self.hand_out(view, &[], &bare, &mut search).then(|| search.result()).flatten()
    }
}

/// The same point, rounded up.
fn above(place: DVec3) -> Vec3 {
    Vec3::from(place.to_array().map(|exact| {
        let near = exact as f32;
        if f64::from(near) < exact { near.next_up() } else { near }
    }))
}

/// Cuts a box back where there are triangles, as long as the needed part remains.
struct BareSearch<'a> {
    view: TerrainView<'a>,
    need: Region,
    bare: Region,
    /// The closed prop that may contain all of it.
    source: Option<Source>,
    /// Whether something is in the needed part.
    is_found: bool,
    /// Whether something is so near the needed part that nothing more is known to be bare.
    is_tight: bool,
}

impl BareSearch<'_> {
    /// The result, when everything has been handed out.
    fn result(mut self) -> Option<Aabb> {
        self.finish();
        let Region { min, max, .. } = if self.is_tight { self.need } else { self.bare };
        (!self.is_found).then(|| Aabb { min: above(min), max: -above(-max) })
    }

    /// Checks whether a source without a triangle in the needed part contains all of it.
    fn finish(&mut self) {
        let Some(source) = self.source.take().filter(|source| source.solid && !self.is_found)
        else {
            return;
        };
        let (middle, _) = self.need.middle_and_half();
        self.is_found = is_inside(self.view, &source, middle);
    }

    /// Cuts off the part with a box, on the side where most remains. Returns whether that is possible.
    fn cut(&mut self, low: DVec3, high: DVec3) -> bool {
        let (need, bare) = (&self.need, &mut self.bare);
        let apart = low.cmpgt(bare.max) | high.cmplt(bare.min);
        if apart.any() {
            return true;
        }
        // The clearance of each of its sides from the needed part: below it, and above it.
        let (below, above) = (need.min - high, low - need.max);
        let (mut most, mut side) = (0.0, None);
        for axis in 0..3 {
            for (room, is_below) in [(below[axis], true), (above[axis], false)] {
                if room > most {
                    (most, side) = (room, Some((axis, is_below)));
                }
            }
        }
        match side {
            Some((axis, true)) => bare.min[axis] = high[axis],
            Some((axis, false)) => bare.max[axis] = low[axis],
            None => return false,
        }
        true
    }
}

impl Visit for BareSearch<'_> {
    fn asks_ground(&self) -> bool {
        false
    }

    fn source(&mut self, source: &Source) -> bool {
        self.finish();
        self.source = Some(*source);
        !self.is_found
    }

    fn facet(&mut self, source: &Source, facet: &Facet) {
        if self.is_found {
            return;
        }
        let origin = source.origin;
        let around = Aabb::around(facet.corners);
        let (low, high) = (around.min.as_dvec3(), around.max.as_dvec3());
        if self.cut(origin + low, origin + high) {
            return;
        }
        let (middle, half) = ((self.need.min + self.need.max) * 0.5, self.need.max - self.need.min);
        if is_in_box(facet.seen_from(origin - middle), half * 0.5) {
            self.is_found = true;
        } else {
            self.is_tight = true;
        }
    }
}

/// How deep a triangle is at least in a box that it counts as being in. Metres: more than rounding, so that a
/// search for what touches the box finds it.
const DEEP: f64 = 1e-9;

/// Whether a triangle is in a box of these half sizes around the origin: no axis separates them. The axes of
/// the box, the normal, and the cross products of an edge of each are all that need to be tested.
fn is_in_box(corners: [DVec3; 3], half: DVec3) -> bool {
    let [a, b, c] = corners;
    let edges = [b - a, c - b, a - c];
    let parts = |axis: DVec3| {
        let [a, b, c] = corners.map(|corner| corner.dot(axis));
        let (low, high) = (lesser(a, b), greater(b, a));
        let (low, high) = (lesser(c, low), greater(c, high));
        let size = axis.abs();
        let extent = half.dot(size) - DEEP * (size.x + size.y + size.z);
        low > extent || high < -extent
    };
    let sides = [DVec3::X, DVec3::Y, DVec3::Z];
    let mut crossed = edges.iter().flat_map(|edge| sides.map(|side| edge.cross(side)));
    !(sides.iter().any(|side| parts(*side))
        || parts(edges[0].cross(edges[1]))
        || crossed.any(parts))
}
