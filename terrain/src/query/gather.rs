//! The triangles of a region, gathered once for many queries.
//!
//! ```text
//! sources   one after the other ┬ box, and where its facets and its boxes are
//! facets    ┊ a a a a a a a a a a ┊ b b b ┊
//! boxes     ┊ 8 lanes ┊ 2 lanes   ┊ 3     ┊   eight to a row; a row belongs to one source
//! outlines  ┊ as boxes                    ┊   the corners, seen from above
//! groups    ┊ 2 lanes             ┊ 1     ┊   boxes around rows, eight to a group
//! faces     ┊ what several facets are part of
//! ```
//!
//! Boxes are tested eight at a time, and are those that the walk over the world tests. The same triangles are
//! handed out, except those that are certainly out of reach of the query's column. Ground is kept
//! [where that is asked for](Gathered::keep_ground), and found anew elsewhere.

mod hand_out;

use std::fmt;

use glam::{DVec3, Vec3};

use super::boxes::{Boxes, LANES};
use super::columns::Outlines;
use super::cylinder::Cylinder;
use super::each_triangle::{each_ground_triangle, each_triangle, has_ground_steeper};
use super::ground;
use super::region::Region;
use super::types::Moving;
use super::visit::{Facet, Parts, Polygon, Source, Visit};
use crate::heightfield::HeightfieldView;
use crate::math::{Aabb, SectorCoord, SectorSize, WorldPos, greater};
use crate::view::TerrainView;

/// Memory for the triangles of the props of a region, and of its ground where that is
/// [kept](Gathered::keep_ground). Made once and reused: gathering does not allocate. Where a region holds more than
/// fits, nothing is cut off: its queries then use the world itself, and the answers are the same.
#[derive(Default)]
pub struct Gathered {
    region: Option<Region>,
    sources: Vec<GatheredSource>,
    facets: Vec<Facet>,
    boxes: Vec<Boxes>,
    /// Row by row, like the boxes.
    outlines: Vec<Outlines>,
    groups: Vec<Boxes>,
    faces: Vec<GatheredFace>,
    is_full: bool,
    /// A region that did not fit, since everything was forgotten.
    too_much: Option<Region>,
    /// An upper bound for the height of the ground in the region. Metres.
    ground_most: f64,
    /// How many of the sources are props: those after them are ground.
    props: usize,
    /// Whether ground is to be kept, and whether it is.
    wants_ground: bool,
    has_ground: bool,
}

/// A source, and the range of its facets among all.
#[derive(Clone, Copy, Debug)]
struct GatheredSource {
    source: Source,
    /// Its first facet, its first row of boxes, and its first group of those.
    first: u32,
    first_row: u32,
    first_group: u32,
    end: u32,
    /// Its first face.
    first_face: u32,
}

/// A face, and its number in its source. Its facets have its number among all that is gathered, plus 1.
#[derive(Clone, Copy, Debug)]
struct GatheredFace {
    number: u32,
    polygon: Polygon,
}

impl fmt::Debug for Gathered {
    /// The region, and how much is there.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gathered")
            .field("region", &self.region)
            .field("sources", &self.sources.len())
            .field("triangles", &self.facets.len())
            .field("is_full", &self.is_full)
            .finish_non_exhaustive()
    }
}

impl Clone for Gathered {
    /// With the same capacity and the same contents.
    fn clone(&self) -> Self {
        Self {
            region: self.region,
            sources: clone_with_room(&self.sources),
            facets: clone_with_room(&self.facets),
            boxes: clone_with_room(&self.boxes),
            outlines: clone_with_room(&self.outlines),
            groups: clone_with_room(&self.groups),
            faces: clone_with_room(&self.faces),
            is_full: self.is_full,
            too_much: self.too_much,
            ground_most: self.ground_most,
            props: self.props,
            wants_ground: self.wants_ground,
            has_ground: self.has_ground,
        }
    }
}

/// The clone of a vector only has room for its contents, mostly for nothing.
pub(super) fn clone_with_room<T: Copy>(of: &Vec<T>) -> Vec<T> {
    let mut clone = Vec::with_capacity(of.capacity());
    clone.extend_from_slice(of);
    clone
}

/// Most faces of several triangles that are kept. A multiple of 64.
const FACES_MAX: usize = 256;

