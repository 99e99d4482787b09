//! The sectors in which units follow within cells, each with the map of where bodies of a footprint may. Kept from
//! tick to tick: while nothing changes, no sector is looked up and no entry visited. An entry is removed as soon
//! as anything about its sector changes, or some hundred ticks after the last unit left.

mod near_live;

use std::collections::HashMap;

use marchland_terrain::glam::Vec3;
use marchland_terrain::math::{greater, lesser};
use marchland_terrain::{SectorCoord, SectorSlot, SectorState, TerrainView};

use super::{Footprint, Neighbourhood, Tiles, around, stamps};
use crate::batch::cache_expiry::CacheExpiry;
use crate::ground::frame::Frame;
use crate::units::body::{Body, BodyId};
use crate::units::columns::Units;
use crate::units::memory::cells::next_key;
use crate::units::surface::SurfaceResponse;

/// Fewest entries reserved, of half a kilobyte to four each, and most for each unit: where it is, and where it was.
/// More would be a fifth of what a crowd of 10 000 walkers takes.
const MAPS_MIN: usize = 256;
const MAPS_EACH: usize = 4;

/// The open map of one sector for bodies of one footprint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenMapEntry {
    coord: SectorCoord,
    /// A number among the footprints.
    footprint: u16,
    /// The stamps of the sector and the eight around it when the map was drawn.
    stamps: [u64; 9],
    /// Whether this number is free.
    is_free: bool,
    /// Whether live props are near and close tiles.
    has_live: bool,
    /// When it was last looked at for live props.
    looked_at: u64,
    /// Whether any tile was open in the last tick and is closed in this one.
    is_closing: bool,
}

impl OpenMapEntry {
    /// Whether its sector and those around it are as when the map was drawn, and its sector where it was in memory.
    fn is_as_in(&self, view: TerrainView<'_>, place: &Place) -> bool {
        stamps(view, self.coord) == self.stamps && view.sector_slot(self.coord) == Some(place.slot)
    }
}

/// What a move into a cell reads of an entry first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// Where its sector is in memory; no sector's, where the number is free.
    pub(crate) slot: SectorSlot,
    /// Whether every tile is open; its map is not read then.
    pub(crate) is_open: bool,
}

/// All open maps, by number.
#[derive(Debug, Default)]
pub(crate) struct OpenMaps {
    /// The key under which units remember numbers of this list.
    pub(crate) key: u64,
    pub(crate) tiles: Tiles,
    list: Vec<OpenMapEntry>,
    places: Vec<Place>,
    /// Where a body meets nothing in this tick.
    maps: Vec<u64>,
    /// The same without live props.
    fixed: Vec<u64>,
    /// Scratch memory for a map that is being drawn.
    sketch: Vec<u64>,
    numbers: HashMap<(SectorCoord, u16), u32>,
    free: Vec<u32>,
    /// The round in which a unit was last seen in the sector, by number.
    used: Vec<u32>,
    expiry: CacheExpiry,
    /// The terrain, the units' bodies and the responses of their surfaces, as they were in the last tick.
    revision: u64,
    footprints: Vec<Footprint>,
    /// The number of each body's footprint.
    footprint_of: Vec<u16>,
    surfaces: Vec<SurfaceResponse>,
    /// How often live props were looked for, and the entries near which there were any.
    looks: u64,
    near_live: Vec<u32>,
    had_live: bool,
    /// Whether any entry was freed or is closing in this tick, and units forget what they remember of it.
    pub(crate) is_any_gone: bool,
    /// Whether there was no room for an entry.
    is_full: bool,
    /// How many entries asked the terrain for their sectors in this tick.
    looked_up: usize,
}

