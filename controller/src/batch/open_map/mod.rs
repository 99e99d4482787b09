//! Where in a sector a body meets only gentle ground: a bit for each tile, computed from the boxes of props,
//! the steepness of cells, holes and surfaces, all grown by the body. Conservative: a tile marked open is
//! open. The places of live props are checked in every tick. Props of all layers close tiles: whom a unit's mask lets
//! through is asked in `classify`.

pub(super) mod cache;
pub(super) mod gentle;

use std::ops::RangeInclusive;

use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::limits::SKIN;
use marchland_terrain::math::{Aabb, greater, lesser};
use marchland_terrain::query::ALL_LAYERS;
use marchland_terrain::{
    CellKind, LiveProps, SectorCoord, SectorSize, SectorState, SectorView, SurfaceId, TerrainView,
};

use self::gentle::any_steeper;
use crate::ground::sectors::ABOVE_EVERYTHING;
use crate::units::body::Body;
use crate::units::surface::{SurfaceResponse, is_plain};

/// Cells along a tile's side.
const TILE_CELLS: u32 = 2;

/// Most tiles along a sector's side; larger sectors have larger tiles.
const TILES_MAX: u32 = 128;

/// Covers the rounding of a place, and the margin by which a box is grown in the sectors beside a unit's own
/// (two skins). Metres: more than both in the largest sector.
const CERTAIN_MARGIN: f32 = 0.03;

/// How much further out than its box a live prop may be found. Metres: both boxes that are compared are
/// rounded outward.
const LIVE_BOX_MARGIN: f64 = 1.0 / 64.0;

/// A sector and the eight around it, row by row: what has to be known before any unit moves within cells of it.
pub(crate) struct Neighbourhood<'a> {
    pub(crate) sectors: [SectorState<'a>; 9],
    pub(crate) surfaces: &'a [SurfaceResponse],
    pub(crate) size: SectorSize,
}

/// What of a body a map depends on: bodies that are alike in this share maps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Footprint {
    /// How far around its centre it may meet something while it walks on a tile. Metres.
    radius: f32,
    /// The steepest ground that it follows, in 32nds of rise over run.
    limit: u8,
}

impl Footprint {
    pub(crate) fn of(body: &Body) -> Self {
        Self {
            radius: body.radius() + 2.0 * SKIN + CERTAIN_MARGIN,
            limit: lesser(body.open_limit, body.steepness_limit),
        }
    }
}

/// The layout of tiles, the same in every sector of a grid.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Tiles {
    /// Along a side; a power of two.
    along: u32,
    /// Cells along a tile's side, as a power of two.
    pub(crate) cells_log2: u32,
    /// Side. Metres.
    side: f32,
    half: f32,
    cell: f32,
}

impl Tiles {
    pub(crate) fn new(cells: u32, cell: f32) -> Self {
        let along = if cells < TILE_CELLS { 1 } else { cells / TILE_CELLS };
        let along = lesser(along, TILES_MAX);
        let in_tile = cells / along;
        let side = in_tile as f32 * cell;
        Self {
            along,
            cells_log2: in_tile.trailing_zeros(),
            side,
            half: 0.5 * side * along as f32,
            cell,
        }
    }

    /// Number of words in a map.
    pub(crate) fn words(&self) -> usize {
        (self.along * self.along).div_ceil(64) as usize
    }

    /// Whether the tile that holds a cell is open.
    #[inline]
    pub(crate) fn is_open(&self, map: &[u64], [column, row]: [u32; 2]) -> bool {
        let bit = (row >> self.cells_log2) * self.along + (column >> self.cells_log2);
        map.get((bit / 64) as usize).is_some_and(|word| word >> (bit % 64) & 1 == 1)
    }

    /// Whether every tile is open.
    pub(crate) fn is_all_open(&self, map: &[u64]) -> bool {
        let open: u32 = map.iter().map(|word| word.count_ones()).sum();
        open == self.along * self.along
    }

    /// Draws the map of a sector: all tiles are open except where a body on them may meet a cell or a prop
    /// that closes them. Cell by cell and prop by prop, because most close few tiles.
    pub(crate) fn draw(&self, map: &mut [u64], around: &Neighbourhood<'_>, footprint: Footprint) {
        self.open_all(map);
        let Footprint { radius: grown, limit } = footprint;
        let beside = Vec3::new(self.half + grown, ABOVE_EVERYTHING, self.half + grown);
        for (at, there) in around.sectors.iter().enumerate() {
            let [dx, dz] = [at % 3, at / 3].map(|along| along as f32 - 1.0);
            let shift = Vec3::new(dx, 0.0, dz) * (2.0 * self.half);
            let seen = Aabb { min: -beside - shift, max: beside - shift };
            let (shift, half) = (shift.as_dvec3(), f64::from(self.half));
            let margin = DVec3::new(1.0, 0.0, 1.0) * f64::from(grown);
            let mut close = |low: DVec3, high: DVec3| {
                self.close(map, shift + low - margin, shift + high + margin);
            };
            match there {
                SectorState::Outside => {} // beyond the world units meet nothing
                SectorState::NotResident => close(DVec3::splat(-half), DVec3::splat(half)),
                SectorState::Resident(view) => {
                    self.each_closed_cell(view, around.surfaces, limit, &seen, |column, row| {
                        let cell = f64::from(self.cell);
                        let low = DVec3::new(f64::from(column), 0.0, f64::from(row)) * cell
                            - DVec3::new(half, 0.0, half);
                        close(low, low + DVec3::new(cell, 0.0, cell));
                    });
                    view.props().boxes_in(&seen, ALL_LAYERS, around.size, |bounds| {
                        close(bounds.min.as_dvec3(), bounds.max.as_dvec3());
                    });
                }
            }
        }
    }

