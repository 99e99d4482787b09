//! The triangles of a region, gathered once for many queries.
//!
//! ```text
//! sources   one after the other ┬ box, and where its rows and its faces are
//! rows      ┊ a, 8 triangles ┊ a, 2 triangles ┊ b, 3 triangles ┊   eight to a row; a row belongs to one source
//!   packets, notes             their corners side by side, and what else they have
//! group     ┊ around each of eight rows, those of two blocks
//! faces     ┊ what several facets are part of
//! ```
//!
//! Boxes are tested eight at a time, and are those that the walk over the world tests. The same triangles are
//! handed out, except those that are certainly not near the query's column. Ground is kept
//! [where that is asked for](Gathered::keep_ground), and found anew elsewhere. All lies in [blocks], of which
//! each `Gathered` holds as many as it needs.

mod blocks;
mod hand_out;
mod visit;

use std::fmt;
use std::slice;

use glam::Vec3;

use super::cylinder::Cylinder;
use super::each_triangle::{each_ground_triangle, each_triangle, steep_ground};
use super::region::{Region, SteepGround};
use crate::lanes::prefetch_ahead;
use crate::math::{SectorCoord, WorldPos, greater};
use crate::view::TerrainView;

pub use blocks::BlockPool;
use blocks::{Block, FACES, GatheredSource, ROWS, TRIANGLES};

/// Memory for the triangles of the props of a region, and of its ground where that is kept. Made once and reused:
/// gathering does not allocate. Where a region holds more than fits, nothing is cut off: its queries then use the
/// world itself, and the answers are the same.
pub struct Gathered {
    /// Without motion.
    region: Option<Region>,
    #[allow(clippy::vec_box, reason = "blocks go from list to list")]
    blocks: Vec<Box<Block>>,
    /// Where blocks come from and go to, as they are needed.
    shared: Option<BlockPool>,
    /// Most triangles.
    most: usize,
    /// What is there.
    count: Count,
    /// The last source, while its triangles come, and the greatest number of its faces.
    last: GatheredSource,
    greatest_face: u32,
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

/// How many sources, triangles, rows of them, and faces.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    sources: usize,
    triangles: usize,
    rows: usize,
    faces: usize,
}

impl fmt::Debug for Gathered {
    /// The region, and how much is there.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gathered")
            .field("region", &self.region)
            .field("sources", &self.count.sources)
            .field("triangles", &self.count.triangles)
            .field("is_full", &self.is_full)
            .finish_non_exhaustive()
    }
}

impl Default for Gathered {
    /// Without room for anything.
    fn default() -> Self {
        Self::empty(0)
    }
}

impl Clone for Gathered {
    /// With the same room, of its own, and the same contents.
    fn clone(&self) -> Self {
        Self { blocks: self.blocks.clone(), shared: None, ..*self }
    }
}

/// Most faces of several triangles that are kept. A multiple of 64.
const FACES_MAX: usize = 256;

/// The blocks for so many triangles: each holds one source, mostly of some twelve, and rows end with their sources.
const fn blocks_of(triangles: usize) -> usize {
    (4 * triangles).div_ceil(TRIANGLES) + 2
}

/// How much more is gathered where a query goes beyond what is there. Metres: other queries soon do too.
const MORE: f64 = 0.25;

impl Gathered {
    /// Room for `triangles` triangles of props of some twelve each, mostly.
    #[must_use]
    pub fn with_capacity(triangles: usize) -> Self {
        let blocks = (0..blocks_of(triangles)).map(|_| Block::boxed()).collect();
        Self { blocks, ..Self::empty(triangles) }
    }

    /// Takes room for up to `triangles` triangles from what several share, when it is needed.
    #[doc(hidden)]
    #[must_use]
    pub fn sharing(room: &BlockPool, triangles: usize) -> Self {
        let blocks = Vec::with_capacity(blocks_of(triangles));
        Self { blocks, shared: Some(room.clone()), ..Self::empty(triangles) }
    }

    const fn empty(most: usize) -> Self {
        Self {
            region: None,
            blocks: Vec::new(),
            shared: None,
            most,
            count: Count { sources: 0, triangles: 0, rows: 0, faces: 0 },
            last: GatheredSource::NONE,
            greatest_face: 0,
            is_full: false,
            too_much: None,
            ground_most: f64::INFINITY,
            props: 0,
            wants_ground: false,
            has_ground: false,
        }
    }

    /// Forgets what was gathered, and gives back the room that is shared.
    #[doc(hidden)]
    pub fn give_back(&mut self) {
        self.forget();
        self.count = Count::default();
        self.props = 0;
        self.give_back_empty();
    }

