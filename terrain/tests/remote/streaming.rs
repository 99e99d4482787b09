//! A broken connection is a failed load: the rest goes on, and it comes when the connection is back.

use std::time::Duration;

use marchland_terrain::stream::{Interest, StreamEvent, StreamSettings, Streamer};
use marchland_terrain::{World, WorldPos};

use crate::reading::{served, town};
use crate::server::{Mood, Server};
use crate::worlds::grid;

#[test]
fn a_streamer_goes_on_when_a_connection_breaks_and_recovers_with_it() {
    let (home, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    town(home.path());
    let server = Server::of(home.path().to_owned());
    let world = World::open_on(served(&server, cache.path())).unwrap();
    let settings = StreamSettings {
        retry_first: Duration::from_millis(10),
        retry_most: Duration::from_millis(40),
        ..StreamSettings::default()
    };
    let mut streamer = Streamer::new(world, settings).unwrap();
    let camp = WorldPos::from_metres(0.0, 0.0, 0.0, grid().sector_size()).unwrap();
    streamer.ensure_ready(camp, 0.0, Duration::from_secs(60)).unwrap();
    server.set_mood(Mood::HangsUp);
    streamer.add_interest(Interest::new(camp, 100.0)).unwrap();
    let late = streamer.ensure_ready(camp, 20.0, Duration::from_millis(300)).unwrap_err();
    assert!(!late.failed.is_empty() && late.failed.len() <= late.missing.len(), "{late}");
    assert!(streamer.is_ready(camp, 0.0), "what was there stays");
    let failed =
        streamer.drain_events().filter(|e| matches!(e, StreamEvent::Failed { .. })).count();
    assert!(failed >= late.failed.len());
    server.set_mood(Mood::Well);
    streamer.ensure_ready(camp, 20.0, Duration::from_secs(60)).unwrap();
    let recovered = streamer.drain_events().filter(|e| matches!(e, StreamEvent::Recovered { .. }));
    assert!(recovered.count() > 0);
    assert_eq!(streamer.stats().failed, 0);
}
