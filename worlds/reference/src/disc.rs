//! A disc that slides in the plane around what is convex.
//!
//! Its velocity is the request, projected onto the directions that no contact forbids. This is integrated by
//! Moreau's catching-up algorithm: a short move along the request, then the nearest free place. It needs no
//! tolerance, so a seam between flush obstacles is nothing to it.

use glam::DVec2;

/// Overlap that counts as none. Metres.
const FREE: f64 = 1e-11;
/// Most contacts considered at once.
const CONTACTS: usize = 16;

/// The point of something convex nearest to a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearestPoint {
    /// Its distance; negative inside. Metres.
    pub distance: f64,
    /// Away from the obstacle: the direction in which the distance grows. A unit vector.
    pub normal: DVec2,
}

/// A half plane that must not be entered: the places with `normal · place >= offset`.
#[derive(Clone, Copy, Debug)]
pub struct HalfPlane {
    /// Into what is left. A unit vector.
    pub normal: DVec2,
    /// How far along it the half plane ends. Metres.
    pub offset: f64,
}

/// The half plane before what is nearer than `radius`.
#[must_use]
pub fn before(nearest: NearestPoint, at: DVec2, radius: f64) -> Option<HalfPlane> {
    let depth = radius - nearest.distance;
    let offset = nearest.normal.dot(at) + depth;
    (depth > FREE).then_some(HalfPlane { normal: nearest.normal, offset })
}

/// The free place nearest to a place, or a free place near it if several curved contacts meet, by the half planes that
/// a place enters; an error, with the best place found, if there is none.
///
/// Contacts are taken as the half planes before them, and the place is put on the best of their lines and
/// crossings, until all are kept.
pub fn freed_by(
    place: DVec2,
    entered: &mut dyn FnMut(DVec2, &mut Vec<HalfPlane>),
) -> Result<DVec2, DVec2> {
    let mut halves: Vec<HalfPlane> = Vec::new();
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
fn nearest_kept(halves: &[HalfPlane], place: DVec2) -> Option<DVec2> {
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
