//! Quick answers about the ground are those of a walk over its triangles.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use glam::{DVec3, Vec3};
use marchland_random::Random;

use super::{SteepSearch, highest, steeper, walk};
use crate::heightfield::CellKind;
use crate::math::{SectorCoord, greater};
use crate::query::region::Region;
use crate::query::visit::{Facet, Source, Visit};
use crate::{Grid, LoadedSector, SectorData};

/// Terraces and slopes of every steepness; with or without holes.
fn field(random: &mut Random, holes: bool) -> Arc<LoadedSector> {
    let grid = Grid::new(1.0, 32.0, 1.0 / 256.0).unwrap();
    let slope = random.part() * 3.0;
    let heights: Vec<f64> = (0..64)
        .map(|_| random.part() * 2.0 * slope)
        .map(|lump| if lump < slope { 0.0 } else { lump })
        .collect();
    let height = |x: f64, z: f64| {
        let (column, row) = (x.floor() as i32, z.floor() as i32);
        let lump = heights[(column.rem_euclid(9) * 7 + row.rem_euclid(7)) as usize % 64];
        x * slope * 0.2 + lump
    };
    let mut data = SectorData::from_fn(grid, height).unwrap();
    if holes {
        let kind = |at: usize| if at.is_multiple_of(97) { CellKind::Hole } else { CellKind::Solid };
        let cells = (grid.cells() as usize + 2) * (grid.cells() as usize + 2);
        data = data.with_kinds((0..cells).map(kind).collect()).unwrap();
    }
    let file = crate::format::encode(SectorCoord::new(0, 0), &data);
    Arc::new(LoadedSector::new(file.bytes).unwrap())
}

fn region(random: &mut Random) -> Region {
    let mut along = || random.part() * 36.0 - 18.0;
    let min = DVec3::new(along(), along() * 0.3, along());
    // Borders of cells too.
    let min = if min.x > 0.0 { min.floor() } else { min };
    let size = DVec3::new(random.part() * 12.0, random.part() * 3.0, random.part() * 4.0);
    Region { sector: SectorCoord::new(0, 0), min, max: min + size, motion: DVec3::ZERO }
}

#[test]
fn whether_ground_is_steeper_is_what_its_triangles_say() {
    let mut random = Random::from_state(0x2545_f491_4f6c_dd1d);
    let mut said = [0; 2];
    for turn in 0..60 {
        let sector = field(&mut random, turn < 20);
        let field = sector.view().field();
        let size = field.grid().sector_size();
        for _ in 0..300 {
            let region = region(&mut random);
            let here = region.in_sector(region.bounds(), region.sector, size);
            // That of one of the triangles too, so that it hangs on the last bit.
            let mut normals = Normals(Vec::new());
            walk(&field, &here, &mut normals);
            let one = (random.part() * normals.0.len() as f64) as usize;
            let own = normals.0.get(one).copied().unwrap_or(0.5);
            for upright in [own, own.next_up(), 0.0, 1.0, 1.5, random.part(), -0.5] {
                let mut plain = SteepSearch { upright, found: None };
                walk(&field, &here, &mut plain);
                let found = steeper(&field, &here, upright);
                assert_eq!(found.is_some(), plain.found.is_some(), "{upright} in {region:?}");
                said[usize::from(found.is_some())] += 1;
                let Some(at) = found else { continue };
                // Another region that just holds the place.
                let mut beside = || DVec3::new(random.part(), random.part(), random.part()).round();
                let other = Region { min: at - beside(), max: at + beside(), ..region };
                let there = other.in_sector(other.bounds(), other.sector, size);
                assert!(steeper(&field, &there, upright).is_some(), "{upright} at {at}");
            }
        }
    }
    assert!(said[0] > 10_000 && said[1] > 10_000, "{said:?}");
}

/// The upward parts of all normals.
struct Normals(Vec<f64>);

impl Visit for Normals {
    fn source(&mut self, _: &Source) -> bool {
        true
    }

    fn facet(&mut self, _: &Source, facet: &Facet) {
        let normal = super::unit_normal(facet.corners.map(Vec3::as_dvec3));
        self.0.extend(normal.map(|normal| normal.y));
    }
}

#[test]
fn no_triangle_is_higher_than_the_highest_ground() {
    let mut random = Random::from_state(77);
    let mut near = 0;
    for turn in 0..60 {
        let sector = field(&mut random, turn < 20);
        let field = sector.view().field();
        let size = field.grid().sector_size();
        for round in 0..300 {
            let region = region(&mut random).with_heights(-1e3, 1e3);
            // Some are so wide that blocks answer.
            let wider = if round % 8 == 0 { random.part() * 20.0 } else { 0.0 };
            let region = region.grown_by(wider);
            let here = region.in_sector(region.bounds(), region.sector, size);
            let mut most = Most(f64::NEG_INFINITY);
            walk(&field, &here, &mut most);
            let highest = f64::from(highest(&field, &here));
            assert!(most.0 <= highest, "{} above {highest} in {region:?}", most.0);
            near += usize::from(most.0 == highest);
        }
    }
    assert!(near > 9_000, "{near}");
}

/// The highest corner.
struct Most(f64);

impl Visit for Most {
    fn source(&mut self, _: &Source) -> bool {
        true
    }

    fn facet(&mut self, _: &Source, facet: &Facet) {
        for corner in facet.corners {
            self.0 = greater(f64::from(corner.y), self.0);
        }
    }
}