impl OpenMaps {
    /// Removes entries that are out of date; units [forget](Self::is_gone) the cells that they remember of them.
    pub(crate) fn refresh(&mut self, view: TerrainView<'_>, units: &mut Units) {
        let grid = view.grid();
        let tiles = Tiles::new(grid.cells(), grid.cell());
        self.looked_up = 0;
        if tiles != self.tiles || self.surfaces != units.surfaces || !self.knows(&units.bodies) {
            self.tiles = tiles;
            self.surfaces.clone_from(&units.surfaces);
            self.clear();
        }
        self.add_footprints(&units.bodies);
        self.reserve(view, units.slots());
        self.is_any_gone = self.leave(units);
        if self.revision != view.revision() {
            self.is_any_gone |= self.give_up(view);
            self.revision = view.revision();
        }
        let is_live = view.live().is_some_and(|live| !live.is_empty());
        if is_live || self.had_live {
            self.had_live = is_live;
            self.is_any_gone |= self.look_for_live(view.live());
        }
        let key = self.key;
        if self.is_any_gone {
            self.key = next_key();
            self.is_any_gone = units.cells.rename(key, self.key);
        }
        units.cells.prepare(units.slots(), self.key);
    }

    /// Whether these are the bodies whose footprints are known, and perhaps more.
    fn knows(&self, bodies: &[Body]) -> bool {
        let is_same = |(&number, body)| self.footprints[usize::from(number)] == Footprint::of(body);
        self.footprint_of.len() <= bodies.len() && self.footprint_of.iter().zip(bodies).all(is_same)
    }

    fn add_footprints(&mut self, bodies: &[Body]) {
        for body in &bodies[self.footprint_of.len()..] {
            let footprint = Footprint::of(body);
            let known = self.footprints.iter().position(|known| *known == footprint);
            let number = known.unwrap_or_else(|| {
                self.footprints.push(footprint);
                self.footprints.len() - 1
            });
            self.footprint_of.push(number as u16); // no more than there are bodies
        }
    }

    fn clear(&mut self) {
        self.key = next_key();
        self.list.clear();
        self.places.clear();
        self.maps.clear();
        self.fixed.clear();
        self.numbers.clear();
        self.free.clear();
        self.near_live.clear();
        self.used.clear();
        self.footprints.clear();
        self.footprint_of.clear();
        self.revision = 0;
    }

    /// Reserves memory where sectors were loaded, bodies added or units spawned: as much as all of them can need, or,
    /// in a world without end, have needed. Nothing else makes the list grow.
    fn reserve(&mut self, view: TerrainView<'_>, slots: usize) {
        let there = view.resident_count().saturating_mul(self.footprints.len());
        let known = if self.is_full { 2 * self.list.capacity() } else { 0 };
        let most = greater(known, lesser(there, MAPS_EACH * slots));
        let count = greater(MAPS_MIN, most);
        self.is_full = false;
        let words = self.tiles.words();
        self.sketch.resize(words, 0);
        // Maps of another grid may be longer.
        if self.list.capacity() >= count && self.maps.capacity() >= count * words {
            return;
        }
        let more = count - lesser(count, self.list.len());
        self.list.reserve(more);
        self.places.reserve(more);
        self.maps.reserve(more * words);
        self.fixed.reserve(more * words);
        // With room for what is removed, which may stay marked.
        self.numbers.reserve(2 * more);
        self.free.reserve(count);
        self.near_live.reserve(count);
        self.used.reserve(more);
    }

    /// Frees the entries for which any sector has changed or is gone.
    fn give_up(&mut self, view: TerrainView<'_>) -> bool {
        let Some(changed) = view.changed_since(self.revision) else {
            self.looked_up += self.numbers.len();
            return self.free_where(|entry, place, _| !entry.is_as_in(view, place));
        };
        let mut is_any = false;
        for coord in changed.flat_map(around).flatten() {
            for footprint in 0..self.footprints.len() as u16 {
                let Some(&number) = self.numbers.get(&(coord, footprint)) else { continue };
                self.looked_up += 1;
                let index = number as usize;
                if !self.list[index].is_as_in(view, &self.places[index]) {
                    self.free(number);
                    is_any = true;
                }
            }
        }
        is_any
    }

    /// Marks the entries that units remember as used, and frees those in which no unit was seen for some
    /// rounds.
    fn leave(&mut self, units: &Units) -> bool {
        let cells = &units.cells;
        if cells.key == self.key {
            let part = self.expiry.part(cells.corners.len());
            let remembered = cells.corners[part.clone()].iter().zip(&cells.map_ids[part]);
            for (corners, &number) in remembered {
                if !corners[0].is_nan() {
                    self.used[number as usize] = self.expiry.now;
                }
            }
        }
        if !self.expiry.advance() {
            return false;
        }
        let expiry = std::mem::take(&mut self.expiry);
        let is_any = self.free_where(|_, _, used| expiry.is_unused(used));
        self.expiry = expiry;
        is_any
    }