/// How much more is gathered where a query goes beyond what is there. Metres: other queries soon do too.
const MORE: f64 = 0.25;

impl Gathered {
    /// Room for `triangles` triangles, of up to a quarter as many props.
    #[must_use]
    pub fn with_capacity(triangles: usize) -> Self {
        let sources = triangles / 4 + 16;
        Self {
            region: None,
            sources: Vec::with_capacity(sources),
            facets: Vec::with_capacity(triangles),
            boxes: Vec::with_capacity(triangles / LANES + sources),
            outlines: Vec::with_capacity(triangles / LANES + sources),
            groups: Vec::with_capacity(triangles / (LANES * LANES) + sources),
            faces: Vec::with_capacity((triangles / 2 + 1).min(FACES_MAX)),
            is_full: false,
            too_much: None,
            ground_most: f64::INFINITY,
            props: 0,
            wants_ground: false,
            has_ground: false,
        }
    }

    /// Number of gathered triangles of props.
    #[must_use]
    pub fn len(&self) -> usize {
        self.of_props().last().map_or(0, |last| last.end as usize)
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the region last gathered did not fit.
    #[must_use]
    pub fn is_overfull(&self) -> bool {
        self.is_full
    }

    /// Forgets what was gathered.
    pub fn forget(&mut self) {
        (self.region, self.too_much) = (None, None);
    }

    /// Whether a whole region has been gathered.
    #[inline]
    pub(crate) fn is_gathered(&self, region: &Region, size: SectorSize) -> bool {
        self.region.is_some_and(|gathered| gathered.holds(region, size))
    }

    /// Whether everything that a body touches on its way, and a little beside it, is known to be gathered. A
    /// quick test that may return false too often.
    #[must_use]
    #[inline]
    pub fn surely_holds(&self, body: Cylinder, at: WorldPos, motion: Vec3) -> bool {
        let is_held = |gathered: &Region| gathered.surely_holds(body, at, motion);
        self.region.as_ref().is_some_and(is_held)
    }

    /// All that is gathered, if it is in this sector's frame.
    pub(crate) fn gathered_from(&self, sector: SectorCoord) -> Option<Region> {
        self.region.filter(|gathered| gathered.sector == sector && gathered.motion == DVec3::ZERO)
    }

    pub(crate) fn has_props(&self) -> bool {
        self.region.is_none() || self.props > 0
    }

    pub(crate) fn has_moving(&self) -> bool {
        self.region.is_none()
            || self.of_props().iter().any(|one| one.source.moving != Moving::default())
    }

    pub(crate) fn has_ground_steeper(&self, view: TerrainView<'_>, upright: f64) -> bool {
        self.region.is_none_or(|region| has_ground_steeper(view, &region, upright))
    }

    #[inline]
    fn of_props(&self) -> &[GatheredSource] {
        &self.sources[..self.props]
    }

    /// Gathers a region, and forgets what was gathered before.
    pub(crate) fn gather(
        &mut self,
        view: TerrainView<'_>,
        mask: u32,
        region: &Region,
    ) -> Result<(), SectorCoord> {
        self.sources.clear();
        self.facets.clear();
        self.boxes.clear();
        self.outlines.clear();
        self.groups.clear();
        self.faces.clear();
        self.is_full = false;
        self.region = None;
        (self.props, self.has_ground) = (0, false);
        self.ground_most = f64::NEG_INFINITY;
        each_triangle(view, mask, region, self)?;
        self.props = self.sources.len();
        self.region = (!self.is_full).then_some(*region);
        self.too_much = self.is_full.then_some(*region);
        self.keep_ground(view, self.wants_ground);
        Ok(())
    }

    /// Keeps the ground as well from now on, of what is gathered of this view and of what will be, for bodies that ask
    /// for it often; or no longer. It is the same ground, to the bit.
    pub fn keep_ground(&mut self, view: TerrainView<'_>, is_wanted: bool) {
        self.wants_ground = is_wanted;
        let Some(region) = self.region.filter(|_| is_wanted && !self.has_ground) else { return };
        let (facets, boxes, groups) = (self.facets.len(), self.boxes.len(), self.groups.len());
        each_ground_triangle(view, &region, self);
        self.has_ground = !self.is_full;
        if self.is_full {
            // Without it, everything is as it was.
            self.is_full = false;
            self.sources.truncate(self.props);
            self.facets.truncate(facets);
            self.boxes.truncate(boxes);
            self.outlines.truncate(boxes);
            self.groups.truncate(groups);
        }
    }

    /// Gathers a region in addition to what is gathered of the same view, unless that already contains it.
    /// Where that is too much for the memory, or not all of it is resident, nothing is gathered in the end.
    pub(crate) fn extend(&mut self, view: TerrainView<'_>, mask: u32, region: &Region) {
        let size = view.grid().sector_size();
        let both = match &self.region {
            Some(gathered) if gathered.holds(region, size) => return,
            Some(gathered) => gathered.around_both(region, size).grown_by(MORE),
            None => region.around_both(region, size),
        };
        let alone = region.around_both(region, size);
        let known = self.too_much;
        let is_too_much = |wide: &Region| known.is_some_and(|known| wide.holds(&known, size));
        if is_too_much(&alone) {
            (self.region, self.is_full) = (None, true);
            return;
        }
        let fits = !is_too_much(&both) && self.gather(view, mask, &both).is_ok() && !self.is_full;
        if !fits {
            let wide = if is_too_much(&both) { known } else { self.too_much };
            let _ = self.gather(view, mask, &alone);
            self.too_much = self.too_much.or(wide);
        }
    }
}

impl Visit for Gathered {
    fn asks_ground(&self) -> bool {
        false
    }

