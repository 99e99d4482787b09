//! The cost and the observations of every tick, and the figures computed from them.

use std::time::Duration;

use marchland_terrain::stream::StreamStats;
use serde::Serialize;

use super::system::{Counts, Timing};

/// A tick.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sample {
    /// The work of streaming.
    pub(super) update: Timing,
    /// The movement.
    pub(super) movement: Timing,
    /// Wanted sectors that were missing, and sectors being read.
    pub(super) missing: u32,
    pub(super) in_flight: u32,
    pub(super) resident_bytes: u64,
    pub(super) held: u32,
}

impl Sample {
    /// The whole tick, microseconds.
    pub(super) fn tick_us(&self) -> f32 {
        self.update.wall + self.movement.wall
    }

    fn tick_cpu_us(&self) -> f32 {
        self.update.cpu + self.movement.cpu
    }
}

/// All ticks of a flight, and sums over them.
#[derive(Clone, Debug, Default)]
pub struct Log {
    pub(super) samples: Vec<Sample>,
    /// Seconds between ticks, by the flight's clock.
    pub(super) dt: f64,
    /// Whether one thread does all the work of a tick.
    pub(super) is_one_thread: bool,
    pub(super) counts: Option<Counts>,
    pub(super) longest_hold_ticks: u32,
    pub(super) waited: Duration,
    pub(super) stats: Option<StreamStats>,
    pub(super) oldest_wait: Duration,
    /// The figures that are taken as they are: given, or summed over the ticks.
    pub(super) sums: Figures,
}

/// The distribution of values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Percentiles {
    /// Half of them are no greater.
    pub p50: f32,
    /// 99 of 100 are no greater.
    pub p99: f32,
    /// 999 of 1000 are no greater.
    pub p999: f32,
    /// The greatest.
    pub max: f32,
}

/// The figures of a flight, by the keys of `--json`.
#[derive(Clone, Debug, Default, Serialize)]
#[allow(missing_docs, reason = "named in the help of the verb")]
pub struct Figures {
    pub ticks: usize,
    pub seconds: f64,
    pub tick_us: Percentiles,
    pub update_us: Percentiles,
    pub move_us: Percentiles,
    pub tick_cpu_us: Option<Percentiles>,
    pub update_cpu_us: Option<Percentiles>,
    pub page_faults_major: Option<u64>,
    pub page_faults_minor: Option<u64>,
    pub thread_waits: Option<u64>,
    pub unit_ticks: u64,
    pub held_unit_ticks: u64,
    pub held_units_most: usize,
    pub longest_hold_seconds: f64,
    pub units_below_ground: u64,
    pub borders_crossed: u64,
    pub put_back: u64,
    pub waits: u64,
    pub waited_seconds: f64,
    pub sectors_loaded: u64,
    pub read_bytes: u64,
    pub read_mb_per_second: f64,
    pub evictions: u64,
    pub late_arrivals: u64,
    pub cancelled: u64,
    pub failures: u64,
    pub missing_most: usize,
    pub without_room_most: usize,
    pub oldest_wait_seconds: f64,
    pub resident_bytes_peak: u64,
    pub budget_bytes: u64,
    pub worst_publication_us: f64,
    pub state_hash: String,
}

impl Log {
    /// The figures.
    #[must_use]
    pub fn figures(&self) -> Figures {
        let stats = self.stats.unwrap_or_default();
        let has_cpu = self.is_one_thread && cfg!(target_os = "linux");
        Figures {
            ticks: self.samples.len(),
            tick_us: self.percentiles(Sample::tick_us),
            update_us: self.percentiles(|sample| sample.update.wall),
            move_us: self.percentiles(|sample| sample.movement.wall),
            tick_cpu_us: has_cpu.then(|| self.percentiles(Sample::tick_cpu_us)),
            update_cpu_us: has_cpu.then(|| self.percentiles(|sample| sample.update.cpu)),
            page_faults_major: self.counts.map(|counts| counts.major),
            page_faults_minor: self.counts.map(|counts| counts.minor),
            thread_waits: self.counts.map(|counts| counts.waits),
            longest_hold_seconds: f64::from(self.longest_hold_ticks) * self.dt,
            waited_seconds: self.waited.as_secs_f64(),
            sectors_loaded: stats.loads,
            read_bytes: stats.read_bytes,
            read_mb_per_second: stats.read_bytes as f64 / 1e6 / self.sums.seconds,
            evictions: stats.evictions,
            late_arrivals: stats.late_arrivals,
            cancelled: stats.cancelled,
            failures: stats.failures,
            oldest_wait_seconds: self.oldest_wait.as_secs_f64(),
            resident_bytes_peak: stats.resident_bytes_peak,
            worst_publication_us: stats.worst_publication.as_secs_f64() * 1e6,
            ..self.sums.clone()
        }
    }

    fn percentiles(&self, of: impl Fn(&Sample) -> f32) -> Percentiles {
        Percentiles::of(self.samples.iter().map(of).collect())
    }
}

impl Percentiles {
    /// Distribution of values in any order, by the nearest rank; zeros if there are none.
    #[must_use]
    pub fn of(mut values: Vec<f32>) -> Self {
        values.sort_unstable_by(f32::total_cmp);
        let last = values.len().saturating_sub(1);
        // The least value that this many of a thousand do not exceed.
        let at = |thousandths: usize| {
            let rank = (values.len() * thousandths).div_ceil(1000).saturating_sub(1);
            values.get(rank.min(last)).copied().unwrap_or(0.0)
        };
        Self { p50: at(500), p99: at(990), p999: at(999), max: at(1000) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_were_seen() {
        let values = |count: u16| (1..=count).rev().map(f32::from).collect::<Vec<f32>>();
        let of = |count| {
            let Percentiles { p50, p99, p999, max } = Percentiles::of(values(count));
            [p50, p99, p999, max]
        };
        assert_eq!(of(1000), [500.0, 990.0, 999.0, 1000.0]);
        assert_eq!(of(3601), [1801.0, 3565.0, 3598.0, 3601.0]);
        assert_eq!(of(1), [1.0; 4]);
        assert_eq!(of(0), [0.0; 4]);
    }
}
