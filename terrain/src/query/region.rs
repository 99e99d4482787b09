//! The part of the world that a query reaches: a box that moves along a line.

use std::ops::ControlFlow;

use glam::{DVec3, Vec3};

use super::cylinder::Cylinder;
use super::types::{BODY_MAX, MOTION_MAX, QueryError};
use crate::math::{SectorCoord, SectorSize, WorldPos, between, clamp, greater, lesser, pairs};

/// How far apart two corners may lie that are meant to be one, and how far a place may lie from a triangle
/// that it is meant to be on. Metres. Placed vertices round by a millionth, those 512 m from their prop's
/// origin by 0.03 mm. A tenth of this would lose seams between rotated props, and flush props more than 2 km
/// wide may lose some. Much more would join what is apart.
pub(crate) const SEAM: f64 = 1e-4;

/// Greatest distance from the centre of its sector to which a region grows, along X and Z. Metres: more than
/// the widest body at a border reaches when it is grown by [`MOTION_MAX`], so that a query covers a number of
/// sectors that can be visited.
const GROWN_MAX: f64 = 3.0 * MOTION_MAX as f64;

/// A region that grows by at most this is not clipped. Metres.
const UNCLIPPED_GROWTH_MAX: f64 = 64.0;

/// How far beside a body something may matter. Metres: several times [`SEAM`].
const QUERY_MARGIN: f64 = 5e-4;

/// A box that moves along a line, metres from the centre of `sector`. The region of a body is grown by a
/// tenth of a millimetre, so that it contains every triangle by which a seam is judged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Region {
    pub(crate) sector: SectorCoord,
    pub(crate) min: DVec3,
    pub(crate) max: DVec3,
    pub(crate) motion: DVec3,
}

/// Steep ground in a region.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SteepGround {
    /// There is none.
    None,
    /// There is some: here, and in every region that [holds](Region::holds) this place.
    At(Region),
    /// There may be: not all of the region is in memory.
    Unknown,
}

impl Region {
    /// The region of a standing body, grown by `margin` metres on every side.
    ///
    /// # Errors
    /// If the body has no size, or the margin is negative, too large, or not a number.
    pub fn around(body: Cylinder, at: WorldPos, margin: f32) -> Result<Self, QueryError> {
        check_body(body)?;
        if !(0.0..=MOTION_MAX).contains(&margin) {
            return Err(QueryError::Margin { found: margin });
        }
        Ok(Self::of(body, at, Vec3::ZERO).grown_by(f64::from(margin)))
    }

    /// The region of a body that moves from `at` along `motion`, in metres.
    ///
    /// # Errors
    /// If the body has no size, or the motion is too long or not finite.
    #[inline]
    pub fn swept(body: Cylinder, at: WorldPos, motion: Vec3) -> Result<Self, QueryError> {
        check_body(body)?;
        check_motion(motion)?;
        Ok(Self::of(body, at, motion))
    }

    /// The region of a place, metres from the centre of its sector.
    pub(crate) fn point(sector: SectorCoord, at: DVec3) -> Self {
        Self { sector, min: at, max: at, motion: DVec3::ZERO }
    }

    /// As [`swept`](Self::swept), for values that were checked before.
    #[inline]
    pub(crate) fn of(body: Cylinder, at: WorldPos, motion: Vec3) -> Self {
        let feet = at.local().as_dvec3();
        let (radius, height) = (f64::from(body.radius), f64::from(body.height));
        Self {
            sector: at.sector(),
            min: feet - DVec3::new(radius, 0.0, radius),
            max: feet + DVec3::new(radius, height, radius),
            motion: motion.as_dvec3(),
        }
        .grown_by(SEAM)
    }

    /// Grows the region by `by` metres on every side; a negative value shrinks it. `by` is clamped to
    /// ±[`MOTION_MAX`], and NaN counts as 0. Unless it is within ±64 m, the result is also clipped along
    /// X and Z to 24 576 m from the sector's centre.
    #[must_use]
    #[inline]
    pub fn grown(self, by: f64) -> Self {
        // The usual case: small growth does no harm unless it is repeated endlessly.
        if by.abs() <= UNCLIPPED_GROWTH_MAX { self.grown_by(by) } else { self.grown_far(by) }
    }

