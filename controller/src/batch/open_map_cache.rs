//! The sectors over which units stroll, each with the map of where a body may stroll. Kept from tick to tick.
//! An entry is removed as soon as anything about its sector changes, or some hundred ticks after the last
//! unit left. A batch therefore holds, and visits in every tick, only the places where its units are.

use marchland_terrain::math::greater;
use std::collections::HashMap;

use marchland_terrain::glam::Vec3;
use marchland_terrain::heightfield::CellCorners;
use marchland_terrain::{LiveProps, SectorCoord, SectorState, TerrainView};

use super::cache_expiry::CacheExpiry;
use super::open_map::{Around, There, Tiles};
use crate::ground::frame::Frame;
use crate::units::body::{Body, BodyId};
use crate::units::cells::next_key;
use crate::units::columns::Units;
use crate::units::surface::SurfaceResponse;

/// Entries reserved at first, of half a kilobyte to four each, and entries reserved for each existing one when the
/// list is full. More would be a fifth of what a crowd of 10 000 walkers takes.
const MAPS_MIN: usize = 256;
const MAPS_EACH: usize = 4;

/// In place of the stamp of a sector: no sector has these.
const OUTSIDE: u64 = 0;
const NOT_RESIDENT: u64 = u64::MAX;

/// The open map of one sector for one body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenMapEntry {
    coord: SectorCoord,
    body: BodyId,
    /// The stamps of the sector and the eight around it when the map was drawn.
    stamps: [u64; 9],
    /// Whether this number is free.
    is_free: bool,
    /// Whether every tile is open.
    is_open: bool,
    /// Whether live props are near and close tiles.
    has_live: bool,
    /// Whether any tile was open in the last tick and is closed in this one.
    is_closing: bool,
}

/// The ground of an entry in this tick.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ground<'v> {
    pub(crate) corners: CellCorners<'v>,
    /// Whether every tile is open; its map is not read then.
    pub(crate) is_open: bool,
}

/// All open maps, by number.
#[derive(Debug)]
pub(crate) struct OpenMaps {
    /// The key under which units remember numbers of this list.
    pub(crate) key: u64,
    tiles: Tiles,
    list: Vec<OpenMapEntry>,
    /// Where a body meets nothing in this tick.
    maps: Vec<u64>,
    /// The same without live props.
    fixed: Vec<u64>,
    /// Scratch memory for a map that is being drawn.
    sketch: Vec<u64>,
    numbers: HashMap<(SectorCoord, BodyId), u32>,
    free: Vec<u32>,
    /// The round in which a unit was last seen in the sector, by number.
    used: Vec<u32>,
    expiry: CacheExpiry,
    /// The terrain, the units' bodies and the responses of their surfaces, as they were in the last tick.
    revision: u64,
    bodies: Vec<Body>,
    surfaces: Vec<SurfaceResponse>,
    had_live: bool,
}

impl Default for OpenMaps {
    fn default() -> Self {
        Self {
            key: next_key(),
            tiles: Tiles::new(1, 1.0),
            list: Vec::new(),
            maps: Vec::new(),
            fixed: Vec::new(),
            sketch: Vec::new(),
            numbers: HashMap::new(),
            free: Vec::new(),
            used: Vec::new(),
            expiry: CacheExpiry::default(),
            revision: 0,
            bodies: Vec::new(),
            surfaces: Vec::new(),
            had_live: false,
        }
    }
}

