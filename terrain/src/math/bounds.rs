//! Rectangles of sectors.

use super::coords::{SectorCoord, SectorSize, WorldPos};

/// A rectangle of sectors, both corners included: in a manifest the one around all sectors that it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SectorBounds {
    /// Least x and least z.
    pub min: SectorCoord,
    /// Greatest x and greatest z.
    pub max: SectorCoord,
}

impl SectorBounds {
    /// Whether a sector lies inside.
    #[must_use]
    #[inline]
    pub fn contains(self, coord: SectorCoord) -> bool {
        (self.min.x..=self.max.x).contains(&coord.x) && (self.min.z..=self.max.z).contains(&coord.z)
    }

    /// The number of sectors inside.
    #[must_use]
    pub fn area(self) -> u128 {
        let side = |min: i32, max: i32| (i128::from(max) - i128::from(min) + 1).unsigned_abs();
        side(self.min.x, self.max.x) * side(self.min.z, self.max.z)
    }

    /// Around all of these sectors; `None` if there are none.
    pub(crate) fn around(coords: impl Iterator<Item = SectorCoord>) -> Option<Self> {
        coords.map(|coord| Self { min: coord, max: coord }).reduce(Self::union)
    }

    /// Those that a square around a position touches: `radius` metres to each side. Conversions to integers
    /// saturate, so it ends with the last sectors that have coordinates.
    pub(crate) fn near(position: WorldPos, radius: f64, size: SectorSize) -> Self {
        let size = f64::from(size.metres());
        let at = |sector: i32, local: f32, radius: f64| {
            (f64::from(sector) + ((f64::from(local) + radius) / size + 0.5).floor()) as i32
        };
        let (sector, local) = (position.sector(), position.local());
        let corner = |radius: f64| {
            SectorCoord::new(at(sector.x, local.x, radius), at(sector.z, local.z, radius))
        };
        Self { min: corner(-radius), max: corner(radius) }
    }

    /// The least that contains both.
    pub(crate) fn union(self, other: Self) -> Self {
        Self {
            min: SectorCoord::new(self.min.x.min(other.min.x), self.min.z.min(other.min.z)),
            max: SectorCoord::new(self.max.x.max(other.max.x), self.max.z.max(other.max.z)),
        }
    }

    /// What both contain; `None` if that is nothing.
    pub(crate) fn within(self, other: Self) -> Option<Self> {
        let min = SectorCoord::new(self.min.x.max(other.min.x), self.min.z.max(other.min.z));
        let max = SectorCoord::new(self.max.x.min(other.max.x), self.max.z.min(other.max.z));
        (min.x <= max.x && min.z <= max.z).then_some(Self { min, max })
    }
}
