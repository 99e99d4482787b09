//! Small worlds for rays.

use std::sync::Arc;

pub(crate) use marchland_random::Random;
use marchland_terrain::format::encode;
use marchland_terrain::glam::Vec3;
use marchland_terrain::{
    CellKind, Grid, LoadedSector, PropId, RayHit, Raycast, ResidentSectors, SectorCoord,
    SectorData, SurfaceLayer, WorldPos,
};

/// Mixes numbers into bits without order.
pub(crate) fn mix(seed: u64, a: i32, b: i32) -> u64 {
    let mut hash = seed ^ (u64::from(a as u32) << 32 | u64::from(b as u32));
    for _ in 0..2 {
        hash = (hash ^ (hash >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    hash ^ (hash >> 29)
}

/// `along × along` sectors around `middle`; heights and kinds are given by sample and cell numbers
/// counted from the middle sector's low corner.
pub(crate) struct Scene {
    pub(crate) sectors: ResidentSectors,
    pub(crate) grid: Grid,
    pub(crate) middle: SectorCoord,
    pub(crate) along: i32,
}

impl Scene {
    pub(crate) fn new(
        grid: Grid,
        middle: SectorCoord,
        along: i32,
        quanta: impl Fn(i32, i32) -> i32,
        kind: impl Fn(i32, i32) -> CellKind,
    ) -> Self {
        let mut sectors = ResidentSectors::new(grid);
        let cells = grid.cells() as i32;
        let around = along / 2;
        for z in -around..=around {
            for x in -around..=around {
                let grids = |end: i32| {
                    (-1..=end)
                        .flat_map(move |row| (-1..=end).map(move |column| (column, row)))
                        .map(|(column, row)| (x * cells + column, z * cells + row))
                };
                let heights = grids(cells + 1).map(|(column, row)| quanta(column, row)).collect();
                let kinds = grids(cells).map(|(column, row)| kind(column, row)).collect();
                let surfaces = (0..cells * cells).map(|cell| (cell * 7 % 5) as u8).collect();
                let surfaces = SurfaceLayer::PerCell(surfaces);
                let data = SectorData::new(grid, heights, Some(kinds), surfaces).unwrap();
                let coord = middle.offset(x, z).unwrap();
                let bytes = encode(coord, &data).bytes;
                sectors.insert(coord, Arc::new(LoadedSector::new(bytes).unwrap())).unwrap();
            }
        }
        Self { sectors, grid, middle, along }
    }

    /// Rough ground: every sample is anything within `relief` quanta of 0.
    pub(crate) fn rough(grid: Grid, middle: SectorCoord, relief: i32, seed: u64) -> Self {
        let height = rough_heights(relief, seed);
        Self::new(grid, middle, 3, height, |_, _| CellKind::Solid)
    }

    /// Rough ground with holes, and cells missing along the world's edge.
    pub(crate) fn ragged(grid: Grid, middle: SectorCoord, relief: i32, seed: u64) -> Self {
        let cells = grid.cells() as i32;
        Self::new(grid, middle, 3, rough_heights(relief, seed), move |column, row| {
            let on_edge = column < -cells + 2 || row >= 2 * cells - 1;
            match mix(seed ^ 77, column, row) % 16 {
                0 | 1 => CellKind::Hole,
                2..=9 if on_edge => CellKind::Outside,
                _ if column >= 2 * cells - 3 => CellKind::Outside,
                _ => CellKind::Solid,
            }
        })
    }

    /// Metres along a side of all sectors together.
    pub(crate) fn extent(&self) -> f64 {
        f64::from(self.grid.sector_size().metres()) * f64::from(self.along)
    }

    /// The place at metres from the middle sector's centre.
    pub(crate) fn at(&self, x: f64, y: f64, z: f64) -> WorldPos {
        let size = self.grid.sector_size();
        let split = |metres: f64| {
            let side = f64::from(size.metres());
            let sectors = (metres / side).round();
            (sectors as i32, (metres - sectors * side) as f32)
        };
        let ((sector_x, x), (sector_z, z)) = (split(x), split(z));
        let sector = self.middle.offset(sector_x, sector_z).unwrap();
        WorldPos::new(sector, Vec3::new(x, y as f32, z), size).unwrap()
    }

    /// Metres from the middle sector's centre, exactly.
    pub(crate) fn metres(&self, place: WorldPos) -> [f64; 3] {
        let side = f64::from(self.grid.sector_size().metres());
        let sectors = |place: i32, middle: i32| (i64::from(place) - i64::from(middle)) as f64;
        [
            sectors(place.sector().x, self.middle.x) * side + f64::from(place.local().x),
            f64::from(place.local().y),
            sectors(place.sector().z, self.middle.z) * side + f64::from(place.local().z),
        ]
    }

    pub(crate) fn cast(&self, from: WorldPos, direction: Vec3, max_distance: f32) -> Raycast {
        self.sectors.view().raycast(from, direction, max_distance).unwrap()
    }

    pub(crate) fn hit(&self, from: WorldPos, direction: Vec3) -> RayHit {
        match self.cast(from, direction, f32::INFINITY) {
            Raycast::Hit(hit) => hit,
            other => panic!("{other:?} from {from:?} towards {direction}"),
        }
    }
}

/// Rolling ground: values at every 24th and every 5th sample, straight between them.
pub(crate) fn rolling_heights(seed: u64) -> impl Fn(i32, i32) -> i32 {
    move |column, row| {
        let layer = |spacing: i32, relief: i32, seed: u64| {
            let value = |right: i32, down: i32| {
                let (column, row) =
                    (column.div_euclid(spacing) + right, row.div_euclid(spacing) + down);
                rough_heights(relief, seed)(column, row)
            };
            let (u, v) = (column.rem_euclid(spacing), row.rem_euclid(spacing));
            let north = value(0, 0) * (spacing - u) + value(1, 0) * u;
            let south = value(0, 1) * (spacing - u) + value(1, 1) * u;
            (north * (spacing - v) + south * v) / (spacing * spacing)
        };
        layer(24, 2500, seed) + layer(5, 200, seed + 1)
    }
}

pub(crate) fn rough_heights(relief: i32, seed: u64) -> impl Fn(i32, i32) -> i32 {
    move |column, row| (mix(seed, column, row) % (2 * relief as u64 + 1)) as i32 - relief
}

/// Everything an answer says, as bits, sectors counted from `middle`.
pub(crate) fn bits_of(answer: Raycast, middle: SectorCoord) -> Vec<u32> {
    match answer {
        Raycast::Miss => vec![0],
        Raycast::Unknown { from } => vec![1, from.to_bits()],
        Raycast::Hit(hit) => {
            let local = hit.position.local();
            let mut bits = vec![2, hit.distance.to_bits(), u32::from(hit.surface.0)];
            bits.push(u32::from(hit.from_below));
            match hit.prop.map(|prop| (prop.id, prop.triangle)) {
                None => {}
                Some((PropId::Live { slot, generation }, triangle)) => {
                    bits.extend([slot, generation, triangle]);
                }
                Some((PropId::Baked { sector, index }, triangle)) => {
                    bits.push(sector.x.wrapping_sub(middle.x) as u32);
                    bits.push(sector.z.wrapping_sub(middle.z) as u32);
                    bits.extend([index, triangle]);
                }
            }
            bits.push(hit.position.sector().x.wrapping_sub(middle.x) as u32);
            bits.push(hit.position.sector().z.wrapping_sub(middle.z) as u32);
            bits.extend(local.to_array().map(f32::to_bits));
            bits.extend(hit.normal.to_array().map(f32::to_bits));
            bits
        }
    }
}

pub(crate) fn length_of(vector: Vec3) -> f64 {
    let [x, y, z] = vector.to_array().map(f64::from);
    (x * x + y * y + z * z).sqrt()
}
