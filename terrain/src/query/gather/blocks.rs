//! Room for what is gathered, in blocks: each [`Gathered`](super::Gathered) holds as many as it needs, of its own or of
//! those that several share.

use std::fmt;
use std::sync::{Arc, Mutex};

use glam::Vec3;

use crate::heightfield::SurfaceId;
use crate::mutex::lock;
use crate::props::FACE_CORNERS_MAX;
use crate::query::boxes::{BOXES_AT_ONCE, Boxes};
use crate::query::packet::{TRIANGLES_AT_ONCE, TrianglePacket};
use crate::query::visit::{Facet, Polygon, Source};

/// Rows and faces of a block, beside one source: where the first of them does not fit, another block begins. Few, so that
/// little is left empty in the last one; and about as many of each as are found beside each other in a town.
pub(super) const ROWS: usize = 4;
pub(super) const FACES: usize = 8;

/// Corners of the faces of a block: most have four.
const CORNERS: usize = 4 * FACES;

const _: () = assert!(FACE_CORNERS_MAX <= CORNERS && CORNERS <= u8::MAX as usize);

/// The triangles of a block.
pub(super) const TRIANGLES: usize = ROWS * TRIANGLES_AT_ONCE;

const _: () = assert!(BOXES_AT_ONCE == 2 * ROWS, "a group has a lane for each row of two blocks");

/// A source, and where its triangles and faces are.
#[derive(Clone, Copy, Debug)]
pub(super) struct GatheredSource {
    pub(super) source: Source,
    /// Its first row, and its triangles.
    pub(super) first_row: u32,
    pub(super) triangles: u32,
    /// Its first face.
    pub(super) first_face: u32,
}

impl GatheredSource {
    pub(super) const NONE: Self =
        Self { source: Source::NONE, first_row: 0, triangles: 0, first_face: 0 };

    pub(super) fn rows(&self) -> usize {
        (self.triangles as usize).div_ceil(TRIANGLES_AT_ONCE)
    }
}

/// A face, its number in its source, and which of its block's corners it has. Its facets have its number among all that
/// is gathered, plus 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct GatheredFace {
    pub(super) number: u32,
    triangle: u32,
    first: u8,
    len: u8,
    surface: SurfaceId,
}

impl GatheredFace {
    pub(super) const NONE: Self =
        Self { number: 0, triangle: 0, first: 0, len: 0, surface: SurfaceId(0) };
}

/// What a [`Facet`] has beside its corners. Its face is the number among all that is gathered, plus 1.
#[derive(Clone, Copy, Debug)]
struct FacetNotes {
    triangle: u32,
    face: u16,
    edges: u8,
    surface: SurfaceId,
}

impl FacetNotes {
    const NONE: Self = Self { triangle: 0, face: 0, edges: 0, surface: SurfaceId(0) };
}

/// Room for some rows, and as many faces and sources as they mostly need.
#[derive(Clone, Debug)]
pub(super) struct Block {
    /// A box around each of its rows and of those of the next block, if its own number is even.
    pub(super) group: Boxes,
    pub(super) packets: [TrianglePacket; ROWS],
    notes: [[FacetNotes; TRIANGLES_AT_ONCE]; ROWS],
    pub(super) faces: [GatheredFace; FACES],
    /// Of its faces, one after the other.
    corners: [Vec3; CORNERS],
    pub(super) source: GatheredSource,
}

impl Block {
    pub(super) fn boxed() -> Box<Self> {
        Box::new(Self {
            group: Boxes::NONE,
            packets: [TrianglePacket::NONE; ROWS],
            notes: [[FacetNotes::NONE; TRIANGLES_AT_ONCE]; ROWS],
            faces: [GatheredFace::NONE; FACES],
            corners: [Vec3::ZERO; CORNERS],
            source: GatheredSource::NONE,
        })
    }

    /// Keeps a face at a place after the others, and returns whether its corners fit. If not, that place and those after
    /// it stay empty.
    pub(super) fn put_face(&mut self, at: usize, number: u32, polygon: &Polygon<'_>) -> bool {
        let Polygon { corners, triangle, surface } = *polygon;
        let before = at.checked_sub(1).map(|before| self.faces[before]);
        let first = before.map_or(0, |before| usize::from(before.first + before.len));
        let Some(room) = self.corners.get_mut(first..first + corners.len()) else {
            self.faces[at..].fill(GatheredFace::NONE);
            return false;
        };
        room.copy_from_slice(corners);
        let (first, len) = (first as u8, corners.len() as u8);
        self.faces[at] = GatheredFace { number, triangle, first, len, surface };
        true
    }

    #[inline]
    pub(super) fn polygon(&self, at: usize) -> Polygon<'_> {
        let GatheredFace { triangle, first, len, surface, .. } = self.faces[at];
        let (first, len) = (usize::from(first), usize::from(len));
        Polygon { corners: &self.corners[first..first + len], triangle, surface }
    }

    /// Keeps a facet that is part of a gathered face, or of none: 0.
    #[inline]
    pub(super) fn put(&mut self, (row, lane): (usize, usize), facet: &Facet, face: u16) {
        let Facet { corners, triangle, edges, surface, .. } = *facet;
        self.packets[row].put(lane, &corners);
        self.notes[row][lane] = FacetNotes { triangle, face, edges, surface };
    }

    #[inline]
    pub(super) fn facet(&self, row: usize, lane: usize) -> Facet {
        let FacetNotes { triangle, face, edges, surface } = self.notes[row][lane];
        let corners = self.packets[row].corners(lane);
        Facet { corners, triangle, edges, surface, face: face.into() }
    }
}

/// Room that several [`Gathered`](super::Gathered) share, on any threads: each holds as much of it as it needs, and
/// where none is left, a region does not fit. Its clones are the same room.
#[derive(Clone, Default)]
pub struct BlockPool {
    free: Arc<Mutex<FreeBlocks>>,
}

#[derive(Default)]
struct FreeBlocks {
    #[allow(clippy::vec_box, reason = "blocks go from list to list")]
    blocks: Vec<Box<Block>>,
    /// How many there are in all.
    count: usize,
}

impl fmt::Debug for BlockPool {
    /// How much of it is free.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let free = lock(&self.free);
        f.debug_struct("BlockPool")
            .field("free", &free.blocks.len())
            .field("blocks", &free.count)
            .finish()
    }
}

impl BlockPool {
    /// Makes it large enough for `triangles` triangles, if it is smaller.
    pub fn reserve(&self, triangles: usize) {
        let mut free = lock(&self.free);
        let count = triangles.div_ceil(TRIANGLES);
        let more = count.saturating_sub(free.count);
        if more > 0 {
            free.count = count;
            // For all of them, when they come back.
            let room = count - free.blocks.len();
            free.blocks.reserve_exact(room);
            free.blocks.extend((0..more).map(|_| Block::boxed()));
        }
    }

    /// Whether less than a quarter of it is free.
    #[must_use]
    pub fn is_scarce(&self) -> bool {
        let free = lock(&self.free);
        4 * free.blocks.len() < free.count
    }

    pub(super) fn take(&self) -> Option<Box<Block>> {
        lock(&self.free).blocks.pop()
    }

    pub(super) fn give_back(&self, blocks: impl Iterator<Item = Box<Block>>) {
        lock(&self.free).blocks.extend(blocks);
    }
}
