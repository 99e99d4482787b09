//! Memory: within the budget whatever happens, pinned sectors stay, and what fits comes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use marchland_terrain::props::MeshHash;
use marchland_terrain::store::Storage;
use marchland_terrain::stream::{Interest, InterestId, StreamSettings, Streamer};
use marchland_terrain::{Ground, SectorCoord, World};
use proptest::prelude::*;

use crate::driver::Driver;
use crate::geometry::{plan_anew, union, wanted};
use crate::memory::MemoryStorage;
use crate::plain::{at, sector_bytes, square, velocity};
use crate::smoke::settle;
use crate::worlds::bake_town;

/// What each sector of a world comes to.
#[derive(Debug)]
pub(crate) struct Sizes(BTreeMap<SectorCoord, (u64, Vec<(MeshHash, u64)>)>);

impl Sizes {
    pub(crate) fn of(world: &World) -> Self {
        let sizes = world.records().map(|record| {
            let sector = world.files().read(&record.unwrap()).unwrap();
            let meshes = sector.meshes().iter();
            let meshes = meshes.map(|mesh| (mesh.hash(), mesh.len_bytes() as u64)).collect();
            (sector.layout().coord(), (sector.len_bytes() as u64, meshes))
        });
        Self(sizes.collect())
    }

    /// Bytes of some sectors, each mesh once.
    pub(crate) fn together<'a>(&self, coords: impl IntoIterator<Item = &'a SectorCoord>) -> u64 {
        let mut meshes = BTreeMap::new();
        let mut bytes = 0;
        for (sector, uses) in coords.into_iter().filter_map(|coord| self.0.get(coord)) {
            bytes += sector;
            meshes.extend(uses.iter().copied());
        }
        bytes + meshes.values().sum::<u64>()
    }

    fn largest(&self) -> u64 {
        self.0.keys().map(|coord| self.together([coord])).max().unwrap_or(0)
    }

    fn coords(&self) -> Vec<SectorCoord> {
        self.0.keys().copied().collect()
    }
}

#[derive(Clone, Debug)]
enum Act {
    Add(Interest),
    /// The source to be changed, by turns.
    Move(usize, Interest),
    Remove(usize),
    /// Finishes the jobs at these places, each of what is left.
    Finish(Vec<usize>),
    Wait(u64),
}

fn interest(half: f64) -> impl Strategy<Value = Interest> {
    let speed = || prop_oneof![2 => Just(0.0_f32), 1 => -12.0_f32..12.0];
    // At most as far as any memory's sectors reach: beyond, a source wants what is nearer.
    let place = (-half..half, -half..half, 0.0_f32..22.0);
    (place, speed(), speed(), 0..4).prop_map(|((x, z, radius), along_x, along_z, pin)| Interest {
        velocity: velocity(along_x, along_z),
        pinned: pin == 0,
        ..Interest::new(at(x, z), radius)
    })
}

fn act(half: f64) -> impl Strategy<Value = Act> {
    prop_oneof![
        2 => interest(half).prop_map(Act::Add),
        4 => (any::<usize>(), interest(half)).prop_map(|(at, to)| Act::Move(at, to)),
        1 => any::<usize>().prop_map(Act::Remove),
        6 => prop::collection::vec(any::<usize>(), 1..6).prop_map(Act::Finish),
        2 => (0_u64..2000).prop_map(Act::Wait),
    ]
}

fn settings() -> impl Strategy<Value = StreamSettings> {
    (1_usize..6, 1_usize..5, 0.0_f32..1.0, 0.0_f32..2.0).prop_map(
        |(loads_in_flight, publications_per_update, keep, look_ahead)| StreamSettings {
            loads_in_flight,
            publications_per_update,
            keep,
            look_ahead,
            ..StreamSettings::default()
        },
    )
}

struct Run {
    streamer: Streamer,
    driver: Driver,
    sizes: &'static Sizes,
    settings: StreamSettings,
    sources: Vec<(InterestId, Interest)>,
    now: Duration,
    places: Vec<SectorCoord>,
}

