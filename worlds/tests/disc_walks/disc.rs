//! The way of a disc that slides around outlines, stride by stride.

use glam::DVec2;
use marchland_reference::least;
use marchland_terrain::math::{greater, lesser};

use crate::outline::{Outline, freed, slide};

/// The way of a disc, at equal times.
#[derive(Clone, Debug)]
pub(crate) struct Way {
    /// Seconds from one place to the next.
    pub(crate) interval: f64,
    /// Where its middle is; the first place is the start.
    pub(crate) places: Vec<DVec2>,
}

/// Slides a disc for `seconds`, in strides of at most `stride` metres. Of each `every` strides one is kept.
pub(crate) fn way(
    obstacles: &[Outline],
    start: DVec2,
    radius: f64,
    request: DVec2,
    seconds: f64,
    (stride, every): (f64, usize),
) -> Way {
    // Whole intervals, so that the last place is kept.
    let intervals = greater((request.length() * seconds / (stride * every as f64)).ceil(), 1.0);
    let strides = intervals * every as f64;
    let interval = seconds / strides;
    let move_by = request * interval;
    let mut places = vec![start];
    let mut place = start;
    let mut near = Vec::new();
    let mut until_looked = 0;
    let around = 64.0 * stride;
    for count in 1..=strides as usize {
        if until_looked == 0 {
            near.clear();
            near.extend(
                obstacles.iter().filter(|obstacle| obstacle.at_least(place) < radius + around),
            );
            until_looked = 60;
            if count == 1 {
                assert!(freed(&near, place, radius - 1e-6) == place, "{start} is not free");
            }
        }
        until_looked -= 1;
        place = freed(&near, place + move_by, radius);
        if count % every == 0 {
            places.push(place);
        }
    }
    Way { interval: interval * every as f64, places }
}

impl Way {
    /// Its last place.
    pub(crate) fn end(&self) -> DVec2 {
        self.places[self.places.len() - 1]
    }

    /// How far it has gone. Metres.
    pub(crate) fn length(&self) -> f64 {
        self.places.windows(2).map(|pair| pair[0].distance(pair[1])).sum()
    }

    /// Where it is after `seconds`; its end if that is later.
    pub(crate) fn at(&self, seconds: f64) -> DVec2 {
        let place = seconds / self.interval;
        let first = place as usize;
        match (self.places.get(first), self.places.get(first + 1)) {
            (Some(&from), Some(&to)) => from.lerp(to, place - first as f64),
            _ => self.end(),
        }
    }

    /// The distance of a place from the line of the way. Metres.
    pub(crate) fn distance(&self, place: DVec2) -> f64 {
        let stretches = self.places.windows(2).map(|pair| {
            let along = pair[1] - pair[0];
            let square = along.length_squared();
            let part = if square > 0.0 { (place - pair[0]).dot(along) / square } else { 0.0 };
            let part = lesser(greater(part, 0.0), 1.0);
            place.distance_squared(pair[0] + along * part)
        });
        stretches.fold(f64::INFINITY, least).sqrt()
    }
}

const FINE: (f64, usize) = (0.0005, 4);

fn house() -> Outline {
    Outline::rectangle(DVec2::new(10.0, 10.0)).placed(0.0, DVec2::new(5.0, 5.0))
}

#[test]
fn a_disc_goes_round_a_corner_as_the_formula_says() {
    // Beside the corner at the origin by `off`: the angle grows as tan(a / 2) = tan(a0 / 2) · exp(v·t / r).
    let (radius, off, speed) = (0.41, 0.02, 3.0);
    let start = DVec2::new(-2.0, -off);
    let found = way(&[house()], start, radius, DVec2::new(speed, 0.0), 3.0, FINE);
    let first = (radius * radius - off * off).sqrt();
    let angle = libm::asin(off / radius);
    let round = -radius / speed * libm::log(libm::tan(angle / 2.0));
    let seconds = (2.0 - first) / speed + round;
    let expected = DVec2::new((3.0 - seconds) * speed, -radius);
    assert!(found.end().distance(expected) < 2e-3, "{} {expected}", found.end());
    for &place in &found.places {
        assert!(house().nearest(place).distance > radius - 1e-9);
    }
}

#[test]
fn a_face_aslant_is_slid_along_at_the_cosine() {
    let house = house().placed(0.5, DVec2::ZERO);
    let start = DVec2::new(7.0, 11.0);
    let request = DVec2::new(0.0, -2.0);
    let found = way(std::slice::from_ref(&house), start, 0.41, request, 4.0, FINE);
    let went = found.at(3.9).distance(found.at(2.9));
    let may = slide(&[house], found.at(2.9), 0.41 + 1e-6, request).length();
    assert!((went - may).abs() < 1e-6, "{went} {may}");
    assert!(went < 1.99 && went > 0.5, "{went}");
}

#[test]
fn a_seam_of_flush_obstacles_is_nothing() {
    let whole = Outline::rectangle(DVec2::new(4.0, 20.0));
    let half = Outline::rectangle(DVec2::new(4.0, 10.0));
    let halves = [-5.0, 5.0].map(|z| half.placed(0.0, DVec2::new(0.0, z)));
    let request = DVec2::new(2.0, 0.7);
    let start = DVec2::new(-3.0, -1.0);
    let [one, two] = [vec![whole], halves.to_vec()]
        .map(|obstacles| way(&obstacles, start, 0.41, request, 3.0, FINE).end());
    assert!(one.distance(two) < 1e-9, "{one} {two}");
}

#[test]
fn a_corner_of_two_walls_stops_it_and_a_gap_too_narrow_too() {
    let wall = Outline::rectangle(DVec2::new(0.4, 8.0));
    let walls = [0.6, -0.6].map(|yaw| wall.placed(yaw, DVec2::new(3.0, 0.0)));
    let found = way(&walls, DVec2::new(0.0, 0.1), 0.41, DVec2::new(3.0, 0.0), 3.0, FINE);
    assert!(found.at(2.0).distance(found.end()) < 1e-9);
    let post = Outline::rectangle(DVec2::new(1.0, 1.0));
    let posts = [0.9, -0.9].map(|z| post.placed(0.3, DVec2::new(3.0, z)));
    let found = way(&posts, DVec2::new(0.0, 0.1), 0.41, DVec2::new(3.0, 0.0), 3.0, FINE);
    assert!(found.end().x < 3.0 && found.at(2.0).distance(found.end()) < 1e-6);
    assert_eq!(slide(&posts, found.end(), 0.411, DVec2::X), DVec2::ZERO);
}