    fn ground(&mut self, field: &HeightfieldView<'_>, coord: SectorCoord, region: &Region) {
        // Many queries will follow: those above all ground do not search it.
        let highest = f64::from(ground::highest(field, coord, region));
        self.ground_most = greater(highest, self.ground_most);
    }

    fn source(&mut self, source: &Source) -> bool {
        if self.sources.len() == self.sources.capacity() {
            self.is_full = true;
        }
        if !self.is_full {
            let first = self.facets.len() as u32;
            self.sources.push(GatheredSource {
                source: *source,
                first,
                first_row: self.boxes.len() as u32,
                first_group: self.groups.len() as u32,
                end: first,
                first_face: self.faces.len() as u32,
            });
        }
        !self.is_full
    }

    fn facet(&mut self, _: &Source, facet: &Facet) {
        if self.facets.len() == self.facets.capacity() {
            self.is_full = true;
        }
        let Some(source) = self.sources.last_mut().filter(|_| !self.is_full) else { return };
        let face = match facet.face {
            0 => 0,
            face => number_of(&self.faces, source.first_face, face),
        };
        let at = (source.end - source.first) as usize;
        let (lane, row) = (at % LANES, at / LANES % LANES);
        if lane == 0 {
            self.boxes.push(Boxes::NONE);
            self.outlines.push(Outlines::NONE);
        }
        if lane == 0 && row == 0 {
            self.groups.push(Boxes::NONE);
        }
        let around = Aabb::around_three(facet.corners);
        if source.source.is_terrain() {
            source.source.reach = source.source.reach.union(around);
        }
        if let Some(boxes) = self.boxes.last_mut() {
            boxes.put(lane, &around);
        }
        if let Some(group) = self.groups.last_mut() {
            group.widen(row, &around);
        }
        if let Some(outlines) = self.outlines.last_mut() {
            outlines.put(lane, &facet.corners);
        }
        self.facets.push(Facet { face, ..*facet });
        source.end += 1;
    }

    fn parts(&self) -> Parts {
        Parts::Both
    }

    fn wants_face(&self, number: u32) -> bool {
        let source = self.sources.last().filter(|_| !self.is_full);
        source.is_some_and(|source| number_of(&self.faces, source.first_face, number) == 0)
    }

    fn face(&mut self, _: &Source, number: u32, polygon: &Polygon) {
        if self.faces.len() >= self.faces.capacity().min(FACES_MAX) {
            self.is_full = true;
        } else {
            self.faces.push(GatheredFace { number, polygon: *polygon });
        }
    }
}

/// The number of a face of the last source among all, plus 1; 0 if it is not there. The last ones are asked most.
fn number_of(faces: &[GatheredFace], first: u32, number: u32) -> u32 {
    let first = first as usize;
    let at = faces[first..].iter().rposition(|face| face.number == number);
    at.map_or(0, |at| (first + at) as u32 + 1)
}
