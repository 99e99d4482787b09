//! The source's own surface, evaluated at the world's samples.
//!
//! Uses the height rule on the source's grid, in `f64`: nothing is smoothed or averaged. Rows arrive one at a
//! time, north or south first; only the few that are still needed are kept.

use std::collections::VecDeque;

use super::alignment::Axis;
use super::error::BakeError;
use super::masks::SourceRect;
use super::quantize::{OUTSIDE, Quantizer, VOID};
use super::source::{HeightSource, RowOrder};
use crate::heightfield::height_in_cell;

/// The greatest distance of the baked surface from the source's own samples.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Difference {
    /// Metres, up or down.
    pub greatest: f64,
    /// The source sample's column.
    pub column: u32,
    /// The source sample's row, counted from the north.
    pub row: u32,
}

pub(crate) struct Resampler {
    x: Axis,
    z: Axis,
    order: RowOrder,
    outside: Vec<SourceRect>,
    /// The source cell and the place in it for each world column.
    columns: Vec<(u32, f64)>,
    /// The world cell and the place in it for each source column.
    world_columns: Vec<Option<(usize, f64)>>,
    /// Source rows in memory, from the north.
    window: VecDeque<SourceRow>,
    /// Source rows read so far.
    read: u32,
    /// The previous world row, in the source's order.
    before: Option<(i64, Vec<i32>)>,
    pub(crate) difference: Difference,
}

struct SourceRow {
    index: u32,
    metres: Vec<f64>,
    /// The world row to the north, counted from the first, and the fraction of the way to the next.
    world: Option<(usize, f64)>,
}

impl Resampler {
    pub(crate) fn new(x: &Axis, z: &Axis, order: RowOrder, outside: Vec<SourceRect>) -> Self {
        Self {
            columns: (x.first..=x.last).map(|column| x.source_place(column as f64)).collect(),
            world_columns: (0..x.source_samples).map(|column| x.world_place(column)).collect(),
            x: x.clone(),
            z: z.clone(),
            order,
            outside,
            window: VecDeque::new(),
            read: 0,
            before: None,
            difference: Difference::default(),
        }
    }

    /// Fills one world row. Rows must be requested in the source's order, each once.
    pub(crate) fn row(
        &mut self,
        index: i64,
        source: &mut dyn HeightSource,
        quantizer: &Quantizer,
        out: &mut [i32],
    ) -> Result<(), BakeError> {
        let (row, v) = self.z.source_place(index as f64);
        self.read_as_far_as(row, v, source, quantizer)?;
        self.sample(row, v, quantizer, out);
        if let Some(column) = Quantizer::first_beyond(out) {
            let (source_column, u) = self.columns[column];
            let metres = self.height(source_column, u, row, v);
            return Err(quantizer.beyond(metres, source_column, row));
        }
        self.compare(index, quantizer, out);
        self.drop_rows_behind(row);
        let (before, quanta) = self.before.get_or_insert_with(|| (index, vec![0; out.len()]));
        *before = index;
        quanta.copy_from_slice(out);
        Ok(())
    }

    /// Reads the rest of the source: damage in its last rows must be detected.
    pub(crate) fn drain(
        &mut self,
        source: &mut dyn HeightSource,
        quantizer: &Quantizer,
    ) -> Result<(), BakeError> {
        while self.read < self.z.source_samples {
            self.window.clear();
            self.read_row(source, quantizer)?;
        }
        Ok(())
    }

    /// Reads the rows around a place, including the one to the north of a grid line.
    fn read_as_far_as(
        &mut self,
        row: u32,
        v: f64,
        source: &mut dyn HeightSource,
        quantizer: &Quantizer,
    ) -> Result<(), BakeError> {
        let last = self.z.source_samples - 1;
        let rows_needed = match self.order {
            RowOrder::NorthFirst => row + 2,
            RowOrder::SouthFirst if v == 0.0 && row > 0 => last - row + 2,
            RowOrder::SouthFirst => last - row + 1,
        };
        while self.read < rows_needed {
            self.read_row(source, quantizer)?;
        }
        Ok(())
    }

    fn read_row(
        &mut self,
        source: &mut dyn HeightSource,
        quantizer: &Quantizer,
    ) -> Result<(), BakeError> {
        let index = match self.order {
            RowOrder::NorthFirst => self.read,
            RowOrder::SouthFirst => self.z.source_samples - 1 - self.read,
        };
        let mut metres = vec![0.0; self.x.source_samples as usize];
        quantizer.metres_row(source.next_row()?, index, &mut metres)?;
        let row = SourceRow { index, metres, world: self.z.world_place(index) };
        match self.order {
            RowOrder::NorthFirst => self.window.push_back(row),
            RowOrder::SouthFirst => self.window.push_front(row),
        }
        self.read += 1;
        Ok(())
    }

