//! What a streamer reports: figures for a game's overlay, and events.

use std::sync::Arc;
use std::time::Duration;

use crate::math::SectorCoord;
use crate::store::StoreError;

/// Current figures of a streamer, and totals since it began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamStats {
    /// Sectors in the view.
    pub resident: usize,
    /// Bytes in memory: sectors in the view, sectors waiting to enter it, and their meshes.
    pub resident_bytes: u64,
    /// Of those, bytes of meshes.
    pub mesh_bytes: u64,
    /// The greatest value that `resident_bytes` ever had.
    pub resident_bytes_peak: u64,
    /// Sectors that sources want, limited by what the memory could hold.
    pub wanted: usize,
    /// Of those, sectors that are not in the view and neither outside the world nor failed.
    pub missing: usize,
    /// Sectors that are being loaded.
    pub in_flight: usize,
    /// Sectors that were loaded and wait to enter the view.
    pub arrived: usize,
    /// Sectors that could not be loaded, and are retried.
    pub failed: usize,
    /// Wanted sectors for which there is no room beside others that are needed sooner.
    pub without_room: usize,
    /// How long the longest waiting sector has been wanted.
    pub oldest_wait: Duration,
    /// Total number of successful loads.
    pub loads: u64,
    /// Total number of failed loads.
    pub failures: u64,
    /// Total number of loads that ended after they were no longer wanted.
    pub cancelled: u64,
    /// Total number of sectors that left memory.
    pub evictions: u64,
    /// Total bytes of sectors read.
    pub read_bytes: u64,
    /// Total number of sectors that entered the view when a source was already on them.
    pub late_arrivals: u64,
    /// The longest time that an update took to bring sectors into the view and take others out of it.
    pub worst_publication: Duration,
    /// The longest time that an update took.
    pub worst_update: Duration,
}

/// Something that happened to a streamer.
#[derive(Clone, Debug)]
pub enum StreamEvent {
    /// A sector could not be loaded or looked up. It is reported once and retried with growing waits. It is
    /// reported again only if it succeeded in between, or was not wanted any more for a time.
    Failed {
        /// The sector.
        coord: SectorCoord,
        /// Why.
        error: Arc<StoreError>,
    },
    /// A sector that had failed was loaded.
    Recovered {
        /// The sector.
        coord: SectorCoord,
        /// How many times it had failed.
        failures: u32,
    },
    /// A newer generation of the world replaced the one that was open.
    Reloaded {
        /// Its number.
        generation: u64,
        /// Number of known sectors whose content has changed.
        changed: usize,
        /// Number of known sectors that are no longer part of the world.
        removed: usize,
    },
    /// There is no newer generation than the one that is open.
    NothingNewer,
    /// The newest generation cannot be used; the open one stays.
    ReloadFailed {
        /// Why.
        error: Arc<StoreError>,
    },
}
