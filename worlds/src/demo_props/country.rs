//! Around the town: paddocks, the bridge over the river with its hamlet, the watchtower on the mesa.

use super::kinds::Kind;
use super::stage::Stage;
use crate::recipe::noise::fraction;

/// Where the bridge crosses the river.
const BRIDGE: [f64; 2] = [2004.0, 109.0];
/// Houses of the hamlet: place, and degrees about Y.
const HAMLET: [(Kind, [f64; 2], f64); 8] = [
    (Kind::Cottage, [1992.0, 86.0], 95.0),
    (Kind::LongHouse, [1990.0, 71.0], 84.0),
    (Kind::Cottage, [1991.0, 55.0], 92.0),
    (Kind::House, [2018.0, 82.0], -88.0),
    (Kind::Cottage, [2019.0, 66.0], -95.0),
    (Kind::Cottage, [2017.0, 51.0], -84.0),
    (Kind::House, [1990.0, 137.0], 60.0),
    (Kind::Cottage, [2018.0, 139.0], -70.0),
];
/// Paddocks: middle, fences along each side.
const PADDOCKS: [([f64; 2], [i32; 2]); 3] =
    [([690.0, 1116.0], [4, 2]), ([800.0, 1276.0], [3, 2]), ([2003.0, 162.0], [3, 2])];

/// Builds all of these.
pub(super) fn build(stage: &mut Stage) {
    // Its ends lie slightly below the banks, whose heights differ by half a metre.
    stage.stand(Kind::Bridge, BRIDGE, 2.0, 90.0);
    for (kind, place, yaw) in HAMLET {
        stage.stand(kind, place, -0.6, yaw);
    }
    stage.stand(Kind::Well, [2004.0, 76.0], -0.2, 0.0);
    stage.stand(Kind::Tower, [300.0, 1350.0], -0.4, 30.0);
    PADDOCKS.into_iter().enumerate().for_each(|(number, (middle, sides))| {
        paddock(stage, number as i64, middle, sides);
    });
}

/// Fences around a rectangle, with one fence left out as its gate, and a few logs inside.
fn paddock(stage: &mut Stage, number: i64, [x, z]: [f64; 2], [across, down]: [i32; 2]) {
    const LENGTH: f64 = 10.0;
    let (half_x, half_z) = (f64::from(across) * LENGTH / 2.0, f64::from(down) * LENGTH / 2.0);
    for side in [-1.0, 1.0] {
        for piece in 0..across {
            let along = x - half_x + LENGTH * (f64::from(piece) + 0.5);
            if side < 0.0 || piece != 1 {
                stage.stand(Kind::Fence, [along, z + side * half_z], -0.15, 0.0);
            }
        }
        for piece in 0..down {
            let along = z - half_z + LENGTH * (f64::from(piece) + 0.5);
            stage.stand(Kind::Fence, [x + side * half_x, along], -0.15, 90.0);
        }
    }
    for log in 0..4 {
        let chance = |k: i64| 2.0 * fraction(77, number * 8 + log, k) - 1.0;
        let place = [x + 0.7 * half_x * chance(0), z + 0.7 * half_z * chance(1)];
        stage.stand(Kind::Log, place, -0.1, 90.0 * chance(2));
    }
}
