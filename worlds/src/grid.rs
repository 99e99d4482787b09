//! Plain rectangular arrays: used by the recipe, the demo and the scenes.
//!
//! ```text
//!   columns run east (+X) →      values[row * columns + column]
//!   rows run south (+Z)  ↓      row 0 is north
//! ```

/// A rectangle of values, row by row from the north-west corner.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid<T> {
    /// Values along +X.
    pub columns: usize,
    /// Values along +Z.
    pub rows: usize,
    /// `rows × columns` values, row by row.
    pub values: Vec<T>,
}

impl<T: Copy> Grid<T> {
    /// A grid that holds one value everywhere.
    pub fn filled(columns: usize, rows: usize, value: T) -> Self {
        Self { columns, rows, values: vec![value; columns * rows] }
    }

    /// A grid whose value at (column, row) is given by `value`, called row by row.
    pub fn from_fn(columns: usize, rows: usize, mut value: impl FnMut(usize, usize) -> T) -> Self {
        let mut values = Vec::with_capacity(columns * rows);
        for row in 0..rows {
            for column in 0..columns {
                values.push(value(column, row));
            }
        }
        Self { columns, rows, values }
    }

    /// The grid of what `value` makes of each of its values, row by row.
    pub fn map<U>(&self, value: impl FnMut(T) -> U) -> Grid<U> {
        let values = self.values.iter().copied().map(value).collect();
        Grid { columns: self.columns, rows: self.rows, values }
    }

    /// As [`Grid::from_fn`], with the rows distributed over the machine's threads.
    pub fn from_fn_threaded(
        columns: usize,
        rows: usize,
        value: impl Fn(usize, usize) -> T + Sync,
    ) -> Self
    where
        T: Default + Send,
    {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let band_rows = rows.div_ceil(threads);
        let mut grid = Self::filled(columns, rows, T::default());
        std::thread::scope(|scope| {
            for (band, values) in grid.values.chunks_mut(columns * band_rows).enumerate() {
                let value = &value;
                scope.spawn(move || {
                    for (i, out) in values.iter_mut().enumerate() {
                        *out = value(i % columns, band * band_rows + i / columns);
                    }
                });
            }
        });
        grid
    }

    /// The value at (column, row).
    ///
    /// # Panics
    /// If the place is outside the grid.
    pub fn at(&self, column: usize, row: usize) -> T {
        assert!(column < self.columns, "column {column} of {}", self.columns);
        self.values[row * self.columns + column]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_follow_each_other_and_columns_are_neighbours() {
        // Not square: a swapped column and row would be out of bounds or wrong.
        let grid = Grid::from_fn(5, 3, |column, row| 10 * row + column);
        assert_eq!(grid, Grid::from_fn_threaded(5, 3, |column, row| 10 * row + column));
        assert_eq!(grid.values.len(), 15);
        assert_eq!(grid.values[6], 11);
        assert_eq!(grid.at(4, 2), 24);
    }

    #[test]
    #[should_panic(expected = "column 5 of 5")]
    fn a_column_past_the_end_is_not_the_next_row() {
        Grid::filled(5, 3, 0u8).at(5, 0);
    }
}