impl OpenMaps {
    /// Removes entries that are out of date; units forget the cells that they remember of them.
    pub(crate) fn refresh(&mut self, view: TerrainView<'_>, units: &mut Units) {
        let grid = view.grid();
        let tiles = Tiles::new(grid.cells(), grid.cell());
        let is_same_body = |(known, body)| known == body;
        let are_same = self.bodies.iter().zip(&units.bodies).all(is_same_body);
        if tiles != self.tiles || self.surfaces != units.surfaces || !are_same {
            self.tiles = tiles;
            self.surfaces.clone_from(&units.surfaces);
            self.bodies.clear();
            self.clear();
        }
        if let Some(new) = units.bodies.get(self.bodies.len()..) {
            self.bodies.extend_from_slice(new);
        }
        let words = self.tiles.words();
        let known = self.list.capacity();
        let maps_count = greater(known, MAPS_MIN);
        // Maps of another grid may be longer.
        if self.list.is_empty() && self.maps.capacity() < maps_count * words {
            self.reserve(maps_count);
        }
        self.sketch.resize(words, 0);
        let mut is_any_gone = self.leave(units);
        if self.revision != view.revision() {
            self.revision = view.revision();
            is_any_gone |= self.give_up(view);
        }
        let is_live = view.live().is_some_and(|live| !live.is_empty());
        if is_live || self.had_live {
            self.had_live = is_live;
            is_any_gone |= self.look_for_live(view.live());
        }
        let key = self.key;
        if is_any_gone {
            self.key = next_key();
            if units.cells.are_of(key) {
                let frame = Frame::new(grid);
                let (locals, open_maps) = (&units.locals, &*self);
                units.cells.retain(self.key, |slot, number| {
                    let entry = &open_maps.list[number as usize];
                    entry.is_free
                        || (entry.is_closing && !open_maps.holds(&frame, number, locals[slot]))
                });
            }
        }
        units.cells.prepare(units.slots(), self.key);
    }

    fn clear(&mut self) {
        self.key = next_key();
        self.list.clear();
        self.maps.clear();
        self.fixed.clear();
        self.numbers.clear();
        self.free.clear();
        self.used.clear();
        self.revision = 0;
    }

    fn reserve(&mut self, maps_count: usize) {
        self.list.reserve(maps_count);
        let words = self.tiles.words();
        self.maps.reserve(maps_count * words);
        self.fixed.reserve(maps_count * words);
        self.numbers.reserve(maps_count);
        self.free.reserve(maps_count);
        self.used.reserve(maps_count);
    }

    /// Frees the entries for which any sector has changed or is gone.
    fn give_up(&mut self, view: TerrainView<'_>) -> bool {
        self.free_where(|entry, _| stamps(view, entry.coord) != entry.stamps)
    }

    /// Marks the entries that units remember as used, and frees those in which no unit was seen for some
    /// rounds.
    fn leave(&mut self, units: &Units) -> bool {
        let cells = &units.cells;
        if cells.are_of(self.key) {
            let part = self.expiry.part(cells.corners.len());
            let remembered = cells.corners[part.clone()].iter().zip(&cells.map_ids[part]);
            for (corners, &number) in remembered {
                if !corners[0].is_nan() {
                    self.used[number as usize] = self.expiry.now();
                }
            }
        }
        if !self.expiry.step() {
            return false;
        }
        let expiry = std::mem::take(&mut self.expiry);
        let is_any = self.free_where(|_, used| expiry.is_unused(used));
        self.expiry = expiry;
        is_any
    }

    /// Frees the entries for which `is_gone` is true, given the round of their last use. Returns whether any
    /// was freed.
    fn free_where(&mut self, is_gone: impl Fn(&OpenMapEntry, u32) -> bool) -> bool {
        let mut is_any = false;
        for (number, (entry, &used)) in (0_u32..).zip(self.list.iter_mut().zip(&self.used)) {
            if !entry.is_free && is_gone(entry, used) {
                entry.is_free = true;
                self.numbers.remove(&(entry.coord, entry.body));
                self.free.push(number);
                is_any = true;
            }
        }
        is_any
    }

    /// Closes tiles where live props are now, and opens those where they were. Returns whether any was
    /// closed.
    fn look_for_live(&mut self, live: Option<&LiveProps>) -> bool {
        let Self { tiles, list, maps, fixed, sketch, bodies, .. } = self;
        let words = tiles.words();
        let mut is_any = false;
        let maps = maps.chunks_mut(words).zip(fixed.chunks(words));
        for (entry, (map, fixed)) in list.iter_mut().zip(maps).filter(|(entry, _)| !entry.is_free) {
            let who = (entry.coord, &bodies[entry.body.index()]);
            let has_live = live.is_some_and(|live| tiles.close_near(sketch, fixed, live, who));
            entry.is_closing = false;
            if !has_live && !entry.has_live {
                continue;
            }
            entry.has_live = has_live;
            let now: &[u64] = if has_live { sketch } else { fixed };
            if now != map {
                entry.is_closing = map.iter().zip(now).any(|(was, is)| was & !is != 0);
                map.copy_from_slice(now);
                entry.is_open = tiles.is_all_open(map);
                is_any |= entry.is_closing;
            }
        }
        is_any
    }

