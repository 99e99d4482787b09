//! Looking up sectors near a unit. A few are remembered, because the same neighbours are looked up again and
//! again.

use marchland_terrain::glam::DVec3;
use marchland_terrain::{CellKind, Grid, Ground, SectorCoord, SectorState, SurfaceId, TerrainView};

/// Sectors that are remembered: a unit in a corner meets four.
const REMEMBERED: usize = 4;

/// A cell, addressed from a sector that may not be its own.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Cell {
    /// Ground between corners `[nw, ne, sw, se]`.
    Solid([f32; 4]),
    /// A hole.
    Hole,
    /// Not part of this world, or beyond the last sector that can be named.
    Outside,
    /// Part of this world, but this sector is not in memory.
    Missing(SectorCoord),
}

/// The sectors of a view, through a small memory, which changes no answer.
pub(crate) struct Sectors<'a> {
    view: TerrainView<'a>,
    remembered: [(SectorCoord, SectorState<'a>); REMEMBERED],
    /// Which one to forget next.
    next: usize,
}

impl<'a> Sectors<'a> {
    pub(crate) fn new(view: TerrainView<'a>) -> Self {
        let coord = SectorCoord::default();
        Self { view, remembered: [(coord, view.sector(coord)); REMEMBERED], next: 0 }
    }

    pub(crate) fn grid(&self) -> Grid {
        self.view.grid()
    }

    /// What is known of a sector.
    #[inline]
    pub(crate) fn state(&mut self, coord: SectorCoord) -> &SectorState<'a> {
        let at = match self.remembered.iter().position(|(known, _)| *known == coord) {
            Some(at) => at,
            None => {
                let at = self.next;
                self.next = (at + 1) % REMEMBERED;
                self.remembered[at] = (coord, self.view.sector(coord));
                at
            }
        };
        &self.remembered[at].1
    }

    /// Whether a sector is part of this world but not in memory.
    pub(crate) fn is_missing(&mut self, coord: SectorCoord) -> bool {
        matches!(self.state(coord), SectorState::NotResident)
    }

    /// The sector `columns, rows` cells away from the first cell of `home`, and the cell there.
    #[inline]
    fn locate(&self, home: SectorCoord, column: i32, row: i32) -> (Option<SectorCoord>, u32, u32) {
        let log2 = self.grid().cells_log2();
        let last = self.grid().cells() as i32 - 1;
        let coord = home.offset(column >> log2, row >> log2);
        (coord, (column & last) as u32, (row & last) as u32)
    }

    /// A cell, counted from the first cell of `home`.
    #[inline]
    pub(crate) fn cell(&mut self, home: SectorCoord, column: i32, row: i32) -> Cell {
        let (coord, column, row) = self.locate(home, column, row);
        let Some(coord) = coord else { return Cell::Outside };
        match self.state(coord) {
            SectorState::Resident(sector) => {
                let field = sector.field();
                match field.cell_kind(column as i32, row as i32) {
                    CellKind::Solid => Cell::Solid(field.corners(column, row)),
                    CellKind::Hole => Cell::Hole,
                    CellKind::Outside => Cell::Outside,
                }
            }
            SectorState::NotResident => Cell::Missing(coord),
            SectorState::Outside => Cell::Outside,
        }
    }

    /// The surface of a cell, counted from the first cell of `home`. `None` where the cell is not in memory.
    pub(crate) fn cell_surface(
        &mut self,
        home: SectorCoord,
        column: i32,
        row: i32,
    ) -> Option<SurfaceId> {
        let (coord, column, row) = self.locate(home, column, row);
        let SectorState::Resident(sector) = self.state(coord?) else { return None };
        Some(sector.field().cell_surface(column, row))
    }

    /// The ground at a canonical place.
    #[inline]
    pub(crate) fn ground(&mut self, coord: SectorCoord, x: f32, z: f32) -> Ground {
        match self.state(coord) {
            SectorState::Resident(sector) => {
                let field = sector.field();
                field.ground_at(field.place(x, z))
            }
            SectorState::NotResident => Ground::NotResident,
            SectorState::Outside => Ground::Outside,
        }
    }
}

/// Higher than anything is. Metres.
pub(crate) const ABOVE_EVERYTHING: f32 = 1e9;

/// How far around a sector live props are searched for, once for all units of the sector. Metres.
pub(crate) const LIVE_NEAR: f32 = 64.0;

/// Whether any live prop is in a sector or within [`LIVE_NEAR`] of it.
pub(crate) fn has_live(view: TerrainView<'_>, coord: SectorCoord) -> bool {
    let Some(live) = view.live().filter(|live| !live.is_empty()) else { return false };
    let half = f64::from(view.grid().sector_size().half() + LIVE_NEAR);
    let high = f64::from(ABOVE_EVERYTHING);
    let (low, high) = (DVec3::new(-half, -high, -half), DVec3::new(half, high, half));
    live.any_in_box(coord, low, high, |_| true)
}

/// The sector of a group of units, with what the fast way needs to know of it.
pub(crate) struct UnitSector<'a> {
    pub(crate) coord: SectorCoord,
    /// Whether any live prop is in it or within [`LIVE_NEAR`] of it.
    pub(crate) has_live: bool,
    /// Whether it is in memory and all its cells are solid ground.
    pub(crate) all_solid: bool,
    pub(crate) state: SectorState<'a>,
}

impl<'a> UnitSector<'a> {
    pub(crate) fn new(view: TerrainView<'a>, coord: SectorCoord) -> Self {
        let state = view.sector(coord);
        let all_solid =
            matches!(&state, SectorState::Resident(sector) if sector.field().is_whole());
        Self { coord, has_live: has_live(view, coord), all_solid, state }
    }
}
