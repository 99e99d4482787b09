//! The result of placing: every prop once, and which sectors know it.

use crate::bake::props::{Amount, PropInput};
use crate::grid::Grid;
use crate::math::{Aabb, SectorCoord};
use crate::props::{PreparedMesh, PropRecord};

/// How many props a rule placed.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleReport {
    /// The name of the rule in the input.
    pub name: String,
    /// The requested count; `None` for a density.
    pub asked: Option<u64>,
    /// How many it placed.
    pub placed: u64,
}

/// Every prop of a world, each once, and which sectors know it.
#[derive(Clone, Debug, PartialEq)]
pub struct Placements {
    /// Ordered by owner sector, row by row, then by number. `mesh` is an index into the input's meshes.
    props: Vec<PropRecord>,
    /// Pairs of a sector and a prop that it knows, ordered by both.
    known: Vec<(SectorCoord, u32)>,
    rules: Vec<RuleReport>,
}

impl Placements {
    /// Every prop once, ordered by owner sector and number. `mesh` is an index into the input's meshes.
    #[must_use]
    pub fn props(&self) -> &[PropRecord] {
        &self.props
    }

    /// How many props each rule placed, in the order of the input.
    #[must_use]
    pub fn rules(&self) -> &[RuleReport] {
        &self.rules
    }

    /// How often each mesh is placed, for an input of `meshes` meshes.
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

    /// The sectors that know at least one prop, row by row.
    #[must_use]
    pub fn sectors(&self) -> Vec<SectorCoord> {
        let mut sectors: Vec<SectorCoord> = self.known.iter().map(|&(coord, _)| coord).collect();
        sectors.dedup();
        sectors
    }

    /// The props that a sector knows: those that reach into it, and those whose origin lies in it.
    /// `mesh` is an index into the input's meshes.
    #[must_use]
    pub fn of_sector(&self, coord: SectorCoord) -> Vec<PropRecord> {
        let begin = self.known.partition_point(|&(other, _)| order(other) < order(coord));
        let here = self.known[begin..].iter().take_while(|&&(other, _)| other == coord);
        here.map(|&(_, prop)| self.props[prop as usize]).collect()
    }

    pub(crate) fn new(input: &PropInput, placed: Vec<PlacedProp>) -> Self {
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
        Self { props, known: Vec::new(), rules }
    }

    /// Finds the sectors of the world that must know each prop.
    pub(crate) fn make_known(&mut self, grid: Grid, sectors: &[SectorCoord], input: &PropInput) {
        let bounds: Vec<Aabb> = input.meshes.iter().map(PreparedMesh::bounds).collect();
        for (number, prop) in (0..).zip(&self.props) {
            let bounds = bounds.get(prop.mesh as usize).copied().unwrap_or(Aabb::EMPTY);
            let (low, high) = prop.sectors_reached(grid.sector_size(), &bounds);
            self.known.push((prop.sector, number));
            for (x, z) in (low.z..=high.z).flat_map(|z| (low.x..=high.x).map(move |x| (x, z))) {
                let coord = SectorCoord::new(x, z);
                let is_there = sectors.binary_search_by_key(&order(coord), |&other| order(other));
                if coord != prop.sector && is_there.is_ok() {
                    self.known.push((coord, number));
                }
            }
        }
        self.known.sort_unstable_by_key(|&(coord, prop)| (order(coord), prop));
    }
}

/// The props that a sector owns.
#[derive(Default)]
pub(crate) struct PlacedProp {
    /// In the order of their numbers.
    pub(crate) props: Vec<PropRecord>,
    /// How many of them each rule placed.
    pub(crate) by_rule: Vec<u64>,
}

/// The order in which sectors are visited: row by row from the north.
pub(crate) fn order(coord: SectorCoord) -> (i32, i32) {
    (coord.z, coord.x)
}
