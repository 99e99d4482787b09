//! Positions: a sector and an offset from its centre.
//!
//! ```text
//!            -S/2        0        +S/2          A local coordinate lies in [-S/2, S/2):
//!   …────────┼──────────┼──────────┼────────…   the low border belongs to the sector, the
//!            [  sector x           )            high border to its neighbour.
//!                                  [ sector x + 1
//! ```
//!
//! With the origin at the centre and S a power of two, crossing a border subtracts or adds S without
//! rounding, in both directions (Sterbenz's lemma): a position that moves out and back keeps its bits. With
//! the origin at a corner, nearly every downward crossing would round.

use std::fmt;

use bytemuck::{NoUninit, Pod, Zeroable};

use glam::{DVec3, Vec3};

use crate::limits::{SECTOR_SIZE_MAX, SECTOR_SIZE_MIN};
use crate::math::{GridError, PositionError};

/// The coordinates of a sector: `x` counts towards +X, `z` towards +Z.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Pod, Zeroable)]
#[repr(C)]
pub struct SectorCoord {
    /// Sectors along X.
    pub x: i32,
    /// Sectors along Z.
    pub z: i32,
}

impl SectorCoord {
    /// The sector at `(x, z)`.
    #[must_use]
    pub const fn new(x: i32, z: i32) -> Self {
        Self { x, z }
    }

    /// The sector `dx`, `dz` sectors away; `None` if its coordinates do not fit in 32 bits.
    #[must_use]
    pub fn offset(self, dx: i32, dz: i32) -> Option<Self> {
        Some(Self { x: self.x.checked_add(dx)?, z: self.z.checked_add(dz)? })
    }
}

impl fmt::Display for SectorCoord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {})", self.x, self.z)
    }
}

/// Side of a sector in metres: a power of two from 8 to 16 384.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct SectorSize(f32);

impl SectorSize {
    /// A sector size with sides of `metres`.
    ///
    /// # Errors
    /// If it is not a power of two within the limits.
    pub fn new(metres: f32) -> Result<Self, GridError> {
        let in_range = (SECTOR_SIZE_MIN..=SECTOR_SIZE_MAX).contains(&metres);
        // In range, so the cast to an integer loses only a fraction, which the comparison then detects.
        let whole = metres as u32;
        if in_range && whole as f32 == metres && whole.is_power_of_two() {
            Ok(Self(metres))
        } else {
            Err(GridError::Length {
                what: "sector size",
                found: f64::from(metres),
                min: f64::from(SECTOR_SIZE_MIN),
                max: f64::from(SECTOR_SIZE_MAX),
            })
        }
    }

    /// Metres along a side.
    #[must_use]
    pub const fn metres(self) -> f32 {
        self.0
    }

    /// Half a side: local coordinates lie in `[-half, half)`.
    #[must_use]
    pub const fn half(self) -> f32 {
        self.0 * 0.5
    }
}

/// A position in the world: the sector that holds it, and metres from that sector's centre.
///
/// Twenty bytes without padding, the sector first: bytes can be read (`bytemuck::NoUninit`). Bytes become a
/// position through [`new`](Self::new), which checks them.
///
/// Always canonical: `local.x` and `local.z` lie in `[-S/2, S/2)`, every coordinate is finite, and zero is
/// never negative: equal positions have equal bits. `y` is absolute. There is no subtraction operator:
/// [`relative_to`](Self::relative_to) names the origin.
///
/// ```
/// use marchland_terrain::{SectorCoord, SectorSize, WorldPos, glam::Vec3};
/// let size = SectorSize::new(256.0)?;
/// // 130 m east of a centre is 126 m west of the next one.
/// let p = WorldPos::new(SectorCoord::new(3, 0), Vec3::new(130.0, 7.0, -1.0), size)?;
/// assert_eq!(p.sector(), SectorCoord::new(4, 0));
/// assert_eq!(p.local(), Vec3::new(-126.0, 7.0, -1.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, NoUninit)]
#[repr(C)]
pub struct WorldPos {
    sector: SectorCoord,
    local: Vec3,
}

