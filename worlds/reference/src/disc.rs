//! A disc that slides in the plane around outlines.
//!
//! Its velocity is the request, projected onto the directions that no contact forbids. This is integrated by
//! Moreau's catching-up algorithm: a short step along the request, then the nearest free place. It needs no
//! tolerance, so a seam between flush obstacles is nothing to it.

use glam::DVec2;

use crate::outline::{Nearest, Outline};

/// Overlap that counts as none. Metres.
const FREE: f64 = 1e-11;
/// Most contacts considered at once.
const CONTACTS: usize = 16;

/// A half plane that must not be entered: the places with `normal · place >= offset`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Half {
    pub(crate) normal: DVec2,
    pub(crate) offset: f64,
}

/// The free place nearest to a place, or a free place near it if several curved contacts meet.
#[must_use]
pub fn freed(obstacles: &[&Outline], place: DVec2, radius: f64) -> DVec2 {
    let free = freed_by(place, &mut |at, halves| {
        for obstacle in obstacles {
            if obstacle.at_least(at) < radius {
                halves.extend(before(obstacle.nearest(at), at, radius));
            }
        }
    });
    free.unwrap_or_else(|nearly| nearly)
}

/// The half plane before what is nearer than `radius`.
pub(crate) fn before(nearest: Nearest, at: DVec2, radius: f64) -> Option<Half> {
    let depth = radius - nearest.distance;
    let offset = nearest.normal.dot(at) + depth;
    (depth > FREE).then_some(Half { normal: nearest.normal, offset })
}

/// The same, by the half planes that a place enters; an error, with the best place found, if there is none.
///
/// Contacts are taken as the half planes before them, and the place is put on the best of their lines and
/// crossings, until all are kept.
pub(crate) fn freed_by(
    place: DVec2,
    entered: &mut dyn FnMut(DVec2, &mut Vec<Half>),
) -> Result<DVec2, DVec2> {
    let mut halves: Vec<Half> = Vec::new();
    let mut found = place;
    for _ in 0..24 {
        let known = halves.len();
        entered(found, &mut halves);
        if halves.len() == known {
            return Ok(found);
        }
        halves.truncate(CONTACTS);
        match nearest_kept(&halves, place) {
            Some(kept) if halves.len() > known => found = kept,
            _ => return Err(found),
        }
    }
    Err(found)
}

/// The place nearest to `place` that all half planes keep.
fn nearest_kept(halves: &[Half], place: DVec2) -> Option<DVec2> {
    let keeps = |at: DVec2| halves.iter().all(|half| half.normal.dot(at) >= half.offset - 1e-12);
    let mut best: Option<(f64, DVec2)> = None;
    let mut consider = |at: DVec2| {
        let away = at.distance_squared(place);
        if at.is_finite() && keeps(at) && best.is_none_or(|(least, _)| away < least) {
            best = Some((away, at));
        }
    };
    for (index, a) in halves.iter().enumerate() {
        consider(place + a.normal * (a.offset - a.normal.dot(place)));
        for b in &halves[index + 1..] {
            let cross = a.normal.perp_dot(b.normal);
            if cross.abs() > 1e-9 {
                let x = a.offset * b.normal.y - b.offset * a.normal.y;
                let y = a.normal.x * b.offset - b.normal.x * a.offset;
                consider(DVec2::new(x, y) / cross);
            }
        }
    }
    best.map(|(_, at)| at)
}

/// How fast a disc can go on at a place if every obstacle within `radius` stops it: the request, projected onto
/// the directions that lead into none of them. Metres per second.
#[must_use]
pub fn slide(obstacles: &[Outline], place: DVec2, radius: f64, request: DVec2) -> DVec2 {
    let near = obstacles.iter().filter(|obstacle| obstacle.at_least(place) < radius);
    let normals: Vec<DVec2> = near
        .map(|obstacle| obstacle.nearest(place))
        .filter(|nearest| nearest.distance < radius)
        .map(|nearest| nearest.normal)
        .collect();
    let allowed = |way: DVec2| normals.iter().all(|normal| normal.dot(way) >= -1e-9);
    if allowed(request) {
        return request;
    }
    let along = normals.iter().map(|normal| request - *normal * normal.dot(request));
    along.filter(|&way| allowed(way)).fold(DVec2::ZERO, |best, way| {
        if way.dot(request) > best.dot(request) { way } else { best }
    })
}

/// The way of a disc, at equal times.
#[derive(Clone, Debug)]
pub struct Way {
    /// Seconds from one place to the next.
    pub interval: f64,
    /// Where its middle is; the first place is the start.
    pub places: Vec<DVec2>,
}

/// Slides a disc for `seconds`, in steps of at most `step` metres. Of each `every` steps one is kept.
///
/// # Panics
/// If the disc begins in an obstacle.
#[must_use]
pub fn way(
    obstacles: &[Outline],
    start: DVec2,
    radius: f64,
    request: DVec2,
    seconds: f64,
    (step, every): (f64, usize),
) -> Way {
    // Whole intervals, so that the last place is kept.
    let intervals = (request.length() * seconds / (step * every as f64)).ceil();
    let intervals = if intervals > 1.0 { intervals } else { 1.0 };
    let steps = intervals * every as f64;
    let interval = seconds / steps;
    let move_by = request * interval;
    let mut places = vec![start];
    let mut place = start;
    let mut near = Vec::new();
    let mut until_looked = 0;
    let around = 64.0 * step;
    for count in 1..=steps as usize {
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
    ///
    /// # Panics
    /// Never: a way has a start.
    #[must_use]
    pub fn end(&self) -> DVec2 {
        self.places[self.places.len() - 1]
    }

    /// How far it has gone. Metres.
    #[must_use]
    pub fn length(&self) -> f64 {
        self.places.windows(2).map(|pair| pair[0].distance(pair[1])).sum()
    }

    /// Where it is after `seconds`; its end if that is later.
    #[must_use]
    pub fn at(&self, seconds: f64) -> DVec2 {
        let place = seconds / self.interval;
        let first = place as usize;
        match (self.places.get(first), self.places.get(first + 1)) {
            (Some(&from), Some(&to)) => from.lerp(to, place - first as f64),
            _ => self.end(),
        }
    }

    /// The distance of a place from the line of the way. Metres.
    #[must_use]
    pub fn distance(&self, place: DVec2) -> f64 {
        let stretches = self.places.windows(2).map(|pair| {
            let along = pair[1] - pair[0];
            let square = along.length_squared();
            let part = if square > 0.0 { (place - pair[0]).dot(along) / square } else { 0.0 };
            let part = if part > 0.0 { if part < 1.0 { part } else { 1.0 } } else { 0.0 };
            place.distance_squared(pair[0] + along * part)
        });
        stretches.fold(f64::INFINITY, crate::least).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
