//! Convex outlines of upright obstacles, seen from above. Several that overlap or touch are their union.

use glam::DVec2;
use marchland_reference::disc::{NearestPoint, before, freed_by};
use marchland_reference::{least, most};

/// A convex outline.
#[derive(Clone, Debug)]
pub(crate) struct Outline {
    corners: Vec<DVec2>,
    /// 1 if the corners turn from x to z, −1 if they turn the other way.
    turn: f64,
    middle: DVec2,
    /// From the middle to the farthest corner. Metres.
    farthest: f64,
}

impl Outline {
    /// The outline of at least three corners in either direction.
    ///
    /// # Panics
    /// If they are not convex, or not enough.
    pub(crate) fn new(corners: Vec<DVec2>) -> Self {
        assert!(corners.len() >= 3, "{corners:?}");
        let count = corners.len();
        let area: f64 = (0..count).map(|i| corners[i].perp_dot(corners[(i + 1) % count])).sum();
        let turn = area.signum();
        for i in 0..count {
            let [a, b, c] = [0, 1, 2].map(|ahead| corners[(i + ahead) % count]);
            assert!((b - a).perp_dot(c - b) * turn > -1e-9, "not convex: {corners:?}");
        }
        let middle = corners.iter().sum::<DVec2>() / count as f64;
        let farthest = corners.iter().map(|corner| corner.distance(middle)).fold(0.0, most);
        Self { corners, turn, middle, farthest }
    }

    /// A rectangle of `size` metres around the origin.
    pub(crate) fn rectangle(size: DVec2) -> Self {
        let half = size / 2.0;
        let corner = |x: f64, z: f64| half * DVec2::new(x, z);
        Self::new(vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)])
    }

    /// Corners on a circle around the origin, the first of them at x = `radius`.
    pub(crate) fn round(radius: f64, corners: u32) -> Self {
        let turn = |i: u32| std::f64::consts::TAU * f64::from(i) / f64::from(corners);
        Self::new((0..corners).map(|i| turned(DVec2::new(radius, 0.0), turn(i))).collect())
    }

    /// The outline turned about the origin by an angle in radians, as about Y, and then moved.
    pub(crate) fn placed(&self, yaw: f64, at: DVec2) -> Self {
        Self::new(self.corners.iter().map(|&corner| turned(corner, yaw) + at).collect())
    }

    /// Its corners.
    pub(crate) fn corners(&self) -> &[DVec2] {
        &self.corners
    }

    /// No place is nearer to the outline than this. Metres; negative near it.
    pub(crate) fn at_least(&self, place: DVec2) -> f64 {
        place.distance(self.middle) - self.farthest
    }

    /// The direction away from the obstacle, of a side from one corner to the next. A unit vector.
    pub(crate) fn outwards(&self, side: DVec2) -> DVec2 {
        DVec2::new(side.y, -side.x) * (self.turn / side.length())
    }

    /// Its nearest point.
    pub(crate) fn nearest(&self, place: DVec2) -> NearestPoint {
        let mut outside = NearestPoint { distance: f64::INFINITY, normal: DVec2::ZERO };
        let mut inside = NearestPoint { distance: f64::NEG_INFINITY, normal: DVec2::ZERO };
        let mut from = self.corners[self.corners.len() - 1];
        for &to in &self.corners {
            let side = to - from;
            let length = side.length();
            let out = self.outwards(side);
            let off = out.dot(place - from);
            if off > inside.distance {
                inside = NearestPoint { distance: off, normal: out };
            }
            let along = least(most((place - from).dot(side) / (length * length), 0.0), 1.0);
            let away = place - (from + side * along);
            let distance = away.length();
            if distance < outside.distance {
                let normal = if distance > 0.0 { away / distance } else { out };
                outside = NearestPoint { distance, normal };
            }
            from = to;
        }
        if inside.distance <= 0.0 { inside } else { outside }
    }
}

/// A vector of the plane turned by an angle in radians, right-handed about Y.
pub(crate) fn turned(vector: DVec2, yaw: f64) -> DVec2 {
    let (sin, cos) = libm::sincos(yaw);
    DVec2::new(vector.x * cos + vector.y * sin, vector.y * cos - vector.x * sin)
}

/// The free place nearest to a place, or a free place near it if several curved contacts meet.
pub(crate) fn freed(obstacles: &[&Outline], place: DVec2, radius: f64) -> DVec2 {
    let free = freed_by(place, &mut |at, halves| {
        for obstacle in obstacles {
            if obstacle.at_least(at) < radius {
                halves.extend(before(obstacle.nearest(at), at, radius));
            }
        }
    });
    free.unwrap_or_else(|nearly| nearly)
}

/// How fast a disc can go on at a place if every obstacle within `radius` stops it: the request, projected onto
/// the directions that lead into none of them. Metres per second.
pub(crate) fn slide(obstacles: &[Outline], place: DVec2, radius: f64, request: DVec2) -> DVec2 {
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

#[test]
fn the_nearest_point_is_on_a_side_at_a_corner_or_behind_a_side() {
    let outline = Outline::rectangle(DVec2::new(4.0, 2.0));
    for outline in
        [outline.clone(), Outline::new(outline.corners().iter().rev().copied().collect())]
    {
        let side = outline.nearest(DVec2::new(0.5, 3.0));
        assert_eq!(side, NearestPoint { distance: 2.0, normal: DVec2::Y });
        let corner = outline.nearest(DVec2::new(5.0, 5.0));
        assert_eq!(corner, NearestPoint { distance: 5.0, normal: DVec2::new(0.6, 0.8) });
        let inside = outline.nearest(DVec2::new(1.5, 0.0));
        assert_eq!(inside, NearestPoint { distance: -0.5, normal: DVec2::X });
    }
}

#[test]
fn a_turn_about_y_takes_x_to_minus_z() {
    let placed = Outline::rectangle(DVec2::new(4.0, 2.0))
        .placed(std::f64::consts::FRAC_PI_2, DVec2::new(10.0, 0.0));
    assert!((placed.nearest(DVec2::new(10.0, -3.0)).distance - 1.0).abs() < 1e-12);
    assert!(turned(DVec2::X, std::f64::consts::FRAC_PI_2).distance(-DVec2::Y) < 1e-12);
}
