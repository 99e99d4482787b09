//! What a streamer tells: figures for a game's overlay, and what happened.

use std::sync::Arc;
use std::time::Duration;

use crate::math::SectorCoord;
use crate::store::StoreError;

/// Figures of a streamer as they stand, and sums since it began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamStats {
    /// Sectors in the view.
    pub resident: usize,
    /// Bytes in memory: sectors in the view, those that wait to come into it, and their meshes.
    pub resident_bytes: u64,
    /// Of those, bytes of meshes.
    pub mesh_bytes: u64,
    /// The most that `resident_bytes` ever was.
    pub resident_bytes_peak: u64,
    /// Sectors that sources want, as far as the memory could hold them.
    pub wanted: usize,
    /// Of those, sectors that are not in the view and neither outside the world nor failed.
    pub missing: usize,
    /// Sectors that are being read.
    pub in_flight: usize,
    /// Sectors that were read and wait to come into the view.
    pub arrived: usize,
    /// Sectors that could not be loaded, and are tried again.
    pub failed: usize,
    /// Wanted sectors for which there is no room beside others that are needed sooner.
    pub without_room: usize,
    /// How long the sector that waits longest has been wanted.
    pub oldest_wait: Duration,
    /// Loads that ended well, since the beginning.
    pub loads: u64,
    /// Loads that failed, since the beginning.
    pub failures: u64,
    /// Loads that ended when nobody wanted them any more, since the beginning.
    pub cancelled: u64,
    /// Sectors that left memory, since the beginning.
    pub evictions: u64,
    /// Bytes of sectors read, since the beginning.
    pub read_bytes: u64,
    /// Sectors that came into the view when a source stood on them already, since the beginning.
    pub late_arrivals: u64,
    /// The longest that an update took to bring sectors into the view and take others out of it.
    pub worst_publication: Duration,
    /// The longest that an update took.
    pub worst_update: Duration,
}

/// Something that happened to a streamer.
#[derive(Clone, Debug)]
pub enum StreamEvent {
    /// A sector could not be loaded, or looked up. It is told once, tried again with growing waits, and
    /// told again only after it was well in between, or after nobody wanted it any more.
    Failed {
        /// Its place.
        coord: SectorCoord,
        /// Why.
        error: Arc<StoreError>,
    },
    /// A sector that had failed was loaded.
    Recovered {
        /// Its place.
        coord: SectorCoord,
        /// How often it had failed.
        failures: u32,
    },
    /// A newer generation of the world took the place of the one that was open.
    Reloaded {
        /// Its number.
        generation: u64,
        /// Sectors that were known and have other content now.
        changed: usize,
        /// Sectors that were known and are no longer part of the world.
        removed: usize,
    },
    /// There is no newer generation than the one that is open.
    NothingNewer,
    /// The newest generation cannot be used; the one that was open stays.
    ReloadFailed {
        /// Why.
        error: Arc<StoreError>,
    },
}
