//! Ticks of one crowd, and the time they took.

use std::time::Instant;

use marchland_controller::{Batch, PathChoice, Spawn, Switches, TickSettings, Units, Wish};
use marchland_terrain::WorldPos;
use serde::Serialize;

use super::crowd::{Site, count_below, lost, steer};
use crate::command::failure::Failure;
use crate::command::verbs::fly::Percentiles;

/// How many ticks to run, and by which path.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Measured ticks, at least 1.
    pub ticks: u32,
    /// Ticks before the measured ones.
    pub warm_up_ticks: u32,
    /// Which way units take.
    pub path: PathChoice,
}

/// The figures of one crowd, by the keys of `--json`.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs, reason = "named in the help of the verb")]
pub struct Figures {
    pub units: u32,
    pub threads: u16,
    pub ticks: u32,
    pub ns_per_unit_tick: f64,
    pub tick_us: Percentiles,
    pub full_units: f64,
    pub room_for_units: u64,
    pub units_below_ground: u64,
    pub held_units: usize,
    pub held_unit_ticks: u64,
    pub put_back: u64,
    pub borders_crossed: u64,
    pub state_hash: String,
}

/// Moves one unit from each place, on the threads of the current pool.
///
/// # Errors
/// If a unit or a tick is rejected; the error names what is wrong with the body, the speed or the
/// rate.
pub fn measure(
    site: &Site<'_>,
    places: &[WorldPos],
    plan: &Plan,
    progress: &mut dyn FnMut(),
) -> Result<Figures, Failure> {
    let mut crowd = Crowd::begin(site, places, plan)?;
    for tick in 0..plan.warm_up_ticks {
        crowd.tick(tick)?;
        progress();
    }
    let mut times = Vec::with_capacity(plan.ticks as usize);
    for tick in plan.warm_up_ticks..plan.warm_up_ticks + plan.ticks {
        times.push(crowd.tick(tick)?);
        let report = crowd.batch.report();
        crowd.full += report.full as u64;
        crowd.held += report.held().len() as u64;
        crowd.borders_crossed += report.borders_crossed;
        progress();
    }
    Ok(crowd.figures(plan, times))
}

/// Units in motion.
struct Crowd<'a> {
    site: &'a Site<'a>,
    /// Start of each unit, by slot.
    places: Vec<WorldPos>,
    units: Units,
    wishes: Vec<Wish>,
    batch: Batch,
    settings: TickSettings,
    switches: Switches<'static>,
    put_back: u64,
    /// Over the measured ticks, as what follows.
    full: u64,
    held: u64,
    borders_crossed: u64,
}

impl<'a> Crowd<'a> {
    fn begin(site: &'a Site<'a>, places: &[WorldPos], plan: &Plan) -> Result<Self, Failure> {
        let mut units = Units::new(site.view().grid().sector_size());
        let body = units.add_body(site.body).map_err(|error| fault(&error))?;
        let spawns: Vec<_> = places.iter().map(|place| Spawn::standing(*place, body)).collect();
        let ids = units.spawn_all(&spawns).map_err(|error| fault(&error))?;
        let mut places: Vec<_> =
            ids.into_iter().map(|id| id.slot).zip(places.iter().copied()).collect();
        places.sort_unstable_by_key(|(slot, _)| *slot);
        let places = places.into_iter().map(|(_, place)| place).collect();
        let wishes = vec![Wish::STAND; units.slots()];
        Ok(Self {
            site,
            places,
            units,
            wishes,
            batch: Batch::new(),
            settings: TickSettings::at_rate(site.rate),
            switches: Switches::path(plan.path),
            put_back: 0,
            full: 0,
            held: 0,
            borders_crossed: 0,
        })
    }

    /// Returns the microseconds of the library's tick, without steering.
    fn tick(&mut self, tick: u32) -> Result<f32, Failure> {
        self.put_back()?;
        steer(self.site, &self.units, tick, &mut self.wishes);
        let Self { site, units, wishes, batch, settings, switches, .. } = self;
        let began = Instant::now();
        let ticked = batch.tick_with(switches, site.view(), units, wishes, settings);
        let took = began.elapsed();
        ticked.map_err(|error| fault(&error))?;
        Ok(took.as_secs_f32() * 1e6)
    }

    /// Puts units that have fallen out of the world back to their starts.
    fn put_back(&mut self) -> Result<(), Failure> {
        let slots = lost(self.site, &self.units);
        let ids: Vec<_> = if slots.is_empty() { Vec::new() } else { self.units.iter().collect() };
        for slot in slots {
            let put = self.units.teleport(self.site.view(), ids[slot], self.places[slot]);
            put.map_err(|error| fault(&error))?;
            self.put_back += 1;
        }
        Ok(())
    }

    fn figures(&self, plan: &Plan, times: Vec<f32>) -> Figures {
        let tick_us = Percentiles::of(times);
        let units = self.places.len();
        let ns_per_unit_tick = f64::from(tick_us.p50) * 1e3 / units as f64;
        let tick_ns = 1e9 / f64::from(self.site.rate);
        Figures {
            units: units as u32,
            threads: rayon::current_num_threads() as u16,
            ticks: plan.ticks,
            ns_per_unit_tick,
            tick_us,
            full_units: self.full as f64 / f64::from(plan.ticks),
            room_for_units: (tick_ns / ns_per_unit_tick) as u64,
            units_below_ground: count_below(self.site, &self.units),
            held_units: self.batch.report().held().len(),
            held_unit_ticks: self.held,
            put_back: self.put_back,
            borders_crossed: self.borders_crossed,
            state_hash: format!("{:016x}", self.units.state_hash()),
        }
    }
}

pub(super) fn fault(error: &dyn std::error::Error) -> Failure {
    Failure::input(format!("bench: {error}"))
}
