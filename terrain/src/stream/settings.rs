//! The settings of a streamer.

use crate::math::lesser;
use std::time::Duration;

/// What a streamer may spend.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StreamSettings {
    /// Most bytes of sectors in memory, including the meshes of their props, each counted once. Loads in
    /// flight may exceed it by the bytes of their meshes, by at most one sector per load. Files that are
    /// copied share slabs of memory: what lies between files of many lengths adds about a tenth, and the
    /// last slab at most 8 MiB. Default 256 MiB.
    pub budget_bytes: u64,
    /// Sectors that are read at the same time, each on a thread of its own. At least 1; default 4.
    pub loads_in_flight: usize,
    /// Most bytes read in a second, averaged over a second or more. Unlimited by default.
    pub bytes_per_second: u64,
    /// Sectors that [`update`](super::Streamer::update) brings into the view at most. At least 1;
    /// default 8.
    pub publications_per_update: usize,
    /// Seconds for which a source is expected to keep its velocity: what it reaches in that time is
    /// wanted too. Default 2.
    pub look_ahead: f32,
    /// Hysteresis: a sector stays wanted until it is this fraction of a sector's side beyond the wanted
    /// radius. Default 0.5.
    pub keep: f32,
    /// How long to wait after a failed load before the next attempt; each failure doubles it. Default
    /// half a second.
    pub retry_first: Duration,
    /// The longest time between two attempts. Default one minute.
    pub retry_most: Duration,
}

impl Default for StreamSettings {
    fn default() -> Self {
        Self {
            budget_bytes: 256 << 20,
            loads_in_flight: 4,
            bytes_per_second: u64::MAX,
            publications_per_update: 8,
            look_ahead: 2.0,
            keep: 0.5,
            retry_first: Duration::from_millis(500),
            retry_most: Duration::from_secs(60),
        }
    }
}

impl StreamSettings {
    /// How long to wait after this many failures in a row, at least one.
    pub(super) fn wait_after(&self, failures: u32) -> Duration {
        let doubled = 1_u32.checked_shl(failures.saturating_sub(1)).unwrap_or(u32::MAX);
        let wait = self.retry_first.saturating_mul(doubled);
        lesser(self.retry_most, wait)
    }
}