    fn metres(&self, row: u32) -> &[f64] {
        let first = self.window.front().map_or(0, |row| row.index);
        &self.window[(row - first) as usize].metres
    }

    fn sample(&self, row: u32, v: f64, quantizer: &Quantizer, out: &mut [i32]) {
        let (north, south) = (self.metres(row), self.metres(row + 1));
        for (out, &(column, u)) in out.iter_mut().zip(&self.columns) {
            let at = column as usize;
            let corners = [north[at], north[at + 1], south[at], south[at + 1]];
            let metres = height_in_source_cell(corners, u, v);
            let metres = metres.unwrap_or_else(|| self.height_beside(column, u, row, v));
            *out = quantizer.quanta(metres);
            if *out == VOID && self.outside.iter().any(|rect| rect.contains(column, row)) {
                *out = OUTSIDE;
            }
        }
    }

    /// The height at a place of the source; not a number where there is none.
    fn height(&self, column: u32, u: f64, row: u32, v: f64) -> f64 {
        self.height_in(column, u, row, v).unwrap_or_else(|| self.height_beside(column, u, row, v))
    }

    /// The height at a place in a cell of the source; `None` where a corner has no height.
    fn height_in(&self, column: u32, u: f64, row: u32, v: f64) -> Option<f64> {
        let (north, south) = (self.metres(row), self.metres(row + 1));
        let at = column as usize;
        height_in_source_cell([north[at], north[at + 1], south[at], south[at + 1]], u, v)
    }

    /// The height at a place whose own cell has a void: on a grid line the cell across it may still have a
    /// height, and at a sample the sample itself may.
    fn height_beside(&self, column: u32, u: f64, row: u32, v: f64) -> f64 {
        let left = u == 0.0 && column > 0;
        let above = v == 0.0 && row > 0;
        left.then(|| self.height_in(column - 1, 1.0, row, v))
            .flatten()
            .or_else(|| above.then(|| self.height_in(column, u, row - 1, 1.0)).flatten())
            .or_else(|| {
                (left && above).then(|| self.height_in(column - 1, 1.0, row - 1, 1.0)).flatten()
            })
            .unwrap_or_else(|| {
                let on_line = |part: f64| part == 0.0 || part == 1.0;
                if on_line(u) && on_line(v) {
                    self.metres(row + v as u32)[(column + u as u32) as usize]
                } else {
                    f64::NAN
                }
            })
    }

    /// Compares the surface between the previous row and this one with the source samples there.
    fn compare(&mut self, index: i64, quantizer: &Quantizer, quanta: &[i32]) {
        let Some((before, quanta_before)) = &self.before else { return };
        let (north_index, north, south) = if *before < index {
            (*before, &quanta_before[..], quanta)
        } else {
            (index, quanta, &quanta_before[..])
        };
        let world_row = (north_index - self.z.first) as usize;
        let step = quantizer.quantum();
        for row in &self.window {
            let Some((_, v)) = row.world.filter(|&(world, _)| world == world_row) else { continue };
            for (column, (&metres, place)) in row.metres.iter().zip(&self.world_columns).enumerate()
            {
                let Some((at, u)) = *place else { continue };
                let corners = [north[at], north[at + 1], south[at], south[at + 1]];
                if metres.is_nan() || corners.iter().any(|&quanta| quanta <= OUTSIDE) {
                    continue;
                }
                let corners = corners.map(|quanta| f64::from(quanta) * step);
                let baked = height_in_source_cell(corners, u, v).unwrap_or(metres);
                let greatest = (baked - metres).abs();
                if greatest > self.difference.greatest {
                    self.difference =
                        Difference { greatest, column: column as u32, row: row.index };
                }
            }
        }
    }

    /// Drops rows that neither a later world row nor a comparison can need.
    fn drop_rows_behind(&mut self, row: u32) {
        // World rows up to (or down to) the one just made have been compared.
        let Some((before, _)) = &self.before else { return };
        let made = (*before - self.z.first) as usize;
        match self.order {
            RowOrder::NorthFirst => {
                let is_done = |first: &mut SourceRow| {
                    first.index + 1 < row && first.world.is_none_or(|(world, _)| world <= made)
                };
                while self.window.pop_front_if(is_done).is_some() {}
            }
            RowOrder::SouthFirst => {
                let is_done = |last: &mut SourceRow| {
                    last.index > row + 1 && last.world.is_none_or(|(world, _)| world + 1 >= made)
                };
                while self.window.pop_back_if(is_done).is_some() {}
            }
        }
    }
}

/// The height rule in `f64`; `None` where a corner has no height.
#[inline]
fn height_in_source_cell(corners: [f64; 4], u: f64, v: f64) -> Option<f64> {
    let [nw, ne, sw, se] = corners;
    (!(nw + ne + sw + se).is_nan()).then(|| height_in_cell(corners, u, v))
}