    fn open_all(&self, map: &mut [u64]) {
        let tiles = self.along * self.along; // a power of two: whole words, or part of one
        map.fill(if tiles < 64 { (1 << tiles) - 1 } else { u64::MAX });
    }

    /// Draws the map of a sector, with the tiles closed too on which a body may meet a live prop. Returns
    /// whether there is such a prop; if not, nothing is drawn.
    pub(crate) fn close_near(
        &self,
        map: &mut [u64],
        fixed: &[u64],
        live: &LiveProps,
        (coord, footprint): (SectorCoord, Footprint),
    ) -> bool {
        let grown = f64::from(footprint.radius) + LIVE_BOX_MARGIN;
        let beside = f64::from(self.half) + grown;
        let high = DVec3::new(beside, f64::from(ABOVE_EVERYTHING), beside);
        let mut is_any = false;
        live.in_box(coord, -high, high, |prop| {
            if !is_any {
                map.copy_from_slice(fixed);
                is_any = true;
            }
            // Around its whole way: it may push whom it meets there.
            let (near, far) = prop.found_in(coord);
            self.close(map, near - DVec3::splat(grown), far + DVec3::splat(grown));
        });
        is_any
    }

    /// The sectors, along X and Z from that of a box's corners, whose maps a live prop in it may close.
    pub(crate) fn sectors_near(
        &self,
        (low, high): (DVec3, DVec3),
        radius: f32,
    ) -> [RangeInclusive<i32>; 2] {
        let (side, grown) = (2.0 * f64::from(self.half), f64::from(radius) + 2.0 * LIVE_BOX_MARGIN);
        let sector = |metres: f64| (metres / side + 0.5).floor() as i32;
        [(low.x, high.x), (low.z, high.z)]
            .map(|(low, high)| sector(low - grown)..=sector(high + grown))
    }

    /// Closes the tiles between two corners of a box, which touches the sector. Metres from its centre.
    fn close(&self, map: &mut [u64], low: DVec3, high: DVec3) {
        let (half, side) = (f64::from(self.half), f64::from(self.side));
        let last = f64::from(self.along - 1);
        let tile = |metres: f64| {
            let tile = (metres + half) / side;
            (lesser(last, tile)) as u32 // negative values become 0
        };
        for row in tile(low.z)..=tile(high.z) {
            for column in tile(low.x)..=tile(high.x) {
                let bit = row * self.along + column;
                map[(bit / 64) as usize] &= !(1 << (bit % 64));
            }
        }
    }

    /// Calls `visit` with the column and row of each cell under a box that is steeper than a limit, or is not
    /// solid ground with a plain surface; with some cells twice.
    fn each_closed_cell(
        &self,
        view: &SectorView<'_>,
        surfaces: &[SurfaceResponse],
        limit: u8,
        region: &Aabb,
        mut visit: impl FnMut(u32, u32),
    ) {
        let field = view.field();
        let last = field.cells() as i32 - 1;
        let cells = |low: f32, high: f32| [low, high].map(|at| self.cell_at(at, last) as u32);
        let columns = cells(region.min.x, region.max.x);
        let rows = cells(region.min.z, region.max.z);
        any_steeper(&field, columns, rows, limit, |column, row| {
            visit(column, row);
            false
        });
        let is_plain = |surface: SurfaceId| is_plain(surfaces, surface);
        let all_plain = surfaces.iter().all(SurfaceResponse::is_plain)
            || field.uniform_surface().is_some_and(is_plain);
        if field.is_whole() && all_plain {
            return;
        }
        for row in rows[0]..=rows[1] {
            for column in columns[0]..=columns[1] {
                if field.cell_kind(column as i32, row as i32) != CellKind::Solid
                    || !(all_plain || is_plain(field.cell_surface(column, row)))
                {
                    visit(column, row);
                }
            }
        }
    }

    /// The column or row of a place; the first or last one beyond the sector.
    fn cell_at(&self, metres: f32, last: i32) -> i32 {
        let cell = ((metres + self.half) / self.cell).floor() as i32;
        let cell = greater(0, cell);
        lesser(cell, last)
    }
}

/// A sector and the eight around it, row by row, where 32 bits can name them.
pub(super) fn around(coord: SectorCoord) -> [Option<SectorCoord>; 9] {
    std::array::from_fn(|at| coord.offset(at as i32 % 3 - 1, at as i32 / 3 - 1))
}

/// In place of the stamp of a sector: no sector has these.
const OUTSIDE: u64 = 0;
const NOT_RESIDENT: u64 = u64::MAX;

/// The stamps of a sector and the eight around it.
pub(crate) fn stamps(view: TerrainView<'_>, coord: SectorCoord) -> [u64; 9] {
    around(coord).map(|coord| {
        let Some(coord) = coord else { return OUTSIDE };
        view.sector_stamp(coord).unwrap_or_else(|| match view.sector(coord) {
            SectorState::Outside => OUTSIDE,
            SectorState::NotResident | SectorState::Resident(_) => NOT_RESIDENT,
        })
    })
}
