//! The cost of crossing the ground, in coarse cells: holes, water and steep triangles block a cell;
//! slopes and blocked cells nearby increase its cost.

use marchland_terrain::math::greater;

use crate::grid::Grid;

/// Cost of a cell that cannot be crossed.
pub(crate) const BLOCKED: u32 = u32::MAX;

/// Cost of level open ground, in units of arrival per metre.
pub(crate) const OPEN: u32 = 256;

/// The parameters of the cost.
#[derive(Clone, Copy, Debug)]
pub struct CostRules {
    /// Cells of the ground along a coarse cell.
    pub block: usize,
    /// Steepest triangle that can be crossed, rise over run.
    pub slope_max: f64,
    /// Ground below this height cannot be crossed: water. Metres.
    pub water_height: f64,
    /// Added share of cost for a slope of 1; it grows with the square of the slope.
    pub slope_cost: f64,
    /// Added share of cost next to ground that cannot be crossed.
    pub edge_cost: f64,
}

impl Default for CostRules {
    fn default() -> Self {
        Self {
            block: 4,
            slope_max: 0.62,
            water_height: f64::NEG_INFINITY,
            slope_cost: 14.0,
            edge_cost: 2.0,
        }
    }
}

/// What it costs to cross each coarse cell.
#[derive(Clone, Debug)]
pub struct CostGrid {
    /// Metres along a coarse cell.
    pub(crate) cell: f64,
    /// Cost per metre in units of arrival; [`BLOCKED`] where the cell cannot be crossed.
    pub(crate) costs: Grid<u32>,
}

impl CostGrid {
    /// Costs over ground with `heights` at its samples, `spacing` metres apart, and `holes` (not 0:
    /// no ground) in its cells. Samples that do not fill a coarse cell at the far edges are left out.
    pub fn from_ground(
        heights: &Grid<f64>,
        holes: &Grid<u8>,
        spacing: f64,
        rules: CostRules,
    ) -> Self {
        let columns = (heights.columns - 1) / rules.block;
        let rows = (heights.rows - 1) / rules.block;
        let slopes = Grid::from_fn(columns, rows, |column, row| {
            block_slope(heights, holes, spacing, rules, column * rules.block, row * rules.block)
        });
        let costs = Grid::from_fn(columns, rows, |column, row| {
            let Some(slope) = slopes.at(column, row) else { return BLOCKED };
            let share = 1.0
                + rules.slope_cost * slope * slope
                + rules.edge_cost * nearness_of_blocked(&slopes, column, row);
            (f64::from(OPEN) * share) as u32
        });
        Self { cell: spacing * rules.block as f64, costs }
    }

    /// Whether a place can be crossed; false outside the grid. Metres from the corner.
    pub fn is_open(&self, x: f64, z: f64) -> bool {
        self.index(x, z).is_some_and(|i| self.costs.values[i] != BLOCKED)
    }

    /// The coarse cell of a place.
    pub(crate) fn index(&self, x: f64, z: f64) -> Option<usize> {
        let (column, row) = ((x / self.cell).floor(), (z / self.cell).floor());
        let inside = column >= 0.0
            && row >= 0.0
            && column < self.costs.columns as f64
            && row < self.costs.rows as f64;
        inside.then(|| row as usize * self.costs.columns + column as usize)
    }
}

/// The mean slope of a block of cells; `None` if it holds a hole, water or too steep a triangle.
fn block_slope(
    heights: &Grid<f64>,
    holes: &Grid<u8>,
    spacing: f64,
    rules: CostRules,
    first_column: usize,
    first_row: usize,
) -> Option<f64> {
    let mut sum = 0.0;
    for row in first_row..first_row + rules.block {
        for column in first_column..first_column + rules.block {
            let (a, b) = (heights.at(column, row), heights.at(column + 1, row));
            let (c, e) = (heights.at(column, row + 1), heights.at(column + 1, row + 1));
            // The two triangles of a cell, by the height rule's diagonal from a to e.
            for (east, south) in [(b - a, e - b), (e - c, c - a)] {
                let slope = (east * east + south * south).sqrt() / spacing;
                if slope > rules.slope_max {
                    return None;
                }
                sum += slope;
            }
            if holes.at(column, row) != 0 || a < rules.water_height {
                return None;
            }
        }
    }
    Some(sum / (2 * rules.block * rules.block) as f64)
}

/// 1 beside a blocked cell, less at two cells' distance, 0 in the open.
fn nearness_of_blocked(slopes: &Grid<Option<f64>>, column: usize, row: usize) -> f64 {
    let mut nearness = 0.0;
    for there_row in row.saturating_sub(2)..=row + 2 {
        for there_column in column.saturating_sub(2)..=column + 2 {
            let inside = there_column < slopes.columns && there_row < slopes.rows;
            if inside && slopes.at(there_column, there_row).is_none() {
                let cells = there_column.abs_diff(column).max(there_row.abs_diff(row));
                let near = if cells <= 1 { 1.0 } else { 0.4 };
                nearness = greater(near, nearness);
            }
        }
    }
    nearness
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Level ground of 48 × 40 cells of 2 m, in coarse cells of 8 m.
    fn costs(change: impl Fn(&mut Grid<f64>, &mut Grid<u8>)) -> CostGrid {
        let (mut heights, mut holes) = (Grid::filled(49, 41, 5.0), Grid::filled(48, 40, 0));
        change(&mut heights, &mut holes);
        let rules = CostRules { water_height: 0.0, ..CostRules::default() };
        CostGrid::from_ground(&heights, &holes, 2.0, rules)
    }

    #[test]
    fn a_hole_blocks_its_own_coarse_cell_only() {
        let costs = costs(|_, holes| holes.values[21 * 48 + 18] = 1);
        assert!(!costs.is_open(36.5, 42.5));
        assert!(costs.is_open(31.9, 42.5) && costs.is_open(40.1, 42.5));
    }

    #[test]
    fn one_steep_triangle_or_a_little_water_blocks_a_cell() {
        let steep = costs(|heights, _| heights.values[21 * 49 + 18] += 1.3);
        assert!(!steep.is_open(36.5, 42.5) && steep.is_open(60.0, 42.5));
        let slope = costs(|heights, _| heights.values[21 * 49 + 18] += 0.8);
        assert!(slope.is_open(36.5, 42.5));
        let wet = costs(|heights, _| heights.values.fill(-0.1));
        assert!(!wet.is_open(36.5, 42.5));
    }

    #[test]
    fn ground_beside_what_blocks_costs_more_and_outside_is_closed() {
        let costs = costs(|_, holes| holes.values[21 * 48 + 18] = 1);
        let cost = |x, z| costs.costs.values[costs.index(x, z).unwrap()];
        assert!(cost(44.0, 42.0) > cost(52.0, 42.0) && cost(52.0, 42.0) > cost(60.0, 42.0));
        assert_eq!(cost(60.0, 42.0), OPEN);
        assert!(!costs.is_open(96.0, 10.0) && !costs.is_open(10.0, -0.1));
    }
}
