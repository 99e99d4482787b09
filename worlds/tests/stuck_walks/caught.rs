//! Where somebody was stuck once, over crags.

use marchland_controller::Motion;
use marchland_worlds::clutter::Rate;

use crate::rough::{self, Incident, Sort};

#[test]
fn nobody_is_stuck_again_where_somebody_was() {
    let caught = |by, seed, body, at, motion, request| {
        let sort = Sort::Crags;
        Incident { by, sort, seed, rate: Rate::Hz60, second: 0, body, at, motion, request }
    };
    let (walks, falls, slides) = (Motion::Walking, Motion::Falling, Motion::Sliding);
    rough::walk_caught(&[
        caught(
            "between walls, where a whole step leads nowhere and a shorter one on",
            36,
            4,
            [8.973_563_194_274_902, 1.095_439_910_888_671_9, 17.376_297_947_444_63],
            walks,
            [-2.675_230_3, 2.918_312],
        ),
        caught(
            "beside a wall that comes into it as it steps up, and farther as it goes down out of that",
            152,
            4,
            [23.765_791_893_005_37, 2.163_138_389_587_402_3, 11.553_802_490_234_375],
            walks,
            [2.367_95, -0.204_807_01],
        ),
        caught(
            "between walls, with gentle ground that rises above the knees of who goes down",
            570,
            4,
            [2.040_419_578_552_246, 0.830_884_277_820_587_2, 11.220_022_201_538_086],
            walks,
            [-0.817_194_04, 0.242_952_24],
        ),
        caught(
            "a diagonal before steep ground, nearer than rounding",
            40,
            0,
            [12.093_581_199_645_996, 2.419_744_968_414_306_6, 31.093_581_318_855_286],
            walks,
            [1.035_198_8, -1.609_400_4],
        ),
        caught(
            "gentle ground under the knees beside steep ground under the middle",
            56,
            0,
            [21.053_872_108_459_473, 1.500_821_948_051_452_6, 4.404_446_125_030_518],
            falls,
            [2.461_027_9, 2.592_719],
        ),
        caught(
            "knees on a rim between walls",
            51,
            4,
            [20.905_888_557_434_082, 1.191_729_664_802_551_3, 9.610_548_973_083_496],
            walks,
            [-2.087_968, 3.331_515],
        ),
        caught(
            "a fold of two slopes, each slightly too steep for a slide to end on it",
            8,
            0,
            [8.994_607_925_415_039, 0.123_319_908_976_554_87, -9.871_737_480_163_574],
            slides,
            [-1.171_014_1, 1.538_732_2],
        ),
        caught(
            "a wall whose foot is steep ground",
            82,
            0,
            [-7.026_627_1, 1.357_004_4, 38.039_611_8],
            walks,
            [-2.500_093, -1.929_642_1],
        ),
        caught(
            "between walls, along which a step gets it on by little",
            221,
            1,
            [31.621_378_272_771_835, 1.702_588_200_569_152_8, -7.342_340_946_197_51],
            walks,
            [-0.531_955_8, 2.938_022_9],
        ),
        caught(
            "aside of a line of steep ground, by a wall that is farther away higher up",
            312,
            1,
            [1.296_585_083_007_812_5, 0.570_787_489_414_215_1, 1.296_443_343_162_536_6],
            walks,
            [-1.270_749_3, 3.600_922_3],
        ),
        caught(
            "before a step that would end in steep ground",
            671,
            4,
            [7.258_236_408_233_643, 1.338_499_546_051_025_4, 26.489_894_390_106_2],
            walks,
            [3.021_574, -0.666_717_1],
        ),
        caught(
            "along steep ground, to and fro",
            510,
            1,
            [23.997_519_493_103_027, 0.460_107_386_112_213_13, 36.968_008_995_056_15],
            walks,
            [-2.116_970_5, 2.248_775_7],
        ),
        caught(
            "down between slopes into which it presses",
            736,
            2,
            [23.874_196_052_551_27, 2.258_738_279_342_651_4, 19.815_791_130_065_918],
            falls,
            [1.666_662_9, 2.556_978_2],
        ),
        caught(
            "between walls, where ground to stand on comes above its knee",
            769,
            4,
            [28.429_378_509_521_484, 2.279_260_635_375_976_6, 42.539_055_824_279_785],
            slides,
            [1.373_035_6, -1.221_956_8],
        ),
        caught(
            "the same in a narrower place",
            2236,
            4,
            [29.160_787_105_560_303, 2.386_080_265_045_166, 17.014_555_931_091_31],
            slides,
            [1.434_340_6, -0.549_424_9],
        ),
        caught(
            "between walls high above the ground, across an edge of it",
            2345,
            4,
            [38.100_450_038_909_91, 1.957_574_486_732_483, 37.999_992_370_605_47],
            walks,
            [-3.749_588_3, -0.485_380_02],
        ),
    ]);
}
