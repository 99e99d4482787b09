//! Where worlds end: borders, gaps, one sector, none.

use std::time::Duration;

use marchland_terrain::stream::{Interest, StreamSettings, Streamer};
use marchland_terrain::{Ground, SectorCoord, World, WorldPos, glam::Vec3};

use crate::driver::Driver;
use crate::plain::{at, level, rectangle, square};
use crate::smoke::settle;

#[test]
fn an_empty_world_is_ready_everywhere_and_has_nothing() {
    let world = World::open_on(level(&[])).unwrap();
    let (mut streamer, driver) = Driver::stream(world, StreamSettings::default());
    streamer.add_interest(Interest::new(at(0.0, 0.0), 1e6)).unwrap();
    streamer.ensure_ready(at(0.0, 0.0), 1e9, Duration::from_secs(1)).unwrap();
    settle(&mut streamer, &driver, Duration::from_secs(2));
    assert_eq!((streamer.stats().wanted, streamer.stats().resident), (0, 0));
    assert!(streamer.is_ready(at(100.0, 0.0), f32::MAX));
    assert_eq!(streamer.missing(at(0.0, 0.0), 10.0), []);
    assert_eq!(streamer.view().ground(at(0.0, 0.0)), Ground::Outside);
}

#[test]
fn a_world_of_one_sector_comes_and_has_ends() {
    let world = World::open_on(level(&[SectorCoord::new(-3, 5)])).unwrap();
    let (mut streamer, driver) = Driver::stream(world, StreamSettings::default());
    let middle = at(-24.0, 40.0);
    assert_eq!(streamer.view().ground(middle), Ground::NotResident);
    assert_eq!(streamer.view().ground(at(0.0, 0.0)), Ground::Outside);
    streamer.add_interest(Interest::new(at(-10.0, 40.0), 11.0)).unwrap();
    settle(&mut streamer, &driver, Duration::ZERO);
    assert_eq!(streamer.view().ground(middle), Ground::Height(0.5));
    assert!(streamer.is_ready(middle, f32::MAX));
    assert_eq!(streamer.stats().wanted, 1);
}

#[test]
fn gaps_answer_outside_once_they_were_looked_up_and_not_before() {
    let mut places = rectangle((0, 0), 7, 7);
    let gaps = [(2, 2), (2, 3), (5, 6)].map(|(x, z)| SectorCoord::new(x, z));
    places.retain(|coord| !gaps.contains(coord));
    let world = World::open_on(level(&places)).unwrap();
    let (mut streamer, driver) = Driver::stream(world, StreamSettings::default());
    let ground = |streamer: &Streamer, coord: SectorCoord| {
        streamer.view().ground(at(f64::from(coord.x) * 8.0, f64::from(coord.z) * 8.0))
    };
    for gap in gaps {
        assert_eq!(ground(&streamer, gap), Ground::NotResident);
    }
    let near = Interest::new(at(16.0, 16.0), 9.0);
    let id = streamer.add_interest(near).unwrap();
    let mut now = settle(&mut streamer, &driver, Duration::ZERO);
    assert_eq!(ground(&streamer, gaps[0]), Ground::Outside);
    assert_eq!(ground(&streamer, gaps[1]), Ground::Outside);
    // The other was not looked up.
    assert_eq!(ground(&streamer, gaps[2]), Ground::NotResident);
    assert!(streamer.is_ready(at(16.0, 20.0), 1.0));
    assert_eq!(driver.started().iter().filter(|coord| gaps.contains(coord)).count(), 0);
    assert_eq!(streamer.stats().missing, 0);
    // Far away nothing is known of them any more, and back again it is.
    streamer.set_interest(id, Interest::new(at(1000.0, 0.0), 1.0)).unwrap();
    now = settle(&mut streamer, &driver, now);
    assert_eq!(ground(&streamer, gaps[0]), Ground::NotResident);
    streamer.set_interest(id, near).unwrap();
    settle(&mut streamer, &driver, now);
    assert_eq!(ground(&streamer, gaps[0]), Ground::Outside);
}

#[test]
fn beyond_the_border_all_is_outside_and_a_source_there_wants_what_it_reaches() {
    let (_storage, world) = square(5);
    let (mut streamer, driver) = Driver::stream(world, StreamSettings::default());
    streamer.add_interest(Interest::new(at(26.0, 0.0), 6.5)).unwrap();
    settle(&mut streamer, &driver, Duration::ZERO);
    assert_eq!(streamer.resident().resident(), [SectorCoord::new(2, 0)]);
    assert_eq!(streamer.view().ground(at(20.5, 0.0)), Ground::Outside);
    assert!(streamer.is_ready(at(26.0, 0.0), 5.0));
    assert!(!streamer.is_ready(at(26.0, 0.0), 15.0));
}

#[test]
fn at_the_ends_of_32_bits_ground_is_there_as_anywhere() {
    for corner in [(i32::MAX - 2, i32::MAX - 2), (i32::MIN, i32::MIN), (i32::MIN, i32::MAX - 2)] {
        let places = rectangle(corner, 3, 3);
        let world = World::open_on(level(&places)).unwrap();
        let (mut streamer, _driver) = Driver::stream(world, StreamSettings::default());
        let size = crate::plain::size();
        for coord in &places {
            let place = WorldPos::new(*coord, Vec3::ZERO, size).unwrap();
            streamer.ensure_ready(place, 1e6, Duration::from_secs(10)).unwrap();
            assert_eq!(streamer.view().ground(place), Ground::Height(0.5));
        }
        assert_eq!(streamer.resident().resident(), places);
    }
}