impl Run {
    fn act(&mut self, act: &Act) {
        match act {
            Act::Add(interest) if self.sources.len() < 5 => {
                let id = self.streamer.add_interest(*interest).unwrap();
                self.sources.push((id, *interest));
            }
            Act::Move(at, interest) if !self.sources.is_empty() => {
                let at = at % self.sources.len();
                self.streamer.set_interest(self.sources[at].0, *interest).unwrap();
                self.sources[at].1 = *interest;
            }
            Act::Remove(at) if !self.sources.is_empty() => {
                let (id, _) = self.sources.swap_remove(at % self.sources.len());
                self.streamer.remove_interest(id).unwrap();
                assert!(self.streamer.remove_interest(id).is_err());
            }
            Act::Finish(places) => {
                for place in places {
                    let jobs = self.driver.jobs();
                    if jobs > 0 {
                        self.driver.finish(place % jobs);
                    }
                }
            }
            Act::Wait(ms) => self.now += Duration::from_millis(*ms),
            Act::Add(_) | Act::Move(..) | Act::Remove(_) => {}
        }
    }

    fn pinned(&self) -> BTreeSet<SectorCoord> {
        let pinned = self.sources.iter().filter(|(_, interest)| interest.pinned);
        let look_ahead = self.settings.look_ahead;
        pinned.flat_map(|(_, interest)| wanted(&self.places, interest, look_ahead).0).collect()
    }

    fn resident(&self) -> BTreeSet<SectorCoord> {
        self.streamer.resident().resident().iter().copied().collect()
    }

    /// An update with a plan, and what has to be true of any.
    fn update(&mut self) {
        let (before, pinned) = (self.resident(), self.pinned());
        let seen = self.streamer.stats().resident;
        plan_anew(&mut self.streamer, &mut self.now);
        let (stats, after) = (*self.streamer.stats(), self.resident());
        let budget = self.settings.budget_bytes;
        assert!(stats.resident_bytes <= budget, "{} of {budget}", stats.resident_bytes);
        let in_flight = self.settings.loads_in_flight as u64;
        let most = budget + in_flight * self.sizes.largest();
        assert!(stats.resident_bytes_peak <= most, "{} of {most}", stats.resident_bytes_peak);
        // What is counted is what is there.
        let there = self.sizes.together(&after);
        assert!(there <= stats.resident_bytes, "{there}, counted {}", stats.resident_bytes);
        assert!(stats.arrived > 0 || there == stats.resident_bytes, "{there} {stats:?}");
        let came = after.difference(&before).count();
        assert!(came <= self.settings.publications_per_update, "{came} of {seen}");
        assert!(stats.in_flight <= self.settings.loads_in_flight);
        for coord in pinned.intersection(&before) {
            assert!(after.contains(coord), "{coord} is pinned and went");
        }
    }
}

fn run(storage: &Arc<dyn Storage>, sizes: &'static Sizes, settings: StreamSettings, acts: &[Act]) {
    let world = World::open_on(Arc::clone(storage)).unwrap();
    let (streamer, driver) = Driver::stream(world, settings);
    let (sources, now, places) = (Vec::new(), Duration::ZERO, sizes.coords());
    let mut run = Run { streamer, driver, sizes, settings, sources, now, places };
    for act in acts {
        run.act(act);
        run.update();
    }
    // However it came to be so, what fits comes.
    let mut quiet = 0;
    for _ in 0..400 {
        let before = (run.streamer.stats().loads, run.streamer.stats().evictions);
        run.driver.finish_all();
        run.update();
        let stats = run.streamer.stats();
        let is_quiet = before == (stats.loads, stats.evictions) && stats.arrived == 0;
        quiet = if is_quiet { quiet + 1 } else { 0 };
        if quiet > 20 {
            break;
        }
    }
    let stats = run.streamer.stats();
    assert_eq!((stats.in_flight, stats.arrived), (0, 0), "it never settles: {stats:?}");
    let (resident, pinned) = (run.resident(), run.pinned());
    let all: Vec<_> = run.sources.iter().map(|(_, interest)| *interest).collect();
    let all = union(&run.places, &all, settings.look_ahead);
    if sizes.together(&all) <= settings.budget_bytes {
        assert!(all.is_subset(&resident), "not there: {:?}", all.difference(&resident));
    }
    if sizes.together(&pinned) <= settings.budget_bytes {
        assert!(pinned.is_subset(&resident), "not there: {:?}", pinned.difference(&resident));
    }
}

type Baked = (Arc<dyn Storage>, Sizes);

fn plain_world() -> &'static Baked {
    static WORLD: OnceLock<Baked> = OnceLock::new();
    WORLD.get_or_init(|| {
        let (storage, world) = square(15);
        (storage, Sizes::of(&world))
    })
}

