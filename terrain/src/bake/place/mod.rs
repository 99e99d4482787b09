//! Where the props of a world stand, and which sectors they reach into.
//!
//! ```text
//! PropInput ─ check ─┬─ props ─ owner sector, height above the ground (listed) ─┐
//!                    └─ rules ─ shares ─ sector by sector (scatter) ────────────┴─ number ─ bounds ─▶ Placements
//! ```
//!
//! A prop belongs to the sector that holds its origin and is numbered there: first the props listed one by
//! one, in the order of the input, then those of each rule. The props of a sector depend only on the input
//! and on that sector's ground, so any number of threads gives the same props.

pub(super) mod error;
mod listed;
pub(super) mod placements;
mod scatter;

use std::sync::atomic::{AtomicU64, Ordering};

use glam::Vec3;

use self::error::PlaceError;
use self::listed::ListedProp;
use self::placements::{PlacedProp, Placements, order};
use self::scatter::Patch;
use super::ground::{GroundOf, ground_of};
use super::props::{Amount, PROPS_MAX, PropInput, PropKind, Scatter};
use super::threads::in_order;
use crate::grid::Grid;
use crate::limits::PROP_HEIGHT_MAX;
use crate::math::SectorCoord;
use crate::props::{Collision, PROP_EXTENT_MAX, PROP_SECTORS_MAX, Placement, PropRecord};

/// Places all props of the input. `sectors` are all sectors of the world, in any order, each once.
///
/// # Errors
/// If the input is invalid, a prop has no valid position, there are too many props, one reaches too
/// far, or a sector cannot be read.
pub fn place(
    grid: Grid,
    sectors: &[SectorCoord],
    input: &PropInput,
    ground: &GroundOf<'_>,
) -> Result<Placements, PlaceError> {
    let mut sectors = sectors.to_vec();
    sectors.sort_unstable_by_key(|&coord| order(coord));
    check(input)?;
    let fixed = listed::stand(grid, &sectors, input, ground)?;
    let placer = Placer { grid, sectors: &sectors, input, fixed: &fixed, ground };
    let numbers = placer.numbers()?;
    let placed = placer.place_all(&numbers)?;
    let mut placements = Placements::new(input, placed);
    placements.make_known(grid, &sectors, input);
    Ok(placements)
}

/// Returns an error if the input is invalid whatever the ground.
fn check(input: &PropInput) -> Result<(), PlaceError> {
    let kind = |name: &str, kind: &PropKind| {
        let meshes = input.meshes.len();
        let Some(mesh) = input.meshes.get(kind.mesh) else {
            return Err(PlaceError::Mesh { name: name.to_owned(), found: kind.mesh, meshes });
        };
        if kind.collision == Collision::Solid && !mesh.is_closed() {
            return Err(PlaceError::NotClosed { name: name.to_owned() });
        }
        Ok(())
    };
    let mut asked = input.props.len() as u64;
    for prop in &input.props {
        kind(&prop.name, &prop.kind)?;
    }
    for rule in &input.scatters {
        kind(&rule.name, &rule.kind)?;
        scatter::check(rule)?;
        if let Amount::Count(count) = rule.amount {
            asked = asked.saturating_add(count);
        }
        if asked > PROPS_MAX {
            return Err(PlaceError::TooMany { name: rule.name.clone() });
        }
    }
    Ok(())
}

/// Everything needed to place props in one sector.
struct Placer<'a> {
    grid: Grid,
    sectors: &'a [SectorCoord],
    input: &'a PropInput,
    fixed: &'a [ListedProp],
    ground: &'a GroundOf<'a>,
}

