//! The props of one sector, read in place from the sector's bytes, without copying.

use std::ops::Range;
use std::sync::Arc;

use glam::{DVec3, Vec3};

use super::layout::{PROP_BYTES, prop};
use super::mesh::{LoadedMesh, MeshView};
use super::placement::Placement;
use super::record::{Collision, MeshHash, PropRecord};
use super::tree::Tree;
use crate::heightfield::SurfaceId;
use crate::math::{Aabb, Rotation, SectorCoord, SectorSize, between, outward};

/// Most sectors that one prop may reach into: 64 × 64. Few enough to visit all of them quickly.
pub const PROP_SECTORS_MAX: u64 = 4096;

/// The props that reach into a sector, whichever sector their origin lies in.
#[derive(Clone, Copy, Debug)]
pub struct SectorProps<'a> {
    /// The sector where the props were found: owners are relative to it.
    place: SectorCoord,
    records: &'a [[u8; PROP_BYTES]],
    pub(crate) tree: Tree<'a>,
    meshes: &'a [Arc<LoadedMesh>],
}

impl Default for SectorProps<'_> {
    fn default() -> Self {
        Self::none(SectorCoord::default())
    }
}

impl<'a> SectorProps<'a> {
    /// No props.
    pub(crate) fn none(place: SectorCoord) -> Self {
        Self { place, records: &[], tree: Tree::new(Aabb::EMPTY, &[], 0), meshes: &[] }
    }

    /// Records that were checked, the tree over their boxes, and the meshes that they refer to.
    pub(crate) fn new(
        place: SectorCoord,
        records: &'a [[u8; PROP_BYTES]],
        tree: Tree<'a>,
        meshes: &'a [Arc<LoadedMesh>],
    ) -> Self {
        Self { place, records, tree, meshes }
    }

    /// The number of props.
    #[must_use]
    pub fn len(&self) -> u32 {
        self.records.len() as u32
    }

    /// Whether there are no props.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// A prop, by its index in this sector, less than [`len`](Self::len). This is not its `index`, which is
    /// its index in the sector of its origin.
    #[must_use]
    #[inline]
    pub fn record(&self, at: u32) -> PropRecord {
        read_record(&self.records[at as usize], self.place)
    }

