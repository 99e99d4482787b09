//! What the steps of sorting share: a unit as a row, the slices of columns that it is written to, sizes. The columns
//! themselves are in `sorted`.

use bytemuck::{Pod, Zeroable};
use marchland_terrain::kernel::lanes::LANES;

/// Most units of a run that are visited: eight times as many as a run of a dense crowd holds. Without
/// the limit, a heap of units at one place would take time quadratic in their number.
pub(super) const RUN_MAX: usize = 32;

/// Spare entries at the end of each column, so that code which reads several at a time needs no bounds check:
/// a register of sixteen, up to the length of a run further on.
pub(super) const SPARE: usize = 64;
const _: () = assert!(LANES + RUN_MAX <= SPARE);

/// The bucket of a unit that takes no part.
pub(super) const NOBODY: u32 = u32::MAX;

/// Most regions.
pub(super) const REGIONS_MAX: usize = 256;

/// By region: where its rows begin in a stretch; one further entry is where the last ones end.
pub(super) type Starts = [u32; REGIONS_MAX + 1];

/// Slots of a stretch: what is read twice is still in the cache the second time.
pub(super) const STRETCH: usize = 1 << SLOT_BITS;

/// The low bits of the key of a row are the slot counted from the first of its stretch, the others are the
/// bucket counted from the first of its region.
pub(super) const SLOT_BITS: u32 = 12;
pub(super) const KEY_BITS: u32 = 32 - SLOT_BITS;

/// A unit as it is sorted.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C, align(16))]
pub(super) struct Row {
    /// Quanta, in 32 bits that wrap around.
    pub(super) x: i32,
    pub(super) z: i32,
    /// Metres.
    pub(super) feet: f32,
    /// The bucket within its region, and the slot within its stretch.
    pub(super) key: u32,
}

/// A stretch of the columns, to be written.
#[derive(Default)]
pub(super) struct Columns<'a> {
    pub(super) xs: &'a mut [i32],
    pub(super) zs: &'a mut [i32],
    pub(super) feet: &'a mut [f32],
    pub(super) slots: &'a mut [u32],
    /// Empty where bodies do not differ.
    pub(super) tops: &'a mut [f32],
    pub(super) radii: &'a mut [f32],
}

impl<'a> Columns<'a> {
    /// Splits off the first `count` entries.
    pub(super) fn take(&mut self, count: usize) -> Self {
        let differing = self.tops.len();
        Self {
            xs: self.xs.split_off_mut(..count).unwrap_or_default(),
            zs: self.zs.split_off_mut(..count).unwrap_or_default(),
            feet: self.feet.split_off_mut(..count).unwrap_or_default(),
            slots: self.slots.split_off_mut(..count).unwrap_or_default(),
            tops: self.tops.split_off_mut(..count.min(differing)).unwrap_or_default(),
            radii: self.radii.split_off_mut(..count.min(differing)).unwrap_or_default(),
        }
    }
}

/// Statistics of units, from finding their buckets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Census {
    /// How many take part.
    pub(super) count: usize,
    /// The union of the bits of all distances of units, along an axis, from the origin of quanta.
    pub(super) farthest: u64,
}

/// The bits of a velocity along X and Z.
#[inline]
pub(super) fn push_bits([x, z]: [f32; 2]) -> u64 {
    u64::from(x.to_bits()) | u64::from(z.to_bits()) << 32
}

/// The velocity that has these bits.
#[inline]
pub(super) fn push_of(bits: u64) -> [f32; 2] {
    [bits, bits >> 32].map(|bits| f32::from_bits(bits as u32))
}
