//! A flight, tick after tick.

use std::time::{Duration, Instant};

use marchland_controller::{Batch, TickError, TickSettings};
use marchland_terrain::glam::Vec3;
use marchland_terrain::stream::Interest;
use marchland_terrain::{SectorSize, WorldPos};

use super::args::{FlyArgs, ModeArg};
use super::course::{Course, Field};
use super::land::{Land, SETTLED, lack_hint};
use super::log::{Figures, Log, Sample};
use super::squad::{Squad, fault};
use super::system::{Clock, Counts};
use crate::command::failure::Failure;
use crate::command::output;

/// The part of a source's radius that its units are spread over.
const SPREAD: f64 = 0.25;
/// Metres between units and the edge of the world.
const EDGE: f64 = 16.0;
/// How long a strict tick waits before it checks again, and how long in total.
const WAIT: Duration = Duration::from_micros(200);
const WAIT_MAX: Duration = Duration::from_secs(60);

/// Flies for this many ticks, on the threads of the current pool.
///
/// # Errors
/// If there is no ground at the start, or ground that a strict tick needs does not arrive.
pub fn fly(
    land: &mut Land,
    args: &FlyArgs,
    ticks: u32,
    progress: &mut dyn FnMut(u32),
) -> Result<Log, Failure> {
    let mut flight = Flight::begin(land, args, ticks)?;
    let counts = Counts::of_pool();
    let begun = Instant::now();
    for tick in 0..ticks {
        if args.real_time {
            sleep_until(begun, f64::from(tick) / args.rate);
        }
        flight.tick(land)?;
        progress(tick + 1);
    }
    let mut log = flight.log;
    log.sums.seconds = begun.elapsed().as_secs_f64();
    log.counts = Counts::of_pool().zip(counts).map(|(after, before)| after.since(before));
    log.stats = land.stats().copied();
    log.sums.state_hash = format!("{:016x}", flight.squad.units.state_hash());
    Ok(log)
}

struct Flight<'a> {
    args: &'a FlyArgs,
    settings: TickSettings,
    size: SectorSize,
    courses: Vec<Course>,
    /// The sources as passed to the streamer, and as followed by units.
    sources: Vec<Interest>,
    posts: Vec<(WorldPos, f32)>,
    squad: Squad,
    batch: Batch,
    /// Ticks for which each unit has been held, by slot.
    holds: Vec<u32>,
    /// The streamer's clock.
    now: Duration,
    log: Log,
}

impl<'a> Flight<'a> {
    fn begin(land: &mut Land, args: &'a FlyArgs, ticks: u32) -> Result<Self, Failure> {
        let (size, bounds) = (land.info().facts.grid.sector_size(), land.info().bounds);
        let bounds = bounds.ok_or_else(|| Failure::input("the world has no sectors"))?;
        let spread = args.radius * SPREAD;
        let field = Field::of(bounds, size, spread + EDGE);
        let spread = field.fitting(spread);
        let courses: Vec<Course> = (0..u64::from(args.sources))
            .map(|number| Course::new(field, args.speed, args.shuttle, number))
            .collect();
        let sources = sources_of(&courses, args, size)?;
        land.begin(&sources, spread as f32)?;
        let starts: Vec<WorldPos> = sources.iter().map(|source| source.position).collect();
        let mask = if args.props { u32::MAX } else { 0 };
        let squad = Squad::begin(land.view(), &starts, args.units, spread as f32, mask)?;
        let settings =
            TickSettings { mode: args.mode.into(), ..TickSettings::at_rate(args.rate as f32) };
        let log = Log {
            samples: Vec::with_capacity(ticks as usize),
            dt: 1.0 / args.rate,
            is_one_thread: args.threads == 1,
            sums: Figures { budget_bytes: args.budget, ..Figures::default() },
            ..Log::default()
        };
        Ok(Self {
            args,
            settings,
            size,
            courses,
            sources,
            posts: Vec::new(),
            holds: vec![0; squad.units.slots()],
            squad,
            batch: Batch::new(),
            now: Duration::ZERO,
            log,
        })
    }

    fn tick(&mut self, land: &mut Land) -> Result<(), Failure> {
        self.now += Duration::from_secs_f64(self.log.dt);
        self.move_sources()?;
        let mut sample = Sample::default();
        let waiting = Instant::now();
        let mut has_waited = false;
        loop {
            self.update(land, &mut sample)?;
            if self.steer(land)? && self.advance(land, &mut sample)? {
                break;
            }
            has_waited = true;
            self.wait(land, waiting)?;
        }
        if has_waited {
            self.log.sums.waits += 1;
            self.log.waited += waiting.elapsed();
        }
        land.note_failures();
        self.note(land, sample);
        Ok(())
    }

