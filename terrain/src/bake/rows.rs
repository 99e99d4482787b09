//! The source as rows of the world's own samples: taken unchanged where the source lies on the
//! grid, resampled where it does not.

use super::alignment::Axis;
use super::error::BakeError;
use super::masks::{MaskRows, SourceRect};
use super::quantize::{OUTSIDE, Quantizer};
use super::resample::{Difference, Resampler};
use super::source::{HeightSource, RowOrder};
use crate::heightfield::CellKind;

/// One row of world samples, and the row of cells to the south of it.
#[derive(Debug)]
pub(crate) struct WorldRow {
    /// Index of the row of world samples.
    pub(crate) index: i64,
    /// Heights, or [`VOID`](super::quantize::VOID) or [`OUTSIDE`], from the first world column on.
    pub(crate) quanta: Vec<i32>,
    /// Whether any sample has no height.
    pub(crate) has_void: bool,
    /// The kinds, from the masks, of the cells south of the row; `None` if all are solid ground.
    pub(crate) kinds: Option<Vec<CellKind>>,
    /// Surfaces of the cells south of the row.
    pub(crate) surfaces: Option<Vec<u8>>,
}

/// Delivers world rows in the order of the source.
pub(crate) struct WorldRows {
    source: Box<dyn HeightSource>,
    order: RowOrder,
    quantizer: Quantizer,
    x: Axis,
    z: Axis,
    resampler: Option<Resampler>,
    masks: Masks,
    /// The source's cell under the middle of each world cell of a row.
    cell_columns: Vec<u32>,
    /// World rows delivered so far.
    delivered: usize,
}

/// The masks of a bake.
pub(crate) struct Masks {
    pub(crate) holes: Option<MaskRows>,
    pub(crate) surfaces: Option<MaskRows>,
    pub(crate) surface_names: usize,
    pub(crate) outside: Vec<SourceRect>,
}

impl WorldRows {
    pub(crate) fn new(
        source: Box<dyn HeightSource>,
        quantizer: Quantizer,
        x: Axis,
        z: Axis,
        masks: Masks,
    ) -> Self {
        let order = source.order();
        let aligned = x.aligned && z.aligned;
        let resampler = (!aligned).then(|| Resampler::new(&x, &z, order, masks.outside.clone()));
        let cell_columns = (x.first..x.last)
            .map(|column| {
                if aligned {
                    (column - x.first) as u32
                } else {
                    x.source_place(column as f64 + 0.5).0
                }
            })
            .collect();
        Self { source, order, quantizer, x, z, resampler, masks, cell_columns, delivered: 0 }
    }

    /// The next row; `None` after the last, when the source has been read to its end.
    pub(crate) fn next(&mut self) -> Result<Option<WorldRow>, BakeError> {
        let rows = self.z.samples();
        if self.delivered == rows {
            if let Some(resampler) = &mut self.resampler {
                resampler.drain(self.source.as_mut(), &self.quantizer)?;
            }
            return Ok(None);
        }
        let turn = self.delivered as i64;
        let index = match self.order {
            RowOrder::NorthFirst => self.z.first + turn,
            RowOrder::SouthFirst => self.z.last - turn,
        };
        self.delivered += 1;
        let (quanta, has_void) = self.quanta(index)?;
        let (kinds, surfaces) = if index < self.z.last { self.cells(index)? } else { (None, None) };
        Ok(Some(WorldRow { index, quanta, has_void, kinds, surfaces }))
    }

    /// The greatest difference between the baked surface and the source's own samples.
    pub(crate) fn difference(&self) -> Option<Difference> {
        self.resampler.as_ref().map(|resampler| resampler.difference)
    }

    /// The heights of a row, and whether any sample has none.
    fn quanta(&mut self, index: i64) -> Result<(Vec<i32>, bool), BakeError> {
        let columns = self.x.samples();
        match &mut self.resampler {
            None => {
                let row = (index - self.z.first) as u32;
                self.quantizer.quanta_row(self.source.next_row()?, row, columns)
            }
            Some(resampler) => {
                let mut quanta = vec![0; columns];
                resampler.row(index, self.source.as_mut(), &self.quantizer, &mut quanta)?;
                let has_void = quanta.iter().any(|&quanta| quanta <= OUTSIDE);
                Ok((quanta, has_void))
            }
        }
    }

    /// Kinds and surfaces of the cells south of a row.
    #[expect(clippy::type_complexity, reason = "two optional rows, named by the caller")]
    fn cells(&mut self, index: i64) -> Result<(Option<Vec<CellKind>>, Option<Vec<u8>>), BakeError> {
        let row = if self.resampler.is_none() {
            (index - self.z.first) as u32
        } else {
            self.z.source_place(index as f64 + 0.5).0
        };
        let mut kinds = None;
        if let Some(holes) = &mut self.masks.holes {
            let mask = holes.row(row)?;
            if mask.iter().any(|&value| value != 0) {
                let kind = |&column: &u32| match mask[column as usize] {
                    0 => CellKind::Solid,
                    _ => CellKind::Hole,
                };
                kinds = Some(self.cell_columns.iter().map(kind).collect());
            }
        }
        for rect in self.masks.outside.iter().filter(|rect| rect.has_row(row)) {
            let kinds: &mut Vec<CellKind> =
                kinds.get_or_insert_with(|| vec![CellKind::Solid; self.cell_columns.len()]);
            for (kind, &column) in kinds.iter_mut().zip(&self.cell_columns) {
                if rect.contains(column, row) {
                    *kind = CellKind::Outside;
                }
            }
        }
        let mut surfaces = None;
        if let Some(mask) = &mut self.masks.surfaces {
            let (ids, names) = (mask.row(row)?, self.masks.surface_names);
            if let Some(column) = ids.iter().position(|&id| usize::from(id) >= names) {
                let (id, column) = (ids[column], column as u32);
                return Err(BakeError::SurfaceId { id, column, row, names });
            }
            surfaces = Some(self.cell_columns.iter().map(|&column| ids[column as usize]).collect());
        }
        Ok((kinds, surfaces))
    }
}