impl WorldPos {
    /// The canonical position `local` metres from the centre of `sector`.
    ///
    /// `local` may lie outside the sector; as long as it is less than 2²³ sectors away, nothing is rounded.
    ///
    /// # Errors
    /// If a coordinate is not finite, or the place lies beyond the last sector.
    #[inline]
    pub fn new(sector: SectorCoord, local: Vec3, size: SectorSize) -> Result<Self, PositionError> {
        check_finite(f64::from(local.x), f64::from(local.y), f64::from(local.z))?;
        let (sector, local) = canonical(sector, local, size)?;
        Ok(Self { sector, local })
    }

    /// The position `local` metres from the centre of the same sector; `None` unless that is in the sector.
    #[doc(hidden)]
    #[must_use]
    #[inline]
    pub fn at_home(self, local: Vec3, size: SectorSize) -> Option<Self> {
        let half = size.half();
        let is_home = |metres: f32| -half <= metres && metres < half;
        let is_in = is_home(local.x) && is_home(local.z) && local.y.is_finite();
        is_in.then_some(Self { local: local + Vec3::ZERO, ..self })
    }

    /// From metres in a frame whose origin is the centre of sector (0, 0). Rounds once, to `f32`
    /// metres from the centre of the sector.
    ///
    /// # Errors
    /// If a coordinate is not finite (or `y` overflows `f32`), or lies beyond the last sector.
    pub fn from_metres(x: f64, y: f64, z: f64, size: SectorSize) -> Result<Self, PositionError> {
        Self::from_centre(SectorCoord::new(0, 0), DVec3::new(x, y, z), size)
    }

    /// The place at metres from the centre of a sector. Rounds once.
    fn from_centre(
        from: SectorCoord,
        metres: DVec3,
        size: SectorSize,
    ) -> Result<Self, PositionError> {
        let y = metres.y as f32;
        check_finite(metres.x, f64::from(y), metres.z)?;
        let (sector_x, local_x) = split_from('x', from.x, metres.x, size)?;
        let (sector_z, local_z) = split_from('z', from.z, metres.z, size)?;
        let sector = SectorCoord::new(sector_x, sector_z);
        Ok(Self { sector, local: Vec3::new(local_x, plus_zero(y), local_z) })
    }

    /// Metres `[x, y, z]` from the centre of sector (0, 0), rounded once per coordinate.
    #[must_use]
    pub fn to_metres(self, size: SectorSize) -> [f64; 3] {
        let side = f64::from(size.metres());
        [
            f64::from(self.sector.x) * side + f64::from(self.local.x),
            f64::from(self.local.y),
            f64::from(self.sector.z) * side + f64::from(self.local.z),
        ]
    }

    /// The sector that holds the position.
    #[must_use]
    pub const fn sector(self) -> SectorCoord {
        self.sector
    }

    /// Metres from the sector's centre; `y` is absolute.
    #[must_use]
    pub const fn local(self) -> Vec3 {
        self.local
    }

    /// The vector from `origin` to this position. Sectors are subtracted as integers, then metres
    /// in `f64`, and the sum is rounded once. Use it for positions relative to a camera or another
    /// unit.
    #[must_use]
    pub fn relative_to(self, origin: Self, size: SectorSize) -> Vec3 {
        Origin::new(origin, size).to(self.sector, self.local)
    }

    /// The place at the same x and z whose height is `y` metres.
    ///
    /// # Errors
    /// If `y` is not finite.
    pub fn at_height(self, y: f32) -> Result<Self, PositionError> {
        if !y.is_finite() {
            return Err(PositionError::NotFinite { axis: 'y', value: f64::from(y) });
        }
        Ok(Self { local: self.local.with_y(plus_zero(y)), ..self })
    }

    /// The place `offset` metres away, rebased into the sector that holds it. Rounds once, to `f32`
    /// metres from the centre of that sector.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn moved_by(self, offset: Vec3, size: SectorSize) -> Result<Self, PositionError> {
        Self::from_centre(self.sector, self.local.as_dvec3() + offset.as_dvec3(), size)
    }
}

/// What positions are seen from.
#[derive(Clone, Copy)]
pub(super) struct Origin {
    sector: [f64; 2],
    local: [f64; 3],
    /// Metres along a sector.
    side: f64,
}

impl Origin {
    #[inline]
    pub(super) fn new(at: WorldPos, size: SectorSize) -> Self {
        Self {
            sector: [at.sector().x, at.sector().z].map(f64::from),
            local: at.local().to_array().map(f64::from),
            side: f64::from(size.metres()),
        }
    }

