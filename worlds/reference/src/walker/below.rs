//! What a walker stands on: ground at its middle and under its knees, rims of holes, props.

use glam::DVec2;

use super::Walker;
use super::body::{LIFTED, ON_EDGE};
use crate::most;
use crate::piece::Kind;

/// What is below a walker. Heights, or minus infinity. Metres.
pub(super) struct Support {
    pub(super) height: f64,
    /// Of that only what is gentle. With its knees alone on the rim of steep ground it is on its way off it.
    pub(super) gentle: f64,
    /// Whether it stays on it: not on steep ground alone.
    pub(super) stands: bool,
}

impl Walker<'_> {
    /// What is below it at a place, as far as that is no higher above its feet than the knee.
    pub(super) fn below(&self, at: DVec2, feet: f64) -> Support {
        let body = &self.body;
        let high = feet + body.knee;
        let none = f64::NEG_INFINITY;
        let (mut ground, mut gentle, mut prop) = (none, none, none);
        let mut rim = (f64::INFINITY, 0.0);
        let (mut has_ground, mut is_steep) = (false, true);
        for piece in self.near.iter().map(|&index| &self.pieces[index]) {
            if piece.at_least(at) > body.radius {
                continue;
            }
            let is_gentle = piece.normal.y >= body.max_slope_cos;
            let (low, top) = piece.heights();
            let whole =
                piece.cut(low - 1.0, if piece.kind == Kind::Prop { high } else { top + 1.0 });
            let lifts = piece.cut(low - 1.0, high + LIFTED);
            match piece.kind {
                Kind::Ground => {
                    let nearest = whole.nearest(at);
                    let is_on_it = piece.covers(at) || nearest.distance < ON_EDGE;
                    // The side of a hole is a wall.
                    if is_on_it && piece.height_at(at) <= high {
                        has_ground = true;
                        is_steep &= !is_gentle;
                        ground = most(ground, piece.height_at(at));
                    }
                    if is_gentle && let Some(top) = lifts.highest_within(at, body.radius, piece) {
                        gentle = most(gentle, top - body.knee);
                    }
                    if nearest.distance < rim.0 {
                        let at = at - nearest.normal * nearest.distance;
                        rim = (nearest.distance, piece.height_at(at));
                    }
                }
                Kind::Prop if is_gentle => {
                    if let Some(top) = whole.highest_within(at, body.radius, piece) {
                        prop = most(prop, top);
                    }
                }
                Kind::Prop => {}
            }
        }
        if !has_ground && rim.0 <= body.radius && rim.1 <= high {
            gentle = most(gentle, rim.1);
        }
        let is_gentle = !(has_ground && is_steep);
        gentle = most(gentle, if is_gentle { ground } else { none });
        let height = most(ground, most(gentle, prop));
        Support { height, gentle: most(gentle, prop), stands: prop >= height || is_gentle }
    }
}