    #[cold]
    fn grown_far(self, by: f64) -> Self {
        self.grown_by(tidy(by)).ended()
    }

    /// Clips along X and Z, and keeps Y finite: infinite sides cannot be rotated.
    #[inline]
    pub(crate) fn ended(self) -> Self {
        let end = |metres: f64| clamp(metres, -GROWN_MAX, GROWN_MAX);
        let tall = |metres: f64| clamp(metres, f64::from(f32::MIN), f64::from(f32::MAX));
        let ends = |at: DVec3| DVec3::new(end(at.x), tall(at.y), end(at.z));
        Self { min: ends(self.min), max: ends(self.max), ..self }
    }

    /// As [`grown`](Self::grown), for values that are known to be small.
    #[inline]
    pub(crate) fn grown_by(self, by: f64) -> Self {
        Self { min: self.min - DVec3::splat(by), max: self.max + DVec3::splat(by), ..self }
    }

    /// Whether everything that a body touches on its way, and a little beside it, lies in the box around this
    /// region. May return false too often, as for a body in another sector.
    #[doc(hidden)]
    #[must_use]
    #[inline]
    pub fn surely_holds(&self, body: Cylinder, at: WorldPos, motion: Vec3) -> bool {
        let local = at.local().as_dvec3();
        let (radius, height) =
            (f64::from(body.radius) + QUERY_MARGIN, f64::from(body.height) + QUERY_MARGIN);
        let (low, high) = swept(local, local, motion.as_dvec3());
        let (min, max) = self.bounds();
        at.sector() == self.sector
            && (low - DVec3::new(radius, QUERY_MARGIN, radius)).cmpge(min).all()
            && (high + DVec3::new(radius, height, radius)).cmple(max).all()
    }

    /// Extends the region `below` metres down and `above` metres up; negative values shrink it. Both are
    /// clamped to ±[`MOTION_MAX`], and NaN counts as 0.
    #[must_use]
    pub fn taller(self, below: f64, above: f64) -> Self {
        self.with_heights(self.min.y - tidy(below), self.max.y + tidy(above))
    }

    /// The region with new lower and upper bounds of Y, in the same frame.
    pub(crate) fn with_heights(self, low: f64, high: f64) -> Self {
        let (min, max) = (self.min, self.max);
        Self { min: DVec3::new(min.x, low, min.z), max: DVec3::new(max.x, high, max.z), ..self }
    }

    /// The intersection of two boxes that meet; both without motion, in the frame of the same sector.
    pub(crate) fn within(self, other: &Self) -> Self {
        let (min, max) = (pairs(other.min, self.min, greater), pairs(other.max, self.max, lesser));
        Self { min, max, ..self }
    }

    /// The middle of the box where it begins, and its half sizes.
    pub(crate) fn middle_and_half(&self) -> (DVec3, DVec3) {
        // Half sizes come from the rounded middle, plus a small margin, so that nothing is left out.
        let middle = (self.min + self.max) * 0.5;
        let (below, above) = (middle - self.min, self.max - middle);
        (middle, pairs(below, above, greater) + DVec3::splat(1e-9))
    }

    /// The least box around the whole region.
    #[inline]
    pub(crate) fn bounds(&self) -> (DVec3, DVec3) {
        swept(self.min, self.max, self.motion)
    }

    /// Whether a whole other region lies in the box where this one begins.
    #[inline]
    #[must_use]
    pub fn holds(&self, other: &Self, size: SectorSize) -> bool {
        let (low, high) = other.bounds();
        let shift = between(self.sector, other.sector, size);
        let (low, high) = (low + shift, high + shift);
        low.cmpge(self.min).all() && high.cmple(self.max).all()
    }

    /// A box that contains the box where this one begins, and the whole of another region.
    pub(crate) fn around_both(&self, other: &Self, size: SectorSize) -> Self {
        let (low, high) = other.bounds();
        let shift = between(self.sector, other.sector, size);
        let (low, high) = (low + shift, high + shift);
        let (min, max) = (pairs(low, self.min, lesser), pairs(high, self.max, greater));
        Self { min, max, motion: DVec3::ZERO, ..*self }
    }