    /// The vector to a position. Differences of sectors have 33 bits and sides 15, so every product is exact in
    /// `f64`; the sum is rounded once.
    #[inline]
    pub(super) fn to(&self, sector: SectorCoord, local: Vec3) -> Vec3 {
        let [x, y, z] = local.to_array().map(f64::from);
        let sectors = [f64::from(sector.x) - self.sector[0], f64::from(sector.z) - self.sector[1]];
        let x = sectors[0] * self.side + (x - self.local[0]);
        let z = sectors[1] * self.side + (z - self.local[2]);
        Vec3::new(x as f32, (y - self.local[1]) as f32, z as f32)
    }
}

/// The canonical position of `local` in `sector`: called in a tick after every move. `local` must be finite;
/// anything else is an error.
///
/// # Errors
/// If the place is beyond the last sector, or not finite.
#[inline]
pub fn canonical(
    sector: SectorCoord,
    local: Vec3,
    size: SectorSize,
) -> Result<(SectorCoord, Vec3), PositionError> {
    let (x, local_x) = rebase_axis('x', sector.x, local.x, size)?;
    let (z, local_z) = rebase_axis('z', sector.z, local.z, size)?;
    Ok((SectorCoord::new(x, z), Vec3::new(local_x, plus_zero(local.y), local_z)))
}

/// One axis of [`canonical`]. `floor(p / S + 0.5)` in `f32` would be wrong just below S/2, where
/// the sum rounds up: compare first, and count sectors in `f64`, where the sum is exact.
#[inline]
fn rebase_axis(
    axis: char,
    sector: i32,
    local: f32,
    size: SectorSize,
) -> Result<(i32, f32), PositionError> {
    let half = size.half();
    if -half <= local && local < half {
        return Ok((sector, plus_zero(local)));
    }
    let beyond = || PositionError::BeyondSectors { axis, value: f64::from(local) };
    let side = f64::from(size.metres());
    let crossed = ((f64::from(local) + f64::from(half)) / side).floor();
    let moved = f64::from(sector) + crossed;
    if !(f64::from(i32::MIN) <= moved && moved <= f64::from(i32::MAX)) {
        return Err(beyond()); // also if `local` is not a number
    }
    let rebased = (f64::from(local) - crossed * side) as f32;
    Ok((moved as i32, plus_zero(rebased)))
}

/// Splits metres from the centre of a sector into the sector that holds the point and the rounded remainder.
/// The remainder may round up to S/2, which is −S/2 of the next sector. The sum rounds only for the one value
/// just below 0.5, which ends up on the border either way.
fn split_from(
    axis: char,
    from: i32,
    metres: f64,
    size: SectorSize,
) -> Result<(i32, f32), PositionError> {
    let side = f64::from(size.metres());
    let mut crossed = (metres / side + 0.5).floor();
    let mut local = (metres - crossed * side) as f32;
    if local >= size.half() {
        crossed += 1.0;
        local -= size.metres();
    }
    let sector = f64::from(from) + crossed;
    if f64::from(i32::MIN) <= sector && sector <= f64::from(i32::MAX) {
        Ok((sector as i32, plus_zero(local)))
    } else {
        Err(PositionError::BeyondSectors { axis, value: metres })
    }
}

/// The vector from the centre of one sector to that of another. Metres, exact.
#[inline]
pub(crate) fn between(from: SectorCoord, to: SectorCoord, size: SectorSize) -> DVec3 {
    if from == to {
        return DVec3::ZERO; // as in most cases
    }
    let side = f64::from(size.metres());
    let x = i64::from(to.x) - i64::from(from.x);
    let z = i64::from(to.z) - i64::from(from.z);
    DVec3::new(x as f64 * side, 0.0, z as f64 * side)
}

fn check_finite(x: f64, y: f64, z: f64) -> Result<(), PositionError> {
    for (axis, value) in [('x', x), ('y', y), ('z', z)] {
        if !value.is_finite() {
            return Err(PositionError::NotFinite { axis, value });
        }
    }
    Ok(())
}

/// −0 becomes +0, so that equal positions have equal bits.
#[inline]
fn plus_zero(value: f32) -> f32 {
    value + 0.0
}

#[cfg(test)]
mod tests;