    /// The mesh that a record of this sector refers to.
    #[must_use]
    #[inline]
    pub fn mesh(&self, record: &PropRecord) -> MeshView<'a> {
        self.meshes[record.mesh as usize].view()
    }

    /// The hash of the mesh that a record of this sector refers to.
    #[must_use]
    pub fn mesh_hash(&self, record: &PropRecord) -> MeshHash {
        self.meshes[record.mesh as usize].hash()
    }

    /// The meshes of the props, each once. Other sectors share them.
    #[must_use]
    pub fn meshes(&self) -> &'a [Arc<LoadedMesh>] {
        self.meshes
    }

    /// A box around all props, metres from the sector's centre; empty if there are none.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        self.tree.bounds
    }

    /// Calls `visit` with ranges of props that contain all props whose boxes touch `region`, metres from the
    /// sector's centre; others may be visited too.
    #[inline]
    pub fn in_box(&self, region: &Aabb, visit: impl FnMut(Range<u32>)) {
        self.tree.in_box(region, visit);
    }

    /// As [`in_box`](Self::in_box), until `visit` returns true. Returns whether it did.
    pub(crate) fn any_in_box(&self, region: &Aabb, visit: impl FnMut(Range<u32>) -> bool) -> bool {
        self.tree.any_in_box(region, visit)
    }

    /// Whether the box around any prop of these layers touches a box, metres from the sector's centre.
    /// `size` is that of the sector.
    #[doc(hidden)]
    #[must_use]
    pub fn has_any_in(&self, region: &Aabb, mask: u32, size: SectorSize) -> bool {
        if mask == 0 {
            return false;
        }
        // A leaf of the tree has one box around several props, which are tested one by one.
        self.any_in_box(region, |mut range| {
            range.any(|at| self.box_touching(at, region, mask, size).is_some())
        })
    }

    /// Calls `visit` with the box around each prop of these layers that touches `region`. All boxes are in
    /// metres from the sector's centre, and those of props are rounded outward. `size` is that of the sector.
    #[doc(hidden)]
    pub fn boxes_in(
        &self,
        region: &Aabb,
        mask: u32,
        size: SectorSize,
        mut visit: impl FnMut(&Aabb),
    ) {
        self.in_box(region, |range| {
            let boxes = range.filter_map(|at| self.box_touching(at, region, mask, size));
            boxes.for_each(|bounds| visit(&bounds));
        });
    }

    /// The box around a prop, if it touches another one and the prop is of any of these layers.
    #[inline]
    fn box_touching(&self, at: u32, region: &Aabb, mask: u32, size: SectorSize) -> Option<Aabb> {
        let record = self.record(at);
        if !record.is_met_by(mask) {
            return None;
        }
        let bounds = self.mesh(&record).bounds();
        let origin = record.origin_from(self.place, size);
        let (low, high) = (region.min.as_dvec3() - origin, region.max.as_dvec3() - origin);
        if !record.placement.may_touch(&bounds, low, high) {
            return None;
        }
        Some(record.box_in(self.place, size, &bounds)).filter(|bounds| bounds.touches(region))
    }

    /// Calls `visit` with ascending ranges of props that contain all props whose boxes, grown by `half`
    /// metres to each side, touch the way from `from` to `from + motion`, metres from the sector's centre.
    /// Others may be visited too. Components of `half` are 0 or more, and all numbers finite.
    #[inline]
    pub fn along(&self, from: DVec3, motion: DVec3, half: DVec3, visit: impl FnMut(Range<u32>)) {
        self.tree.along(from, motion, half, visit);
    }

    /// As [`along`](Self::along), but roughly in the order in which the way meets them. `visit` gets the
    /// greatest fraction of the motion that is still of interest, and returns it or a lesser one. Props that
    /// begin behind it are no longer visited. Returns the last fraction.
    #[inline]
    pub fn nearest(
        &self,
        from: DVec3,
        motion: DVec3,
        half: DVec3,
        most: f64,
        visit: impl FnMut(Range<u32>, f64) -> f64,
    ) -> f64 {
        self.tree.nearest(from, motion, half, most, visit)
    }

    /// Whether the tree leads to every prop at its place, for sectors of this size.
    pub(crate) fn is_tree_sound(&self, size: SectorSize) -> bool {
        self.tree.check_boxes(|at| {
            let record = self.record(at);
            record.box_in(self.place, size, &self.mesh(&record).bounds())
        })
    }
}

impl PropRecord {
    /// A box around the prop, metres from the centre of `sector`, rounded outward. `mesh` is the box
    /// around its mesh.
    #[must_use]
    pub fn box_in(&self, sector: SectorCoord, size: SectorSize, mesh: &Aabb) -> Aabb {
        let placed = self.placement.placed_bounds(mesh);
        let origin = self.origin_from(sector, size);
        outward(origin + placed.min.as_dvec3(), origin + placed.max.as_dvec3())
    }

    /// The prop's origin, metres from the centre of a sector: exact.
    pub(crate) fn origin_from(&self, sector: SectorCoord, size: SectorSize) -> DVec3 {
        between(sector, self.sector, size) + self.position.as_dvec3()
    }