    fn move_sources(&mut self) -> Result<(), Failure> {
        for course in &mut self.courses {
            course.advance(self.log.dt);
        }
        self.sources = sources_of(&self.courses, self.args, self.size)?;
        let speed = self.args.speed as f32;
        self.posts.clear();
        self.posts.extend(self.sources.iter().map(|source| (source.position, speed)));
        Ok(())
    }

    fn update(&mut self, land: &mut Land, sample: &mut Sample) -> Result<(), Failure> {
        let clock = Clock::start();
        land.update(self.now, &self.sources, &mut self.batch, &self.squad.units)?;
        sample.update = clock.stop();
        Ok(())
    }

    /// Returns whether the tick may run: a strict tick may not while a unit cannot be put back.
    fn steer(&mut self, land: &Land) -> Result<bool, Failure> {
        self.log.sums.put_back += self.squad.steer(land.view(), &self.posts, self.settings.dt)?;
        Ok(self.args.mode == ModeArg::Hold || self.squad.stranded.is_empty())
    }

    /// Returns whether the tick ran.
    fn advance(&mut self, land: &Land, sample: &mut Sample) -> Result<bool, Failure> {
        let clock = Clock::start();
        let ran = self.squad.tick(land.view(), &mut self.batch, &self.settings);
        sample.movement = clock.stop();
        match ran {
            Ok(()) => Ok(true),
            Err(TickError::NotResident { .. }) => Ok(false),
            Err(error) => Err(fault(&error)),
        }
    }

    /// In a strict tick, gives the loading threads time to work. The streamer's clock runs on
    /// meanwhile.
    fn wait(&mut self, land: &mut Land, since: Instant) -> Result<(), Failure> {
        land.note_failures();
        let missing = match self.squad.stranded.as_slice() {
            [] => self.batch.report().missing(),
            stranded => stranded,
        };
        let failed = missing.iter().filter(|&&coord| land.view().has_failed(coord)).count();
        let is_in_vain = failed > 0 && failed == missing.len() && since.elapsed() > SETTLED;
        if is_in_vain || since.elapsed() > WAIT_MAX {
            let (seconds, missing) = (since.elapsed().as_secs(), missing.len() as u64);
            let sectors = output::count(missing, "sector");
            return Err(Failure::io(format!(
                "a strict tick waited {seconds} s for {sectors}, {failed} of which failed to load"
            ))
            .hint(lack_hint(failed)));
        }
        std::thread::sleep(WAIT);
        self.now += WAIT;
        Ok(())
    }

    fn note(&mut self, land: &Land, mut sample: Sample) {
        let (log, report) = (&mut self.log, self.batch.report());
        let sums = &mut log.sums;
        sums.unit_ticks += (report.ticked + report.held().len()) as u64;
        sums.held_unit_ticks += report.held().len() as u64;
        sums.held_units_most = sums.held_units_most.max(report.held().len());
        sums.borders_crossed += report.borders_crossed;
        sums.units_below_ground += self.squad.count_below(land.view());
        let units = &self.squad.units;
        for (hold, id) in self.holds.iter_mut().zip(units.iter()) {
            *hold = if units.is_held(id) == Some(true) { *hold + 1 } else { 0 };
            log.longest_hold_ticks = log.longest_hold_ticks.max(*hold);
        }
        sample.held = report.held().len() as u32;
        if let Some(stats) = land.stats() {
            sample.missing = stats.missing as u32;
            sample.in_flight = stats.in_flight as u32;
            sample.resident_bytes = stats.resident_bytes;
            sums.missing_most = sums.missing_most.max(stats.missing);
            sums.without_room_most = sums.without_room_most.max(stats.without_room);
            log.oldest_wait = log.oldest_wait.max(stats.oldest_wait);
        }
        log.samples.push(sample);
    }
}

fn sources_of(
    courses: &[Course],
    args: &FlyArgs,
    size: SectorSize,
) -> Result<Vec<Interest>, Failure> {
    let source = |course: &Course| {
        let ([x, z], [east, south]) = (course.place(), course.velocity());
        let position = WorldPos::from_metres(x, 0.0, z, size).map_err(|error| fault(&error))?;
        let velocity = Vec3::new(east as f32, 0.0, south as f32);
        Ok(Interest { velocity, ..Interest::new(position, args.radius as f32) })
    };
    courses.iter().map(source).collect()
}

fn sleep_until(begun: Instant, seconds: f64) {
    let due = Duration::from_secs_f64(seconds);
    if let Some(left) = due.checked_sub(begun.elapsed()) {
        std::thread::sleep(left);
    }
}