    /// Gives back the shared blocks that hold nothing.
    fn give_back_empty(&mut self) {
        let Count { sources, rows, faces, .. } = self.count;
        let needed = [sources, rows.div_ceil(ROWS), faces.div_ceil(FACES)];
        let needed = needed.into_iter().fold(0, greater);
        if let Some(shared) = self.shared.as_ref().filter(|_| needed < self.blocks.len()) {
            shared.give_back(self.blocks.drain(needed..));
        }
    }

    /// Prefetches what is gathered, for queries to come soon.
    #[doc(hidden)]
    #[inline]
    pub fn prefetch(&self) {
        self.blocks.iter().for_each(|block| prefetch_ahead(slice::from_ref(&**block), 0));
    }

    /// Whether the region last gathered did not fit.
    #[doc(hidden)]
    #[must_use]
    pub fn is_overfull(&self) -> bool {
        self.is_full
    }

    /// Forgets what was gathered.
    pub fn forget(&mut self) {
        (self.region, self.too_much) = (None, None);
    }

    /// Whether a whole region has been gathered, if this view gathered it.
    #[must_use]
    #[inline]
    pub fn covers(&self, view: TerrainView<'_>, region: &Region) -> bool {
        self.holding(view, region).is_some()
    }

    /// All that is gathered, if it holds a whole region.
    #[inline]
    fn holding(&self, view: TerrainView<'_>, region: &Region) -> Option<Region> {
        let size = view.grid().sector_size();
        self.region.filter(|gathered| gathered.holds(region, size))
    }

    /// Whether everything that a body touches on its way, and a little beside it, is known to be gathered. A
    /// quick test that may return false too often.
    #[doc(hidden)]
    #[must_use]
    #[inline]
    pub fn surely_holds(&self, body: Cylinder, at: WorldPos, motion: Vec3) -> bool {
        let is_held = |gathered: &Region| gathered.surely_holds(body, at, motion);
        self.region.as_ref().is_some_and(is_held)
    }

    /// All that is gathered, if it is in this sector's frame.
    pub(crate) fn gathered_from(&self, sector: SectorCoord) -> Option<Region> {
        self.region.filter(|gathered| gathered.sector == sector)
    }

    pub(crate) fn has_ground_steeper(&self, view: TerrainView<'_>, upright: f64) -> bool {
        let steep = |region: Region| steep_ground(view, &region, upright) != SteepGround::None;
        self.region.is_none_or(steep)
    }

    /// Puts the last source to the others.
    fn end_source(&mut self) {
        if let Some(at) = self.count.sources.checked_sub(1) {
            self.blocks[at].source = self.last;
        }
    }

    /// Gathers a region without motion, and forgets what was gathered before.
    pub(crate) fn gather(
        &mut self,
        view: TerrainView<'_>,
        mask: u32,
        region: &Region,
    ) -> Result<(), SectorCoord> {
        self.count = Count::default();
        self.is_full = false;
        self.region = None;
        (self.props, self.has_ground) = (0, false);
        self.ground_most = f64::NEG_INFINITY;
        each_triangle(view, (mask, &[]), region, self)?;
        self.end_source();
        self.props = self.count.sources;
        self.region = (!self.is_full).then_some(*region);
        self.too_much = self.is_full.then_some(*region);
        self.keep_ground(view, self.wants_ground);
        self.give_back_empty();
        Ok(())
    }

    /// Keeps the ground as well from now on, of what is gathered of this view and of what will be, for bodies that ask
    /// for it often; or no longer. It is the same ground, to the bit.
    #[doc(hidden)]
    pub fn keep_ground(&mut self, view: TerrainView<'_>, is_wanted: bool) {
        self.wants_ground = is_wanted;
        let Some(region) = self.region.filter(|_| is_wanted && !self.has_ground) else { return };
        let (count, last) = (self.count, self.last);
        each_ground_triangle(view, &region, self);
        self.end_source();
        self.has_ground = !self.is_full;
        if self.is_full {
            // Without it, everything is as it was.
            (self.is_full, self.count, self.last) = (false, count, last);
        }
    }

    /// Gathers a region in addition to what is gathered of the same view, unless that already contains it.
    /// Where that is too much for the memory, or not all of it is resident, nothing is gathered in the end.
    pub(crate) fn extend(&mut self, view: TerrainView<'_>, mask: u32, region: &Region) {
        if self.covers(view, region) {
            return;
        }
        let size = view.grid().sector_size();
        let alone = region.around_both(region, size);
        let wide = |gathered: &Region| gathered.around_both(region, size).grown_by(MORE);
        let both = self.region.as_ref().map_or(alone, wide);
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