    /// The sectors that a box around the prop touches: all between the first and the second along both axes.
    /// The sector of its origin need not be among them. A prop must be known to these sectors and to the
    /// sector of its origin.
    #[must_use]
    pub fn sectors_reached(&self, size: SectorSize, mesh: &Aabb) -> (SectorCoord, SectorCoord) {
        let (placed, origin) = (self.placement.placed_bounds(mesh), self.position.as_dvec3());
        let (min, max) = (origin + placed.min.as_dvec3(), origin + placed.max.as_dvec3());
        // Conversions to integers saturate, so the rectangle ends with the sectors that can be named.
        let along = |sector: i32, metres: f64| {
            (f64::from(sector) + (metres / f64::from(size.metres()) + 0.5).floor()) as i32
        };
        (
            SectorCoord::new(along(self.sector.x, min.x), along(self.sector.z, min.z)),
            SectorCoord::new(along(self.sector.x, max.x), along(self.sector.z, max.z)),
        )
    }

    /// The number of sectors that a box around the prop touches.
    pub(crate) fn sector_count(&self, size: SectorSize, mesh: &Aabb) -> u64 {
        let (low, high) = self.sectors_reached(size, mesh);
        let along = |low: i32, high: i32| (i64::from(high) - i64::from(low) + 1).unsigned_abs();
        along(low.x, high.x).saturating_mul(along(low.z, high.z))
    }
}

/// A record from checked bytes, in the frame of the sector's place.
#[inline]
pub(crate) fn read_record(bytes: &[u8; PROP_BYTES], place: SectorCoord) -> PropRecord {
    let offset = |at: usize| i32::from(i16::from_le_bytes([bytes[at], bytes[at + 1]]));
    let word =
        |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    let float = |at: usize| f32::from_bits(word(at));
    let (turned, lies) = (|at| float(prop::ROTATION + at), |at| float(prop::POSITION + at));
    let rotation = Rotation::from_components([turned(0), turned(4), turned(8), turned(12)]);
    PropRecord {
        // A sector stands where its owners can be named, or at a place that the caller made up.
        sector: SectorCoord::new(
            place.x.wrapping_add(offset(prop::OWNER_X)),
            place.z.wrapping_add(offset(prop::OWNER_Z)),
        ),
        index: word(prop::INDEX),
        mesh: word(prop::MESH),
        position: Vec3::new(lies(0), lies(4), lies(8)),
        placement: Placement::from_checked(rotation, float(prop::SCALE)),
        surface: SurfaceId(bytes[prop::SURFACE]),
        collision: match bytes[prop::COLLISION] {
            0 => Collision::Soup,
            _ => Collision::Solid,
        },
        layers: word(prop::LAYERS),
    }
}

/// A record's bytes in the file of `place`. If the sector of its origin is too far away, the field that says so and its
/// value.
pub(crate) fn write_record(
    record: &PropRecord,
    place: SectorCoord,
) -> Result<[u8; PROP_BYTES], (&'static str, i32)> {
    let offset = |field, of: i32, from: i32| {
        i16::try_from(i64::from(of) - i64::from(from)).map_err(|_| (field, of))
    };
    let mut bytes = [0; PROP_BYTES];
    let mut put = |at: usize, value: &[u8]| bytes[at..][..value.len()].copy_from_slice(value);
    put(prop::OWNER_X, &offset("owner x", record.sector.x, place.x)?.to_le_bytes());
    put(prop::OWNER_Z, &offset("owner z", record.sector.z, place.z)?.to_le_bytes());
    put(prop::INDEX, &record.index.to_le_bytes());
    put(prop::MESH, &record.mesh.to_le_bytes());
    // Adding 0 makes −0 into 0: equal records are equal bytes.
    let position = record.position.to_array().map(|metres| (metres + 0.0).to_le_bytes());
    put(prop::POSITION, position.as_flattened());
    let rotation = record.placement.rotation().quaternion().map(|part| (part + 0.0).to_le_bytes());
    put(prop::ROTATION, rotation.as_flattened());
    put(prop::SCALE, &record.placement.scale().to_le_bytes());
    put(prop::LAYERS, &record.layers.to_le_bytes());
    put(prop::SURFACE, &[record.surface.0, record.collision as u8]);
    Ok(bytes)
}