fn town() -> &'static Baked {
    static WORLD: OnceLock<Baked> = OnceLock::new();
    WORLD.get_or_init(|| {
        let storage: Arc<dyn Storage> = Arc::new(MemoryStorage::default());
        bake_town(&storage, 1.0).unwrap();
        let sizes = Sizes::of(&World::open_on(Arc::clone(&storage)).unwrap());
        (storage, sizes)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn memory_stays_within_the_budget_and_what_fits_comes(
        sectors in 0_u64..64,
        spare in 0_u64..500,
        settings in settings(),
        acts in prop::collection::vec(act(70.0), 1..40),
    ) {
        let budget_bytes = sectors * sector_bytes() + spare;
        let (storage, sizes) = plain_world();
        run(storage, sizes, StreamSettings { budget_bytes, ..settings }, &acts);
    }

    #[test]
    fn memory_stays_within_the_budget_with_meshes_that_sectors_share(
        share in 0.0_f64..1.3,
        settings in settings(),
        acts in prop::collection::vec(act(20.0), 1..60),
    ) {
        let (storage, sizes) = town();
        let budget_bytes = (sizes.together(&sizes.coords()) as f64 * share) as u64;
        run(storage, sizes, StreamSettings { budget_bytes, ..settings }, &acts);
    }
}

#[test]
fn a_mesh_is_counted_once_and_stays_while_anyone_uses_it() {
    let (storage, sizes) = town();
    let world = World::open_on(Arc::clone(storage)).unwrap();
    let (mut streamer, driver) = Driver::stream(world, StreamSettings::default());
    let id = streamer.add_interest(Interest::new(at(0.0, 8.0), 100.0)).unwrap();
    settle(&mut streamer, &driver, Duration::ZERO);
    let all = sizes.coords();
    let alone: u64 = all.iter().map(|coord| sizes.together([coord])).sum();
    let stats = *streamer.stats();
    assert_eq!(stats.resident_bytes, sizes.together(&all));
    assert!(stats.resident_bytes < alone && stats.mesh_bytes > 0);
    assert_eq!(stats.resident, 7);
    streamer.remove_interest(id).unwrap();
}

#[test]
fn a_sector_whose_meshes_are_in_memory_finds_room_for_itself_alone() {
    let (storage, sizes) = town();
    let coords = sizes.coords();
    // Two sectors that share a mesh, and the room for exactly both.
    let pair = coords.iter().flat_map(|a| coords.iter().map(move |b| [*a, *b])).find(|[a, b]| {
        let (together, apart) = (sizes.together([a, b]), sizes.together([a]) + sizes.together([b]));
        a != b && together < apart && (a.x - b.x).abs() + (a.z - b.z).abs() == 1
    });
    let [first, second] = pair.unwrap();
    let budget_bytes = sizes.together([&first, &second]);
    let world = World::open_on(Arc::clone(storage)).unwrap();
    let settings = StreamSettings { budget_bytes, look_ahead: 0.0, ..StreamSettings::default() };
    let (mut streamer, driver) = Driver::stream(world, settings);
    let middle = |coord: SectorCoord| at(f64::from(coord.x) * 8.0, f64::from(coord.z) * 8.0);
    let add = |streamer: &mut Streamer, coord, pinned| {
        streamer.add_interest(Interest { pinned, ..Interest::new(middle(coord), 0.0) }).unwrap()
    };
    add(&mut streamer, first, true);
    add(&mut streamer, second, false);
    let mut now = settle(&mut streamer, &driver, Duration::ZERO);
    assert_eq!(streamer.stats().resident, 2);
    // A third one pushes the second out for a while.
    let third = coords.iter().find(|coord| {
        **coord != first && **coord != second && sizes.together([&first, coord]) <= budget_bytes
    });
    let id = add(&mut streamer, *third.unwrap(), true);
    now = settle(&mut streamer, &driver, now);
    assert!(!streamer.resident().resident().contains(&second));
    streamer.remove_interest(id).unwrap();
    for _ in 0..100 {
        plan_anew(&mut streamer, &mut now);
        driver.finish_all();
    }
    assert!(streamer.resident().resident().contains(&second), "{:?}", streamer.stats());
}

#[test]
fn what_is_pinned_farther_away_comes_past_what_finds_no_room_nearer() {
    let (_storage, world) = square(21);
    let budget_bytes = 9 * sector_bytes();
    let settings = StreamSettings { budget_bytes, ..StreamSettings::default() };
    let (mut streamer, driver) = Driver::stream(world, settings);
    // More is wanted around one place than there is room for.
    streamer.add_interest(Interest::new(at(0.0, 0.0), 24.0)).unwrap();
    let now = settle(&mut streamer, &driver, Duration::ZERO);
    assert_eq!(streamer.stats().resident, 9);
    assert!(streamer.stats().without_room > 0);
    let pinned = Interest { pinned: true, weight: 0.01, ..Interest::new(at(60.0, 60.0), 5.0) };
    streamer.add_interest(pinned).unwrap();
    settle(&mut streamer, &driver, now);
    assert!(streamer.is_ready(at(60.0, 60.0), 3.0), "{:?}", streamer.resident().resident());
}

#[test]
fn what_has_waited_long_without_room_does_not_hold_up_what_is_needed_soon() {
    let (_storage, world) = square(41);
    let budget_bytes = 16 * sector_bytes();
    let settings = StreamSettings { budget_bytes, ..StreamSettings::default() };
    let (mut streamer, driver) = Driver::stream(world, settings);
    streamer.add_interest(Interest::new(at(0.0, 0.0), 24.0)).unwrap();
    let mut now = settle(&mut streamer, &driver, Duration::ZERO);
    now += Duration::from_secs(10_000);
    now = settle(&mut streamer, &driver, now);
    assert!(streamer.stats().without_room > 0);
    // Somebody else's sectors, needed in less time than most that are there, in more than some.
    let far = Interest::new(at(100.0, 100.0), 5.0);
    streamer.add_interest(far).unwrap();
    settle(&mut streamer, &driver, now);
    assert!(streamer.is_ready(at(100.0, 100.0), 4.5), "{:?}", streamer.resident().resident());
}

#[test]
fn what_was_in_memory_before_goes_if_there_is_no_room_and_is_then_not_outside() {
    let (_storage, mut world) = square(9);
    assert_eq!(world.load_all().unwrap().loaded, 81);
    let budget_bytes = 20 * sector_bytes();
    let settings = StreamSettings { budget_bytes, ..StreamSettings::default() };
    let (mut streamer, driver) = Driver::stream(world, settings);
    streamer.add_interest(Interest::new(at(0.0, 0.0), 8.0)).unwrap();
    streamer.update(Duration::ZERO);
    assert_eq!(streamer.stats().resident_bytes, budget_bytes);
    assert_eq!(driver.started(), []);
    settle(&mut streamer, &driver, Duration::ZERO);
    assert_eq!(driver.started(), [], "what was wanted stayed");
    let mut gone = 0;
    for x in -4..=4 {
        for z in -4..=4 {
            let coord = SectorCoord::new(x, z);
            let ground = streamer.view().ground(at(f64::from(x) * 8.0, f64::from(z) * 8.0));
            match streamer.resident().resident().contains(&coord) {
                true => assert!(matches!(ground, Ground::Height(_))),
                false => assert_eq!(ground, Ground::NotResident),
            }
            gone += usize::from(ground == Ground::NotResident);
        }
    }
    assert_eq!(gone, 61);
}

#[test]
fn room_is_made_whole_or_not_at_all() {
    let (storage, sizes) = town();
    // The dearest that comes later, and a budget in which what may go for it is not enough.
    let coords = sizes.coords();
    let largest = coords.iter().copied().max_by_key(|coord| sizes.together([coord])).unwrap();
    let smallest = coords.iter().copied().min_by_key(|coord| sizes.together([coord])).unwrap();
    let stays = coords.iter().copied().find(|coord| ![largest, smallest].contains(coord)).unwrap();
    let budget_bytes = sizes.together([&stays, &smallest]) + 10;
    assert!(sizes.together([&largest]) <= budget_bytes);
    assert!(sizes.together([&stays, &largest]) > budget_bytes);
    let settings = StreamSettings { budget_bytes, look_ahead: 0.0, ..StreamSettings::default() };
    let world = World::open_on(Arc::clone(storage)).unwrap();
    let (mut streamer, driver) = Driver::stream(world, settings);
    let middle = |coord: SectorCoord| at(f64::from(coord.x) * 8.0, f64::from(coord.z) * 8.0);
    let pinned = Interest { pinned: true, ..Interest::new(middle(stays), 0.0) };
    streamer.add_interest(pinned).unwrap();
    let late = Interest { weight: 0.01, ..Interest::new(middle(smallest), 0.0) };
    streamer.add_interest(late).unwrap();
    let mut now = settle(&mut streamer, &driver, Duration::ZERO);
    assert_eq!(streamer.stats().resident, 2);
    streamer.add_interest(Interest::new(middle(largest), 0.0)).unwrap();
    for _ in 0..20 {
        plan_anew(&mut streamer, &mut now);
        driver.finish_all();
    }
    let resident = streamer.resident().resident();
    assert!(resident.contains(&stays) && resident.contains(&smallest), "{resident:?}");
}
