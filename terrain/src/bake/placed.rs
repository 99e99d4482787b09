//! What placing comes to: every prop once, and which sectors know it.

use super::props::{Amount, PropInput};
use crate::grid::Grid;
use crate::math::{Aabb, SectorCoord, SectorSize};
use crate::props::{PreparedMesh, PropRecord};

/// What a rule came to.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleReport {
    /// What the input calls it.
    pub name: String,
    /// The count it was to place; nothing for a density.
    pub asked: Option<u64>,
    /// How many it placed.
    pub placed: u64,
}

/// Everything that stands in a world, each once, and which sectors know it.
#[derive(Clone, Debug, PartialEq)]
pub struct Placements {
    /// In order of their owner sectors, row by row, then of their numbers. `mesh` is that of the
    /// input.
    props: Vec<PropRecord>,
    /// A sector and a prop that reaches into it, in order of both.
    reached: Vec<(SectorCoord, u32)>,
    rules: Vec<RuleReport>,
}

/// The props that one sector knows.
#[derive(Clone, Debug, PartialEq)]
pub struct SectorPlacements {
    /// Their records; `mesh` counts `meshes`.
    pub records: Vec<PropRecord>,
    /// The meshes of the input that they need, ascending.
    pub meshes: Vec<usize>,
}

impl Placements {
    /// Every prop once, by owner sector and number. `mesh` is that of the input.
    #[must_use]
    pub fn props(&self) -> &[PropRecord] {
        &self.props
    }

    /// What the rules came to, in the order of the input.
    #[must_use]
    pub fn rules(&self) -> &[RuleReport] {
        &self.rules
    }

    /// How often each mesh of an input of so many is placed.
    #[must_use]
    pub fn uses(&self, meshes: usize) -> Vec<u64> {
        let mut uses = vec![0; meshes];
        for prop in &self.props {
            if let Some(count) = uses.get_mut(prop.mesh as usize) {
                *count += 1;
            }
        }
        uses
    }

    /// The sectors that props reach into, row by row.
    #[must_use]
    pub fn sectors(&self) -> Vec<SectorCoord> {
        let mut sectors: Vec<SectorCoord> = self.reached.iter().map(|&(coord, _)| coord).collect();
        sectors.dedup();
        sectors
    }

    /// What a sector knows of them.
    #[must_use]
    pub fn of_sector(&self, coord: SectorCoord) -> SectorPlacements {
        let begin = self.reached.partition_point(|&(other, _)| order(other) < order(coord));
        let count = self.reached[begin..].partition_point(|&(other, _)| other == coord);
        let mut records: Vec<PropRecord> = self.reached[begin..begin + count]
            .iter()
            .map(|&(_, prop)| self.props[prop as usize])
            .collect();
        let mut meshes: Vec<u32> = records.iter().map(|record| record.mesh).collect();
        meshes.sort_unstable();
        meshes.dedup();
        for record in &mut records {
            record.mesh = meshes.partition_point(|&mesh| mesh < record.mesh) as u32;
        }
        SectorPlacements { records, meshes: meshes.iter().map(|&mesh| mesh as usize).collect() }
    }

    pub(super) fn new(input: &PropInput, placed: Vec<Placed>) -> Self {
        let mut rules: Vec<RuleReport> = input
            .scatters
            .iter()
            .map(|rule| RuleReport {
                name: rule.name.clone(),
                asked: match rule.amount {
                    Amount::Count(count) => Some(count),
                    Amount::PerHectare(_) => None,
                },
                placed: 0,
            })
            .collect();
        let mut props = Vec::with_capacity(placed.iter().map(|one| one.props.len()).sum());
        for one in placed {
            for (rule, placed) in rules.iter_mut().zip(&one.by_rule) {
                rule.placed += placed;
            }
            props.extend(one.props);
        }
        Self { props, reached: Vec::new(), rules }
    }

    /// Finds the sectors of the world that each prop's box touches.
    pub(super) fn reach(&mut self, grid: Grid, sectors: &[SectorCoord], input: &PropInput) {
        let bounds: Vec<Aabb> = input.meshes.iter().map(PreparedMesh::bounds).collect();
        let size = grid.sector_size();
        for (number, prop) in self.props.iter().enumerate() {
            let bounds = bounds.get(prop.mesh as usize).copied().unwrap_or(Aabb::EMPTY);
            let reach = prop.placement.reach(&bounds);
            let columns = touched(prop.sector.x, prop.position.x, [reach.min.x, reach.max.x], size);
            let rows = touched(prop.sector.z, prop.position.z, [reach.min.z, reach.max.z], size);
            for z in rows.0..=rows.1 {
                for x in columns.0..=columns.1 {
                    let coord = SectorCoord::new(x, z);
                    if sectors.binary_search_by_key(&order(coord), |&coord| order(coord)).is_ok() {
                        self.reached.push((coord, number as u32));
                    }
                }
            }
        }
        self.reached.sort_unstable_by_key(|&(coord, prop)| (order(coord), prop));
    }
}

/// First and last sector along an axis that a range touches, borders included: `reach` metres from
/// a place in a sector.
pub(super) fn touched(sector: i32, local: f32, reach: [f32; 2], size: SectorSize) -> (i32, i32) {
    let (side, half) = (f64::from(size.metres()), f64::from(size.half()));
    let [low, high] = reach.map(|metres| (f64::from(local) + f64::from(metres) + half) / side);
    // A range that only touches its sector's low border touches the sector before it too. Sums of 33
    // bits are exact, and conversions saturate at the last sector that can be named.
    let first = f64::from(sector) + low.ceil() - 1.0;
    let last = f64::from(sector) + high.floor();
    (first as i32, last as i32)
}

/// What a sector owns.
#[derive(Default)]
pub(super) struct Placed {
    /// In the order of their numbers.
    pub(super) props: Vec<PropRecord>,
    /// How many of them each rule placed.
    pub(super) by_rule: Vec<u64>,
}

/// The order in which sectors are visited: row by row from the north.
pub(super) fn order(coord: SectorCoord) -> (i32, i32) {
    (coord.z, coord.x)
}