    /// Whether the tile of an entry that contains a place is open.
    fn holds(&self, frame: &Frame, number: u32, local: Vec3) -> bool {
        let place = frame.place([local.x, local.z]);
        self.is_open(number, [place.column, place.row])
    }

    /// How many entries there is memory for, in use or free.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// The number of a sector for a body, if it is known.
    pub(crate) fn number(&self, coord: SectorCoord, body: BodyId) -> Option<u32> {
        self.numbers.get(&(coord, body)).copied()
    }

    /// Whether the tile of an entry that contains a cell is open.
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

    /// Adds a sector for a body, if it is in memory and not known yet.
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
            self.reserve(self.list.len() * MAPS_EACH);
        }
        let stamps = stamps(view, coord);
        // Live props are checked before any unit strolls there.
        let (has_live, is_closing) = (false, false);
        let entry = OpenMapEntry {
            coord,
            body,
            stamps,
            is_free: false,
            is_open: false,
            has_live,
            is_closing,
        };
        let number = match self.free.pop() {
            Some(number) => {
                self.list[number as usize] = entry;
                self.used[number as usize] = self.expiry.now();
                self.maps[number as usize * words..][..words].fill(0);
                number
            }
            None => {
                self.list.push(entry);
                self.used.push(self.expiry.now());
                self.maps.resize(self.list.len() * words, 0);
                self.fixed.resize(self.list.len() * words, 0);
                self.list.len() as u32 - 1
            }
        };
        self.numbers.insert((coord, body), number);
        let sectors = around(coord).map(|coord| there(view, coord));
        let size = view.grid().sector_size();
        let around = Around { sectors, surfaces: &self.surfaces, size };
        let map = &mut self.maps[number as usize * words..][..words];
        self.tiles.draw(map, &around, &units.bodies[body.index()]);
        self.list[number as usize].is_open = self.tiles.is_all_open(map);
        self.fixed[number as usize * words..][..words].copy_from_slice(map);
    }

    /// The ground of every entry, by number, in reused memory. Looked up for all entries at once, so that the
    /// processor waits for many distant reads at the same time.
    pub(crate) fn grounds<'v>(
        &self,
        view: TerrainView<'v>,
        mut grounds: Vec<Option<Ground<'v>>>,
    ) -> Vec<Option<Ground<'v>>> {
        grounds.clear();
        grounds.reserve(self.list.capacity());
        grounds.extend(self.list.iter().map(|entry| {
            let corners = view.cell_corners(entry.coord).filter(|_| !entry.is_free)?;
            Some(Ground { corners, is_open: entry.is_open })
        }));
        grounds
    }
}

fn there(view: TerrainView<'_>, coord: Option<SectorCoord>) -> There<'_> {
    match coord.map(|coord| view.sector(coord)) {
        Some(SectorState::Resident(sector)) => There::Sector(sector),
        Some(SectorState::NotResident) => There::Closed,
        Some(SectorState::Outside) | None => There::Nothing,
    }
}

/// A sector and the eight around it, row by row, where 32 bits can name them.
fn around(coord: SectorCoord) -> [Option<SectorCoord>; 9] {
    std::array::from_fn(|at| coord.offset(at as i32 % 3 - 1, at as i32 / 3 - 1))
}

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

/// Reuses the memory of a list for entries with another lifetime.
pub(crate) fn emptied<'b>(grounds: Vec<Option<Ground<'_>>>) -> Vec<Option<Ground<'b>>> {
    let mut grounds = grounds;
    grounds.clear();
    // Collecting in place keeps the memory; the list is empty.
    grounds.into_iter().map(|_| None).collect()
}
