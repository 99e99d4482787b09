//! Open maps near live props. Each prop looks for the maps that it closes: most maps are near none, and are not
//! visited.

use marchland_terrain::LiveProps;
use marchland_terrain::math::greater;
use marchland_terrain::props::LivePropRef;

use super::OpenMaps;

impl OpenMaps {
    /// Closes tiles where live props are now, and opens those where they were. Returns whether any was
    /// closed.
    pub(super) fn look_for_live(&mut self, live: Option<&LiveProps>) -> bool {
        self.looks += 1;
        for &number in &self.near_live {
            self.list[number as usize].looked_at = self.looks;
        }
        match live {
            Some(live) if live.len() as usize >= self.list.len() => self.look_at_all(),
            _ => live.into_iter().flat_map(LiveProps::iter).for_each(|prop| self.look_near(prop)),
        }
        let mut near_live = std::mem::take(&mut self.near_live);
        let mut is_any = false;
        near_live.retain(|&number| {
            is_any |= self.draw_live(number as usize, live);
            self.list[number as usize].has_live
        });
        self.near_live = near_live;
        is_any
    }

    /// Puts the maps that a prop may close on the list.
    fn look_near(&mut self, prop: LivePropRef<'_>) {
        let home = prop.position().sector();
        let radius =
            self.footprints.iter().fold(0.0, |most, footprint| greater(most, footprint.radius));
        let [columns, rows] = self.tiles.sectors_near(prop.found_in(home), radius);
        if columns.size_hint().0.saturating_mul(rows.size_hint().0) >= self.list.len() {
            return self.look_at_all();
        }
        for (dz, dx) in rows.flat_map(|dz| columns.clone().map(move |dx| (dz, dx))) {
            let Some(coord) = home.offset(dx, dz) else { continue };
            for footprint in 0..self.footprints.len() as u16 {
                if let Some(&number) = self.numbers.get(&(coord, footprint)) {
                    self.look_at(number);
                }
            }
        }
    }

    fn look_at_all(&mut self) {
        (0..self.list.len() as u32).for_each(|number| self.look_at(number));
    }

    fn look_at(&mut self, number: u32) {
        let entry = &mut self.list[number as usize];
        if entry.looked_at != self.looks {
            entry.looked_at = self.looks;
            self.near_live.push(number);
        }
    }

    /// Draws the live props near an entry on its map. Returns whether any tile was closed.
    fn draw_live(&mut self, index: usize, live: Option<&LiveProps>) -> bool {
        let Self { tiles, list, places, maps, fixed, sketch, footprints, .. } = self;
        let entry = &mut list[index];
        entry.is_closing = false;
        if entry.is_free {
            entry.has_live = false;
            return false;
        }
        let part = index * tiles.words()..(index + 1) * tiles.words();
        let (map, fixed) = (&mut maps[part.clone()], &fixed[part]);
        let who = (entry.coord, footprints[usize::from(entry.footprint)]);
        let has_live = live.is_some_and(|live| tiles.close_near(sketch, fixed, live, who));
        if has_live || entry.has_live {
            entry.has_live = has_live;
            let now: &[u64] = if has_live { sketch } else { fixed };
            if now != map {
                entry.is_closing = map.iter().zip(now).any(|(was, is)| was & !is != 0);
                map.copy_from_slice(now);
                places[index].is_open = tiles.is_all_open(map);
            }
        }
        entry.is_closing
    }
}
