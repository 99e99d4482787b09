//! The units of a chunk of slots: those that stay in the cell that they remember, those that enter
//! the next cell, and those that take the long way.

use std::sync::PoisonError;

use marchland_terrain::glam::Vec3;
use marchland_terrain::kernel::lanes::LANES;
use marchland_terrain::props::LiveProps;
use marchland_terrain::{SectorCoord, SectorState};

use super::classify::Classifier;
use super::context::{ThreadScratch, TickContext, WriteColumns};
use super::move_unit::Work;
use super::notes::Notes;
use crate::following::follow::differs;
use crate::ground::sectors::{Sectors, UnitSector};
use crate::kinematic::Scratch;
use crate::units::memory::cells::NO_CORNERS;
use crate::units::memory::unit_memory::{self, UnitMemory};
use crate::units::switches::PathChoice;
use crate::units::tick::{Outcome, Verdict, without_creep};
use crate::units::unit::{Motion, Unit};

impl TickContext<'_> {
    pub(crate) fn move_chunk(&self, chunk: &mut WriteColumns<'_>, thread: &mut ThreadScratch) {
        self.move_at(chunk, thread);
        let notes = &mut thread.notes;
        notes.report.ticked += notes.in_cell;
        notes.report.walking += notes.in_cell;
        if notes.has_lists() {
            self.notes.lock().unwrap_or_else(PoisonError::into_inner).take(notes);
        }
    }

    fn move_at(&self, chunk: &mut WriteColumns<'_>, thread: &mut ThreadScratch) {
        let ThreadScratch { beyond_cell, long, scratch, notes } = thread;
        long.clear();
        notes.in_cell = chunk.locals.len();
        if self.open_maps.is_any_gone {
            self.forget_gone(chunk);
        }
        let may_stay = self.path == PathChoice::Auto && !self.tick.ignores_shortcuts;
        // A live prop may come near in any tick.
        let may_rest =
            !self.tick.ignores_shortcuts && self.view.live().is_none_or(LiveProps::is_empty);
        if may_stay {
            self.follow_in_cell(chunk, beyond_cell, notes, long);
        } else {
            beyond_cell.slow_lanes.clear();
            beyond_cell.slow_lanes.resize(chunk.locals.len().div_ceil(LANES), u16::MAX);
        }
        for (block, &lanes) in beyond_cell.slow_lanes.iter().enumerate() {
            let mut lanes = lanes;
            while lanes != 0 {
                let index = block * LANES + lanes.trailing_zeros() as usize;
                lanes &= lanes - 1;
                if index >= chunk.locals.len() {
                    continue;
                }
                if may_rest && self.rests_again(chunk, notes, index, || false) {
                    notes.in_cell -= 1;
                    continue;
                }
                if may_stay && (self.inch(chunk, index) || self.cross_border(chunk, index, notes)) {
                    continue;
                }
                self.take_long(chunk, index, notes, long);
            }
        }
        long.sort_unstable();
        self.move_long(chunk, notes, long, scratch);
    }

    /// Moves the units on the list `long`, by sector.
    fn move_long(
        &self,
        chunk: &mut WriteColumns<'_>,
        notes: &mut Notes,
        long: &[(SectorCoord, u32)],
        scratch: &mut Scratch,
    ) {
        let Some(&(first, _)) = long.first() else { return };
        let Self { view, tick, columns, .. } = *self;
        let surfaces = columns.surfaces;
        let all_props = Classifier::new(view, tick, surfaces);
        let baked_only = Classifier { view: view.without_live(), ..all_props };
        let mut home = UnitSector::new(view, first);
        let mut around = self.around(&home, notes);
        let mut sectors = Sectors::new(view);
        for (nth, &(sector, slot)) in long.iter().enumerate() {
            if let Some(&(_, next)) = long.get(nth + 1)
                && chunk.contact_states[next as usize - chunk.first].touches_prop()
            {
                columns.gather_cache.prefetch(next);
            }
            if sector != home.coord {
                home = UnitSector::new(view, sector);
                around = self.around(&home, notes);
            }
            let index = slot as usize - chunk.first;
            let unit = Unit {
                sector,
                local: chunk.locals[index],
                velocity: chunk.velocities[index],
                motion: chunk.motions[index],
                residue: chunk.residues[index],
            };
            let state = &chunk.contact_states[index];
            let is_near = || self.is_near_live(&all_props, &home, slot, (&unit, state));
            if around.is_some() && self.rests_again(chunk, notes, index, is_near) {
                continue;
            }
            chunk.corners[index] = NO_CORNERS;
            let (unit, is_low) = self.at_start(&all_props, &home, slot, (unit, state));
            let around =
                around.filter(|_| !self.is_near_live(&all_props, &home, slot, (&unit, state)));
            // What is remembered concerns only what never moves.
            let classifier =
                if around.is_some() && home.has_live { &baked_only } else { &all_props };
            if around.is_none() {
                // It moves now; whether it rests is not checked.
                unit_memory::forget_rest(&mut chunk.memories[index]);
            }
            let mut memory = around.map(|around| UnitMemory::of(&chunk.memories[index], around));
            let known = memory;
            let view = classifier.view;
            let mut state = None;
            let mut work = Work {
                view,
                home: &home,
                is_low,
                sectors: &mut sectors,
                notes: &mut *notes,
                scratch: &mut *scratch,
                state: &mut state,
            };
            let from = work.notes.events.len();
            let whole = (&unit, &*chunk.contact_states[index]);
            let outcome = self.move_one(classifier, &mut work, slot, whole, memory.as_mut());
            if let Some(memory) = memory.filter(|_| memory != known) {
                chunk.memories[index] = memory.pack();
            }
            if outcome.follows && self.path == PathChoice::Auto {
                self.remember(chunk, index, &home, &outcome, notes);
                if !chunk.corners[index][0].is_nan() {
                    // From there it goes on without its memory.
                    unit_memory::forget_rest(&mut chunk.memories[index]);
                }
            }
            self.list_missing(chunk, &mut notes.report, &mut sectors, index, &outcome);
            if let Some(state) = &state {
                self.keep_state(chunk, notes, index);
                chunk.contact_states[index].put_in(self.spare_states, state);
            }
            self.settle(chunk, notes, index, &outcome, from);
        }
    }

    /// Keeps the corners of the cell that a unit has reached, if it may go on from there within it.
    fn remember(
        &self,
        chunk: &mut WriteColumns<'_>,
        index: usize,
        home: &UnitSector<'_>,
        outcome: &Outcome,
        notes: &mut Notes,
    ) {
        let unit = &outcome.unit;
        let SectorState::Resident(sector) = &home.state else { return };
        let walks = outcome.verdict == Verdict::Moved && unit.motion == Motion::Walking;
        if !walks || unit.sector != home.coord || self.tick.ignores_shortcuts {
            return;
        }
        // As a move within a cell leaves it: a unit with the same wish again is then known to continue as before.
        let Vec3 { x, z, .. } = unit.velocity;
        if differs(unit.velocity, Vec3::new(without_creep(x), 0.0, without_creep(z))) {
            return;
        }
        let body = self.columns.body_ids[chunk.first + index];
        let inner = self.follow_limits[body.index()].inner;
        if unit.local.x.abs() >= inner || unit.local.z.abs() >= inner {
            return;
        }
        let Some(number) = self.open_maps.number(home.coord, body) else {
            if notes.unknown.last() != Some(&(home.coord, body)) {
                notes.unknown.push((home.coord, body));
            }
            return;
        };
        let place = self.tick.frame.place([unit.local.x, unit.local.z]);
        let cell = [place.column, place.row];
        if !self.open_maps.is_open(number, cell) {
            return;
        }
        chunk.corners[index] = sector.field().corners(place.column, place.row);
        chunk.map_ids[index] = number;
    }
}