    /// Frees the entries for which `is_gone` is true, given the round of their last use. Returns whether any
    /// was freed.
    fn free_where(&mut self, is_gone: impl Fn(&OpenMapEntry, &Place, u32) -> bool) -> bool {
        let before = self.free.len();
        for number in 0..self.list.len() {
            let entry = &self.list[number];
            if !entry.is_free && is_gone(entry, &self.places[number], self.used[number]) {
                self.free(number as u32);
            }
        }
        self.free.len() != before
    }

    fn free(&mut self, number: u32) {
        let entry = &mut self.list[number as usize];
        entry.is_free = true;
        self.places[number as usize].slot = SectorSlot::NONE;
        self.numbers.remove(&(entry.coord, entry.footprint));
        self.free.push(number);
    }

    /// Whether a unit at a place forgets what it remembers of an entry: it was freed, or the tile there was closed.
    pub(crate) fn is_gone(&self, frame: &Frame, number: u32, local: Vec3) -> bool {
        let entry = &self.list[number as usize];
        entry.is_free || (entry.is_closing && !self.holds(frame, number, local))
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

    /// How many entries there are, and how many asked the terrain for their sectors in the last tick.
    #[cfg(test)]
    pub(crate) fn counts(&self) -> [usize; 2] {
        [self.numbers.len(), self.looked_up]
    }

    /// The number of a sector for a body, if it is known.
    pub(crate) fn number(&self, coord: SectorCoord, body: BodyId) -> Option<u32> {
        self.numbers.get(&(coord, self.footprint_of[body.index()])).copied()
    }

    /// Whether the tile of an entry that contains a cell is open.
    #[inline]
    pub(crate) fn is_open(&self, number: u32, cell: [u32; 2]) -> bool {
        let words = self.tiles.words();
        let map = &self.maps[number as usize * words..][..words];
        self.tiles.is_open(map, cell)
    }

    /// Adds a sector for a body, if it is in memory and not known yet, and there is room.
    pub(crate) fn add(&mut self, view: TerrainView<'_>, coord: SectorCoord, body: BodyId) {
        let footprint = self.footprint_of[body.index()];
        if self.numbers.contains_key(&(coord, footprint)) {
            return;
        }
        let Some(slot) = view.sector_slot(coord) else { return };
        if self.list.len() == self.list.capacity() && self.free.is_empty() {
            self.is_full = true;
            return;
        }
        self.looked_up += 1;
        let words = self.tiles.words();
        let entry = OpenMapEntry {
            coord,
            footprint,
            stamps: stamps(view, coord),
            is_free: false,
            // Live props are checked before any unit moves there.
            has_live: false,
            looked_at: 0,
            is_closing: false,
        };
        let number = self.free.pop().unwrap_or(self.list.len() as u32);
        let index = number as usize;
        if index == self.list.len() {
            self.list.push(entry);
            self.places.push(Place { slot, is_open: false });
            self.used.push(0);
            self.maps.resize(self.list.len() * words, 0);
            self.fixed.resize(self.list.len() * words, 0);
        }
        self.list[index] = entry;
        self.used[index] = self.expiry.now;
        self.numbers.insert((coord, footprint), number);
        let sectors = around(coord)
            .map(|coord| coord.map_or(SectorState::Outside, |coord| view.sector(coord)));
        let size = view.grid().sector_size();
        let around = Neighbourhood { sectors, surfaces: &self.surfaces, size };
        let map = &mut self.maps[index * words..][..words];
        self.tiles.draw(map, &around, self.footprints[usize::from(footprint)]);
        self.places[index] = Place { slot, is_open: self.tiles.is_all_open(map) };
        self.fixed[index * words..][..words].copy_from_slice(map);
    }

    /// Where the ground of an entry is.
    #[inline(always)]
    pub(crate) fn place(&self, number: u32) -> Place {
        self.places[number as usize]
    }
}

#[cfg(test)]
mod tests;
