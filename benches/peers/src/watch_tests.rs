//! Contenders without any library: one that stays, one that walks, and what either reports.

use super::*;
use crate::checker::Checker;
use crate::contenders::marchland::Marchland;
use crate::crowd::starts;
use crate::setup::Order;

/// Walks straight through everything, or not at all.
struct PlainContender {
    places: Vec<[f64; 3]>,
    wishes: Vec<[f32; 2]>,
    walks: bool,
    /// What it reports in its last tick.
    reports: Option<Vec<(usize, Trouble)>>,
    /// A unit that says that nothing moves it.
    trapped: Option<usize>,
}

impl Contender for PlainContender {
    fn name(&self) -> &str {
        "made"
    }

    fn steer(&mut self, wishes: &[[f32; 2]]) {
        self.wishes = wishes.to_vec();
    }

    fn run(&mut self, ticks: usize) -> Result<(), Failure> {
        let far = if self.walks { DT * ticks as f32 } else { 0.0 };
        for (place, [x, z]) in self.places.iter_mut().zip(&self.wishes) {
            place[0] += f64::from(x * far);
            place[2] += f64::from(z * far);
        }
        Ok(())
    }

    fn places(&self) -> Vec<[f64; 3]> {
        self.places.clone()
    }

    fn troubles(&self) -> Option<Vec<(usize, Trouble)>> {
        self.reports.clone()
    }

    fn is_trapped(&self, unit: usize) -> bool {
        self.trapped == Some(unit)
    }
}

/// Who starts at the world's edge.
const EDGE: usize = 7;

fn town() -> (Scene, Vec<[f64; 3]>) {
    let (scene, x) = (Scene::town().unwrap(), 250.0);
    let checker = Checker::new(&scene);
    let mut starts = starts(&scene, &checker, 100, Order::World).unwrap();
    starts[EDGE] = [x, checker.height(x, 0.0).unwrap(), 0.0];
    (scene, starts)
}

fn made(starts: &[[f64; 3]], walks: bool) -> PlainContender {
    PlainContender {
        places: starts.to_vec(),
        wishes: Vec::new(),
        walks,
        reports: None,
        trapped: None,
    }
}

#[test]
fn who_stays_in_town_is_stuck_once_who_walks_is_not_and_at_the_worlds_edge_nobody_is_judged() {
    let (scene, starts) = town();
    for seconds in [1, 2] {
        let seen = watch(&scene, &mut made(&starts, false), seconds * LEG_TICKS).unwrap();
        let excused: Vec<_> = (0..starts.len()).filter(|&unit| !seen.is_stuck[unit]).collect();
        assert_eq!((excused, seen.stuck()), (vec![EDGE], starts.len() - 1));
        assert_eq!(
            (seen.reported(), &seen.cells()[1..]),
            (None, &["–", "–"].map(String::from)[..])
        );
    }
    let seen = watch(&scene, &mut made(&starts, true), LEG_TICKS).unwrap();
    assert_eq!(seen.stuck(), 0);
}

/// Less than a second shows nobody.
#[test]
fn a_shorter_run_is_watched_for_a_second() {
    let (scene, starts) = town();
    let whole = watch(&scene, &mut made(&starts, false), LEG_TICKS).unwrap();
    let short = watch(&scene, &mut made(&starts, false), 6).unwrap();
    assert_eq!(short.is_stuck, whole.is_stuck);
}

/// Off the world nobody has a way, so that only what is reported counts there.
#[test]
fn who_is_told_as_stuck_or_overloaded_or_trapped_is_stuck_and_the_crushed_are_not() {
    let (scene, _) = town();
    let off = [[1e5, 0.0, 0.0]; 5];
    let reported = [(0, Trouble::Stuck), (1, Trouble::Crushed), (2, Trouble::Overloaded)];
    let mut contender = PlainContender { reports: Some(reported.to_vec()), ..made(&off, false) };
    let seen = watch(&scene, &mut contender, 0).unwrap();
    assert_eq!(seen.is_stuck, [true, false, true, false, false]);
    assert_eq!(seen.reported(), Some([1, 1]));
    assert_eq!(seen.cells(), ["2", "1", "1"]);
    let ours = |seen| nobody_of_ours(&[("made", seen)]).map_err(|failure| failure.to_string());
    assert_eq!(ours(&seen).unwrap_err(), "of 5 made are 2 stuck, 1 crushed, 1 overloaded");
}

#[test]
fn only_of_those_who_report_nobody_may_be_stuck() {
    let (scene, starts) = town();
    let mut silent = made(&starts, false);
    let silent = watch(&scene, &mut silent, LEG_TICKS).unwrap();
    assert!(nobody_of_ours(&[("made", &silent)]).is_ok());
    let mut reporting = PlainContender { reports: Some(Vec::new()), ..made(&starts, false) };
    let reporting = watch(&scene, &mut reporting, LEG_TICKS).unwrap();
    assert!(nobody_of_ours(&[("made", &silent), ("made", &reporting)]).is_err());
}

#[test]
fn a_unit_that_rests_counts_if_nothing_moves_it() {
    let (scene, starts) = town();
    let still = watch(&scene, &mut made(&starts, false), LEG_TICKS).unwrap();
    let mut contender = PlainContender { trapped: Some(EDGE), ..made(&starts, false) };
    assert_eq!(watch(&scene, &mut contender, LEG_TICKS).unwrap().stuck(), still.stuck() + 1);
}

#[test]
fn ours_tells_and_nobody_is_in_trouble() {
    let (scene, starts) = town();
    let mut ours = Marchland::new(&scene, &starts, 1).unwrap();
    let seen = watch(&scene, &mut ours, 2 * LEG_TICKS).unwrap();
    assert_eq!((seen.stuck(), seen.reported()), (0, Some([0, 0])));
}

/// What is reported has the numbers of units. One stands deep in the level piece behind the ramp.
#[test]
fn of_ours_who_stands_in_a_prop_is_told() {
    let scene = Scene::lanes().unwrap();
    let starts = [0, 1, 2].map(|lane| {
        let [x, y, z] = crate::scene::lane_start(lane);
        if lane == 1 { [x + 25.0, y, z] } else { [x, y, z] }
    });
    let mut ours = Marchland::new(&scene, &starts, 1).unwrap();
    let seen = watch(&scene, &mut ours, 0).unwrap();
    assert_eq!(seen.is_stuck, [false, true, false]);
    assert_eq!(seen.reported(), Some([0, 0]));
}