impl Placer<'_> {
    /// For each rule that places a count, the number of props of each sector; empty for other rules.
    fn numbers(&self) -> Result<Vec<Vec<u64>>, PlaceError> {
        let rules = &self.input.scatters;
        let is_count = |rule: &Scatter| matches!(rule.amount, Amount::Count(_));
        if !rules.iter().any(is_count) {
            return Ok(vec![Vec::new(); rules.len()]);
        }
        // For each sector and rule: the weight of the suitable ground, and of all ground that might suit.
        let weigh = |coord: SectorCoord| -> Result<Vec<[u64; 2]>, PlaceError> {
            let ground = ground_of(self.ground, coord)?;
            let field = ground.view().field();
            let weigh = |rule: &Scatter| match Patch::of(rule, coord, &field) {
                Some(patch) if is_count(rule) => {
                    [scatter::weight(rule, &field, &patch), scatter::area(&patch)]
                }
                _ => [0, 0],
            };
            Ok(rules.iter().map(weigh).collect())
        };
        let weights = in_order(self.sectors, &weigh)?;
        let share = |(index, rule): (usize, &Scatter)| {
            let Amount::Count(count) = rule.amount else { return Vec::new() };
            let [suits, could] = [0, 1].map(|which| {
                let weights = weights.iter().map(|sector| sector[index][which]);
                weights.collect::<Vec<u64>>()
            });
            // Suitable ground that is too rare for the pattern may still be found by trying everywhere.
            scatter::shares(
                count,
                if suits.iter().any(|&weight| weight > 0) { &suits } else { &could },
            )
        };
        Ok(rules.iter().enumerate().map(share).collect())
    }

    fn place_all(&self, numbers: &[Vec<u64>]) -> Result<Vec<PlacedProp>, PlaceError> {
        let places: Vec<usize> = (0..self.sectors.len()).collect();
        let total = AtomicU64::new(0);
        let placed = in_order(&places, &|at: usize| {
            // Stops before too many props fill the memory.
            if total.load(Ordering::Relaxed) > PROPS_MAX {
                return Ok(PlacedProp::default());
            }
            let placed = self.place_in(at, numbers)?;
            total.fetch_add(placed.props.len() as u64, Ordering::Relaxed);
            Ok(placed)
        })?;
        if total.into_inner() > PROPS_MAX {
            return Err(PlaceError::TooMany { name: "all rules together".into() });
        }
        Ok(placed)
    }

    /// The props owned by the sector at an index of the list.
    fn place_in(&self, at: usize, numbers: &[Vec<u64>]) -> Result<PlacedProp, PlaceError> {
        let coord = self.sectors[at];
        let here = order(coord);
        let begin = self.fixed.partition_point(|one| order(one.place.sector()) < here);
        let count = self.fixed[begin..].partition_point(|one| order(one.place.sector()) == here);
        let fixed = &self.fixed[begin..begin + count];
        let mut placed = PlacedProp::default();
        for one in fixed {
            let prop = &self.input.props[one.input];
            let placement = Placement::new(prop.rotation, prop.scale)
                .map_err(|source| PlaceError::Scale { name: prop.name.clone(), source })?;
            self.push(&mut placed, coord, &prop.name, &prop.kind, one.place.local(), placement)?;
        }
        if self.input.scatters.is_empty() {
            return Ok(placed);
        }
        let ground = ground_of(self.ground, coord)?;
        let field = ground.view().field();
        for (index, rule) in self.input.scatters.iter().enumerate() {
            let before = placed.props.len();
            if let Some(patch) = Patch::of(rule, coord, &field) {
                let number = match rule.amount {
                    Amount::Count(_) => numbers[index][at],
                    Amount::PerHectare(density) => {
                        let tries = scatter::candidates(rule, index, coord, &patch, density);
                        if tries > PROPS_MAX as f64 {
                            return Err(PlaceError::TooMany { name: rule.name.clone() });
                        }
                        tries as u64
                    }
                };
                for one in scatter::scatter(rule, index, coord, &field, &patch, number) {
                    let (name, kind) = (&rule.name, &rule.kind);
                    self.push(&mut placed, coord, name, kind, one.position, one.placement)?;
                }
            }
            placed.by_rule.push((placed.props.len() - before) as u64);
        }
        Ok(placed)
    }

    /// Numbers a prop and adds it; returns an error if it is too high or reaches too far.
    fn push(
        &self,
        placed: &mut PlacedProp,
        sector: SectorCoord,
        name: &str,
        kind: &PropKind,
        position: Vec3,
        placement: Placement,
    ) -> Result<(), PlaceError> {
        let name = || name.to_owned();
        let height = f64::from(position.y);
        if !(-PROP_HEIGHT_MAX..=PROP_HEIGHT_MAX).contains(&height) {
            return Err(PlaceError::Height { name: name(), found: height });
        }
        let bounds = self.input.meshes[kind.mesh].bounds();
        let bounds = placement.placed_bounds(&bounds);
        let mut ends = [bounds.min, bounds.max].into_iter().flat_map(|end| end.abs().to_array());
        if let Some(found) = ends.find(|metres| metres.is_nan() || *metres > PROP_EXTENT_MAX) {
            return Err(PlaceError::Extent { name: name(), found });
        }
        let record = PropRecord {
            sector,
            index: placed.props.len() as u32,
            mesh: kind.mesh as u32,
            position,
            placement,
            surface: kind.surface,
            collision: kind.collision,
            layers: kind.layers,
        };
        let size = self.grid.sector_size();
        let found = record.sector_count(size, &bounds);
        if found > PROP_SECTORS_MAX {
            let sector_size = size.metres();
            return Err(PlaceError::Sectors { name: name(), found, sector_size });
        }
        placed.props.push(record);
        Ok(())
    }
}
