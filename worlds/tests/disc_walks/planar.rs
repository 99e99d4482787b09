//! The tick of a plain walker in the plane: advance to the first contact, slide on with what is left, at most
//! five times. It shows that a bound can be kept by who takes a tick at a time, and what a fault looks like.

use glam::DVec2;
use marchland_reference::least;
use marchland_terrain::math::greater;

use crate::outline::{Outline, freed, slide};

/// Contacts are as near as this. Metres.
const TOUCH: f64 = 1e-6;
/// A way that leads into a contact by less than this part of it leads along it.
const ALONG: f64 = 1e-7;

/// Where a disc is after a move of `way` metres.
pub(crate) fn ticked(obstacles: &[Outline], place: DVec2, radius: f64, way: DVec2) -> DVec2 {
    let all: Vec<&Outline> = obstacles.iter().collect();
    let (mut place, mut part) = (place, 1.0);
    for _ in 0..5 {
        let next = slide(obstacles, place, radius + TOUCH, way) * part;
        if next == DVec2::ZERO {
            break;
        }
        let first = obstacles
            .iter()
            .map(|obstacle| first_contact(obstacle, place, radius - TOUCH, next))
            .fold(1.0, least);
        place = freed(&all, place + next * first, radius);
        part *= 1.0 - first;
        if part <= 0.0 {
            break;
        }
    }
    place
}

/// The part of a way after which a disc meets an outline that it moves into; 1 if it meets none.
fn first_contact(outline: &Outline, place: DVec2, radius: f64, way: DVec2) -> f64 {
    if outline.at_least(place) > radius + way.length() {
        return 1.0;
    }
    let corners = outline.corners();
    let mut first = 1.0;
    for (index, &from) in corners.iter().enumerate() {
        let to = corners[(index + 1) % corners.len()];
        let side = (to - from).normalize();
        let out = outline.outwards(to - from);
        let (off, closing) = (out.dot(place - from) - radius, -out.dot(way));
        if closing > ALONG * way.length() && off > -TOUCH {
            let part = if off > 0.0 { off / closing } else { 0.0 };
            let along = side.dot(place + way * part - from);
            if part < first && (0.0..=to.distance(from)).contains(&along) {
                first = part;
            }
        }
        // The corner as a circle.
        let away = place - from;
        let (a, b) = (way.length_squared(), away.dot(way));
        let c = away.length_squared() - radius * radius;
        let under = b * b - a * c;
        if b < -ALONG * way.length() * radius && under > 0.0 && c > -2.0 * TOUCH * radius {
            let part = greater((-b - under.sqrt()) / a, 0.0);
            if part < first {
                first = part;
            }
        }
    }
    first
}

#[test]
fn it_stops_before_a_wall_and_slides_along_it() {
    let wall = [Outline::rectangle(DVec2::new(1.0, 20.0))];
    let stop = ticked(&wall, DVec2::new(-2.0, 0.0), 0.4, DVec2::new(3.0, 0.0));
    assert!(stop.distance(DVec2::new(-0.9, 0.0)) < 1e-9, "{stop}");
    let slid = ticked(&wall, DVec2::new(-2.0, 0.0), 0.4, DVec2::new(3.0, 2.0));
    assert!(slid.distance(DVec2::new(-0.9, 2.0)) < 1e-9, "{slid}");
}