    /// The range of X that the region reaches while part of it lies between two Z, within a part of the
    /// motion; `None` if it reaches none. Never too small.
    pub(crate) fn x_between(&self, north: f64, south: f64, until: f64) -> Option<(f64, f64)> {
        let (mut from, mut to) = (0.0, until + 1e-12);
        if self.motion.z == 0.0 {
            if self.max.z < north || self.min.z > south {
                return None;
            }
        } else {
            let a = (north - self.max.z) / self.motion.z;
            let b = (south - self.min.z) / self.motion.z;
            let (first, last) = if a < b { (a, b) } else { (b, a) };
            // A division rounds by less than this part of the motion.
            let (first, last) = (first - 1e-12, last + 1e-12);
            from = greater(first, from);
            to = lesser(last, to);
            if from > to {
                return None;
            }
        }
        let (a, b) = (from * self.motion.x, to * self.motion.x);
        let (least, most) = if a < b { (a, b) } else { (b, a) };
        let slack = 1e-9;
        Some((self.min.x + least - slack, self.max.x + most + slack))
    }
}

/// A region and a sector.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SectorRegion<'r> {
    pub(crate) region: &'r Region,
    pub(crate) coord: SectorCoord,
    /// From the centre of the region's sector to that of this one. Metres.
    pub(crate) shift: DVec3,
    /// The ends of the least box around the whole region, seen from the centre of this sector. Metres.
    pub(crate) low: DVec3,
    pub(crate) high: DVec3,
}

impl Region {
    /// The region, whose least box has these ends, in a sector.
    #[inline]
    pub(crate) fn in_sector(
        &self,
        (low, high): (DVec3, DVec3),
        coord: SectorCoord,
        size: SectorSize,
    ) -> SectorRegion<'_> {
        let shift = between(self.sector, coord, size);
        SectorRegion { region: self, coord, shift, low: low - shift, high: high - shift }
    }

    /// Calls `visit` for the sectors that both the region and a box in its frame reach, row by row, until it breaks.
    pub(crate) fn each_sector_in<'r>(
        &'r self,
        (low, high): (DVec3, DVec3),
        size: SectorSize,
        mut visit: impl FnMut(&SectorRegion<'r>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let side = f64::from(size.metres());
        let number = |metres: f64| (metres / side + 0.5).floor();
        // Bounds of motion and body keep these far within the integers; a conversion saturates.
        let (region_low, region_high) = self.bounds();
        let north = number(greater(low.z, region_low.z)) as i32;
        let south = number(lesser(high.z, region_high.z)) as i32;
        for dz in north..=south {
            let z = f64::from(dz) * side;
            let Some((west, east)) = self.x_between(z - side * 0.5, z + side * 0.5, 1.0) else {
                continue;
            };
            let (west, east) = (greater(low.x, west), lesser(high.x, east));
            for dx in number(west) as i32..=number(east) as i32 {
                if let Some(coord) = self.sector.offset(dx, dz) {
                    visit(&self.in_sector((region_low, region_high), coord, size))?;
                }
            }
        }
        ControlFlow::Continue(())
    }
}

/// The least box around one that moves.
#[inline]
fn swept(min: DVec3, max: DVec3, motion: DVec3) -> (DVec3, DVec3) {
    let (back, ahead) = (motion.cmplt(DVec3::ZERO), motion.cmpgt(DVec3::ZERO));
    (DVec3::select(back, min + motion, min), DVec3::select(ahead, max + motion, max))
}

/// Limits how much a region grows at once.
#[inline]
fn tidy(by: f64) -> f64 {
    if by.is_nan() { 0.0 } else { clamp(by, f64::from(-MOTION_MAX), f64::from(MOTION_MAX)) }
}

#[inline]
pub(crate) fn check_body(found: Cylinder) -> Result<(), QueryError> {
    let fits = |metres: f32| metres > 0.0 && metres <= BODY_MAX;
    if fits(found.radius) && fits(found.height) { Ok(()) } else { Err(QueryError::Body { found }) }
}

#[inline]
pub(crate) fn check_motion(found: Vec3) -> Result<(), QueryError> {
    let fits = |metres: f32| (-MOTION_MAX..=MOTION_MAX).contains(&metres);
    if fits(found.x) && fits(found.y) && fits(found.z) {
        Ok(())
    } else {
        Err(QueryError::Motion { found })
    }
}
