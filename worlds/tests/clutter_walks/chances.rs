//! What is left to chance: bodies, places, and what units are asked to do.

use marchland_controller::{Body, BodyBuilder, LeavePlatform, SlopeRule, Wish};
use marchland_random::Random;
use marchland_terrain::WorldPos;
use marchland_worlds::clutter::{Clutter, HIGH, LOW};

/// A soldier, a wide body, a tall thin one, a small one, and one that climbs and steers in the air.
pub(crate) fn bodies() -> [BodyBuilder; 5] {
    let body = Body::builder();
    [
        body,
        BodyBuilder { radius: 0.9, height: 1.3, knee: 0.3, step_up: 0.5, step_down: 0.3, ..body },
        BodyBuilder {
            radius: 0.2,
            height: 3.0,
            knee: 0.6,
            step_up: 0.9,
            slope_rule: SlopeRule::Project,
            leave_platform: LeavePlatform::Add,
            ..body
        },
        BodyBuilder {
            radius: 0.15,
            height: 0.5,
            knee: 0.1,
            step_up: 0.12,
            step_down: 0.1,
            max_slope_degrees: 60.0,
            slope_rule: SlopeRule::KeepPathSpeed,
            ..body
        },
        BodyBuilder {
            climb: 1.6,
            step_up: 0.7,
            air_control: 0.5,
            leave_platform: LeavePlatform::Drop,
            slope_rule: SlopeRule::KeepDirection,
            ..body
        },
    ]
}

/// Another stream for every pair.
pub(crate) fn numbers(seed: u64, unit: u64) -> Random {
    let mixed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ unit.wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
    let mut random =
        Random::from_state((mixed ^ (mixed >> 29)).wrapping_mul(0xff51_afd7_ed55_8ccd) | 1);
    // The first numbers of near seeds are near.
    for _ in 0..4 {
        random.bits();
    }
    random
}

/// On the ground or up to 5 m above it.
pub(crate) fn somewhere(clutter: &Clutter, random: &mut Random) -> WorldPos {
    let [x, z] = [0; 2].map(|_| random.between(LOW + 1.0, HIGH - 1.0));
    let above = if random.once_in(2.0) { 0.0 } else { random.between(0.0, 5.0) };
    clutter.place(x, above, z).unwrap()
}

/// To stand, or to go at 1 to 100 m/s: anywhere, or to the middle from near the world's edge.
pub(crate) fn new_wish(random: &mut Random, [x, z]: [f64; 2]) -> Wish {
    if random.once_in(6.0) {
        return Wish::STAND;
    }
    let pace = random.part();
    // 1 to 10 m/s mostly.
    let speed = if random.once_in(4.0) { 10.0 + 90.0 * pace * pace } else { 1.0 + 9.0 * pace };
    let middle = (LOW + HIGH) / 2.0;
    let far = (HIGH - LOW) / 2.0 - 8.0;
    let mut way = [0; 2].map(|_| random.between(-1.0, 1.0));
    if (x - middle).abs() > far || (z - middle).abs() > far {
        way = [way[0] + (middle - x) / far, way[1] + (middle - z) / far];
    }
    if random.once_in(5.0) {
        way[usize::from(random.once_in(2.0))] = 0.0; // straight along an axis
    }
    let far = (way[0] * way[0] + way[1] * way[1]).sqrt();
    if far < 1e-3 {
        return Wish::STAND;
    }
    Wish::walk((way[0] / far * speed) as f32, (way[1] / far * speed) as f32)
}
