//! The sectors over which units stroll, each with the map of where a body may: kept from tick to tick,
//! and given up as soon as anything about a sector is another.

use std::collections::HashMap;

use marchland_terrain::heightfield::CellCorners;
use marchland_terrain::{SectorCoord, SectorState, SurfaceId, TerrainView};

use super::open_map::{Around, There, Tiles};
use crate::body::BodyId;
use crate::cells::next_key;
use crate::sectors::has_live;
use crate::surface::SurfaceResponse;
use crate::units::Units;

/// Homes for which there is room at first, and how many for each one that the first units are in.
const HOMES_MIN: usize = 1024;
const HOMES_EACH: usize = 4;

/// In place of the stamp of a sector: no sector has these.
const OUTSIDE: u64 = 0;
const NOT_RESIDENT: u64 = u64::MAX;

/// A sector as a body meets it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Home {
    coord: SectorCoord,
    body: BodyId,
    /// Which sectors were there and around there when the map was drawn.
    stamps: [u64; 9],
    /// Whether this number is free.
    is_free: bool,
    /// Whether every tile is open.
    is_open: bool,
    /// Whether live props are near: then nobody strolls.
    pub(crate) has_live: bool,
}

/// The ground of a home in this tick.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ground<'v> {
    pub(crate) corners: CellCorners<'v>,
    /// Whether every tile is open: then nobody needs to look at its map.
    pub(crate) is_open: bool,
}

/// All homes, by number.
#[derive(Debug)]
pub(crate) struct Homes {
    /// Under which units remember their numbers.
    pub(crate) key: u64,
    tiles: Tiles,
    list: Vec<Home>,
    maps: Vec<u64>,
    numbers: HashMap<(SectorCoord, BodyId), u32>,
    free: Vec<u32>,
    /// The terrain and how the units' surfaces respond, as they were in the last tick.
    revision: u64,
    surfaces: Vec<SurfaceResponse>,
    had_live: bool,
}

impl Default for Homes {
    fn default() -> Self {
        Self {
            key: next_key(),
            tiles: Tiles::new(1, 1.0),
            list: Vec::new(),
            maps: Vec::new(),
            numbers: HashMap::new(),
            free: Vec::new(),
            revision: 0,
            surfaces: Vec::new(),
            had_live: false,
        }
    }
}

impl Homes {
    /// Gives up what is no longer as it was; the cells that units remember of it are forgotten.
    pub(crate) fn refresh(&mut self, view: TerrainView<'_>, units: &mut Units) {
        let grid = view.grid();
        let tiles = Tiles::new(grid.cells(), grid.cell());
        if tiles != self.tiles || self.surfaces != units.surfaces {
            self.tiles = tiles;
            self.surfaces.clone_from(&units.surfaces);
            self.clear();
        }
        if self.list.capacity() == 0 {
            self.reserve(HOMES_MIN);
        }
        let mut is_any_gone = false;
        if self.revision != view.revision() {
            self.revision = view.revision();
            is_any_gone |= self.give_up(view);
        }
        let is_live = view.live().is_some_and(|live| !live.is_empty());
        if is_live || self.had_live {
            self.had_live = is_live;
            is_any_gone |= self.look_for_live(view);
        }
        let key = self.key;
        if is_any_gone {
            self.key = next_key();
            if units.cells.are_of(key) {
                let list = &self.list;
                units.cells.retain(self.key, |home| {
                    let home = &list[home as usize];
                    home.is_free || home.has_live
                });
            }
        }
        units.cells.prepare(units.slots(), self.key);
    }

    fn clear(&mut self) {
        self.key = next_key();
        self.list.clear();
        self.maps.clear();
        self.numbers.clear();
        self.free.clear();
        self.revision = 0;
    }

    fn reserve(&mut self, homes: usize) {
        self.list.reserve(homes);
        self.maps.reserve(homes * self.tiles.words());
        self.numbers.reserve(homes);
        self.free.reserve(homes);
    }

    /// Frees the homes of which any sector is another or gone.
    fn give_up(&mut self, view: TerrainView<'_>) -> bool {
        let mut is_any = false;
        for (number, home) in (0_u32..).zip(&mut self.list) {
            if !home.is_free && stamps(view, home.coord) != home.stamps {
                home.is_free = true;
                self.numbers.remove(&(home.coord, home.body));
                self.free.push(number);
                is_any = true;
            }
        }
        is_any
    }

    /// Looks which homes are near live props now. Whether any has come near.
    fn look_for_live(&mut self, view: TerrainView<'_>) -> bool {
        let mut is_any = false;
        for home in self.list.iter_mut().filter(|home| !home.is_free) {
            let is_near = has_live(view, home.coord);
            is_any |= is_near && !home.has_live;
            home.has_live = is_near;
        }
        is_any
    }

