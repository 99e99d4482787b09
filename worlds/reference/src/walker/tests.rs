use glam::DVec3;

use super::*;

const BODY: WalkerBody = WalkerBody {
    radius: 0.7,
    height: 1.8,
    knee: 0.45,
    step_down: 0.45,
    max_slope_cos: 0.707,
    trifle: 0.02,
    slide_control: 0.3,
};

/// Ground whose height is `west` where x is below 0, and `east` elsewhere: each a plane through the origin, by its
/// rise along x and z.
fn fold(west: DVec2, east: DVec2) -> Vec<Piece> {
    let corner = |x: f64, z: f64| {
        let rise = if x < 0.0 { west } else { east };
        DVec3::new(x, rise.dot(DVec2::new(x, z)), z)
    };
    let mut pieces = Vec::new();
    for (near, far) in [(-8.0, 0.0), (0.0, 8.0)] {
        for [a, b, c] in [
            [corner(near, -8.0), corner(near, 8.0), corner(far, 8.0)],
            [corner(near, -8.0), corner(far, 8.0), corner(far, -8.0)],
        ] {
            pieces.push(Piece::new([a, b, c], Kind::Ground));
        }
    }
    pieces
}

/// How far a walker gets in a second, from a height above the origin's.
fn goes(pieces: &[Piece], place: DVec2, feet: f64, request: DVec2) -> (f64, DVec2) {
    let mut walker = Walker::new(pieces, BODY, (place, feet), 0.0);
    (walker.walk(request, 1.0, f64::INFINITY), walker.place().0)
}

/// A level ceiling over ground that rises along x, its edge at x = 0.2: what was free of the skin when the walker
/// began stays free.
#[test]
fn who_has_less_than_the_skin_above_its_head_rises_no_farther() {
    let mut pieces = fold(DVec2::new(0.1, 0.0), DVec2::new(0.1, 0.0));
    let high = BODY.height + 0.006;
    let corner = |x: f64, z: f64| DVec3::new(x, high, z);
    pieces.push(Piece::new([corner(-9.0, -9.0), corner(0.2, 0.0), corner(-9.0, 9.0)], Kind::Prop));
    let (went, at) = goes(&pieces, DVec2::ZERO, 0.0, DVec2::new(1.0, 0.0));
    assert!(went < 0.002, "{went} to {at}");
    let (went, at) = goes(&pieces, DVec2::ZERO, 0.0, DVec2::new(-1.0, 0.0));
    assert!(went > 0.9, "{went} to {at}");
}

/// The same where the head is in it by rounding, and the ceiling has a seam: along that no way leads up either.
#[test]
fn who_has_its_head_in_a_ceiling_by_rounding_does_not_rise_along_a_seam_of_it() {
    let mut pieces = fold(DVec2::new(0.1, 0.0), DVec2::new(0.1, 0.0));
    let corner = |x: f64, z: f64| DVec3::new(x, BODY.height - 1e-4, z);
    let [a, b, c, d] = [corner(-9.0, -9.0), corner(9.0, -9.0), corner(9.0, 9.0), corner(-9.0, 9.0)];
    pieces.push(Piece::new([a, b, c], Kind::Prop));
    pieces.push(Piece::new([a, c, d], Kind::Prop));
    let (went, at) = goes(&pieces, DVec2::ZERO, 0.0, DVec2::new(1.0, 0.0));
    assert!(went < 0.002, "{went} to {at}");
    let (went, at) = goes(&pieces, DVec2::ZERO, 0.0, DVec2::new(-1.0, 0.0));
    assert!(went > 0.9, "{went} to {at}");
}

/// Nobody who begins with its head in something was led there.
#[test]
fn who_has_its_head_in_a_ceiling_does_not_stand_free() {
    for (above, is_free) in [(0.02, true), (0.005, false), (-0.004, false), (-0.1, false)] {
        let mut pieces = fold(DVec2::ZERO, DVec2::ZERO);
        let corner = |x: f64, z: f64| DVec3::new(x, BODY.height + above, z);
        let ceiling = [corner(-9.0, -9.0), corner(9.0, 0.0), corner(-9.0, 9.0)];
        pieces.push(Piece::new(ceiling, Kind::Prop));
        let walker = Walker::new(&pieces, BODY, (DVec2::ZERO, 0.0), 0.0);
        assert_eq!(walker.stands_free(), is_free, "{above}");
    }
}

#[test]
fn who_comes_down_a_steep_face_stands_at_its_foot_and_goes_along_it_no_farther() {
    // The fold leads down along z; the request leads into the face, and slightly up along the fold.
    let pieces = fold(DVec2::new(-1.0, -0.4), DVec2::new(0.0, -0.4));
    let request = DVec2::new(-3.0, -0.05);
    let (went, at) = goes(&pieces, DVec2::new(-0.01, 0.0), 0.01, request);
    assert!(went < 0.1 && at.y < 0.1, "{went} to {at}");
}

/// Walls hold it above the ground, on which the way down is no steeper than it walks: pressing on does not take it
/// down there.
#[test]
fn who_is_let_down_by_no_more_than_it_walks_has_not_fallen() {
    let body = WalkerBody {
        radius: 0.4,
        height: 1.8,
        knee: 0.4,
        step_down: 0.3,
        max_slope_cos: 0.642_787_6,
        trifle: 0.02,
        slide_control: 0.3,
    };
    let heights = [[2.2161, 1.3802, 1.5], [1.5130, -0.0652, -0.0105], [1.5, -0.1081, -0.5808]];
    let corner = |column: usize, row: usize| {
        DVec3::new(column as f64 - 1.1128, heights[row][column], row as f64 - 1.0926)
    };
    let mut pieces = Vec::new();
    for (column, row) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
        let (near, far) = (corner(column, row), corner(column + 1, row + 1));
        for aside in [corner(column, row + 1), corner(column + 1, row)] {
            pieces.push(Piece::new([near, aside, far], Kind::Ground));
        }
    }
    let mut walker = Walker::new(&pieces, body, (DVec2::ZERO, 0.0), 0.0);
    let went = walker.walk(DVec2::new(-4.999_768_3, -0.048_117_593), 1.0, f64::INFINITY);
    assert!(went < 0.05, "{went} to {:?}", walker.place());
}