    /// The number of a sector as a body meets it, if it is known.
    pub(crate) fn number(&self, coord: SectorCoord, body: BodyId) -> Option<u32> {
        self.numbers.get(&(coord, body)).copied()
    }

    /// Whether the tile of a home that holds a cell is open.
    #[inline]
    pub(crate) fn is_open(&self, number: u32, cell: [u32; 2]) -> bool {
        let words = self.tiles.words();
        let map = &self.maps[number as usize * words..][..words];
        self.tiles.is_open(map, cell)
    }

    /// Cells along a tile's side, as a power of two.
    pub(crate) fn tile_log2(&self) -> u32 {
        self.tiles.cells_log2
    }

    pub(crate) fn home(&self, number: u32) -> &Home {
        &self.list[number as usize]
    }

    /// Makes a sector known, if it is in memory and not known yet.
    pub(crate) fn add(
        &mut self,
        view: TerrainView<'_>,
        units: &Units,
        coord: SectorCoord,
        body: BodyId,
    ) {
        if self.numbers.contains_key(&(coord, body)) {
            return;
        }
        if view.sector_stamp(coord).is_none() {
            return;
        }
        let words = self.tiles.words();
        if self.list.len() == self.list.capacity() && self.free.is_empty() {
            self.reserve(self.list.len() * HOMES_EACH);
        }
        let (stamps, has_live) = (stamps(view, coord), has_live(view, coord));
        let home = Home { coord, body, stamps, is_free: false, is_open: false, has_live };
        let number = match self.free.pop() {
            Some(number) => {
                self.list[number as usize] = home;
                self.maps[number as usize * words..][..words].fill(0);
                number
            }
            None => {
                self.list.push(home);
                self.maps.resize(self.list.len() * words, 0);
                self.list.len() as u32 - 1
            }
        };
        self.numbers.insert((coord, body), number);
        let around = Around { sectors: around(coord).map(|coord| self.there(view, coord)) };
        let map = &mut self.maps[number as usize * words..][..words];
        self.tiles.draw(map, &around, &units.bodies[body.index()]);
        self.list[number as usize].is_open = self.tiles.is_all_open(map);
    }

    fn there<'v>(&self, view: TerrainView<'v>, coord: Option<SectorCoord>) -> There<'v> {
        let Some(coord) = coord else { return There::Nothing };
        let sector = match view.sector(coord) {
            SectorState::Resident(sector) => sector,
            SectorState::NotResident => return There::Closed,
            SectorState::Outside => return There::Nothing,
        };
        let field = sector.field();
        let is_plain = self.surfaces.iter().all(SurfaceResponse::is_plain)
            || field.uniform_surface().is_some_and(|surface| self.is_plain(surface));
        if field.is_whole() && is_plain { There::Sector(sector) } else { There::Closed }
    }

    fn is_plain(&self, surface: SurfaceId) -> bool {
        self.surfaces.get(usize::from(surface.0)).is_none_or(SurfaceResponse::is_plain)
    }

    /// The ground of every home, by number, in memory that was used before. All at once: what one looks up
    /// is far away, and so the processor waits for many together.
    pub(crate) fn grounds<'v>(
        &self,
        view: TerrainView<'v>,
        mut grounds: Vec<Option<Ground<'v>>>,
    ) -> Vec<Option<Ground<'v>>> {
        grounds.clear();
        grounds.reserve(self.list.capacity());
        grounds.extend(self.list.iter().map(|home| {
            let corners = view.cell_corners(home.coord).filter(|_| !home.is_free)?;
            Some(Ground { corners, is_open: home.is_open })
        }));
        grounds
    }
}

/// A sector and the eight around it, row by row, where 32 bits can name them.
fn around(coord: SectorCoord) -> [Option<SectorCoord>; 9] {
    std::array::from_fn(|at| coord.offset(at as i32 % 3 - 1, at as i32 / 3 - 1))
}

/// Which sectors are at a place and around it.
pub(crate) fn stamps(view: TerrainView<'_>, coord: SectorCoord) -> [u64; 9] {
    around(coord).map(|coord| {
        let Some(coord) = coord else { return OUTSIDE };
        view.sector_stamp(coord).unwrap_or_else(|| match view.sector(coord) {
            SectorState::Outside => OUTSIDE,
            SectorState::NotResident | SectorState::Resident(_) => NOT_RESIDENT,
        })
    })
}

/// The memory of a list, for one whose entries live for another time.
pub(crate) fn emptied<'b>(grounds: Vec<Option<Ground<'_>>>) -> Vec<Option<Ground<'b>>> {
    let mut grounds = grounds;
    grounds.clear();
    // Collecting what never comes takes the memory over.
    grounds.into_iter().map(|_| None).collect()
}
