//! Where something happened to units in these walks that must not happen again.

use marchland_controller::Motion;
use marchland_worlds::clutter::Rate;

/// A unit to which something happened.
pub(crate) struct Incident {
    pub(crate) seed: u64,
    pub(crate) rate: Rate,
    /// Ticks that were over.
    pub(crate) tick: u64,
    /// Which of the bodies.
    pub(crate) body: usize,
    /// Metres.
    pub(crate) at: [f64; 3],
    pub(crate) motion: Motion,
    pub(crate) velocity: [f32; 3],
    pub(crate) request: [f32; 2],
    /// Whether it jumps in its first tick.
    pub(crate) jumps: bool,
}

pub(crate) const CAUGHT: &[Incident] = &[
    // A mover presses a body in the air, stuck at the ground, under an arch.
    Incident {
        seed: 120,
        rate: Rate::Hz60,
        tick: 707,
        body: 0,
        at: [63.790_511_205_792_43, 0.354_976_385_831_832_9, 22.001_886_367_797_85],
        motion: Motion::Falling,
        velocity: [0.549_064_34, -0.612_826_8, 0.0],
        request: [0.0, 2.442_504],
        jumps: false,
    },
    // A jump under a slab that leans over the way.
    Incident {
        seed: 384,
        rate: Rate::Hz60,
        tick: 2,
        body: 1,
        at: [103.446_619_987_487_8, 3.180_943_489_074_707, 64.272_104_948_759_08],
        motion: Motion::Walking,
        velocity: [-42.100_384, 0.0, -2.798_867],
        request: [-40.551_37, -26.098_713],
        jumps: true,
    },
    // In the air, its foot in a rock, out of which the shortest way leads into steep ground.
    Incident {
        seed: 131,
        rate: Rate::Hz60,
        tick: 610,
        body: 1,
        at: [93.150_932_073_593_14, 0.891_205_072_402_954_1, 64.249_284_014_105_8],
        motion: Motion::Falling,
        velocity: [0.0; 3],
        request: [0.366_938_26, -1.360_852_2],
        jumps: false,
    },
    // The same below an arch.
    Incident {
        seed: 129,
        rate: Rate::Hz60,
        tick: 707,
        body: 4,
        at: [-0.678_504_347_801_208_5, 2.216_792_345_046_997, 78.128_684_997_558_6],
        motion: Motion::Falling,
        velocity: [0.0; 3],
        request: [9.929_349, 2.835_431_3],
        jumps: false,
    },
    // Down beside steep ground, onto level ground.
    Incident {
        seed: 500,
        rate: Rate::Hz240,
        tick: 163,
        body: 1,
        at: [2.328_337_669_372_558_6, -0.077_250_897_884_368_9, 80.463_945_388_793_95],
        motion: Motion::Walking,
        velocity: [6.924_390_3, 0.0, -1.135_388_5],
        request: [6.924_390_3, -1.135_388_5],
        jumps: false,
    },
    // In the air, its foot in a slab, out of which the shortest way leads through more of it.
    Incident {
        seed: 1017,
        rate: Rate::Hz60,
        tick: 913,
        body: 3,
        at: [54.489_668_846_130_37, 1.151_259_422_302_246, 74.284_379_005_432_13],
        motion: Motion::Falling,
        velocity: [0.0, 0.0, 0.0],
        request: [8.746_599, 11.602_287],
        jumps: false,
    },
    // The same in a box.
    Incident {
        seed: 1094,
        rate: Rate::Hz60,
        tick: 788,
        body: 4,
        at: [4.637_456_893_920_898, 3.065_466_403_961_181_6, 88.796_331_405_639_65],
        motion: Motion::Falling,
        velocity: [0.0, 0.0, 0.0],
        request: [-1.973_229, -1.613_027_6],
        jumps: false,
    },
    // Under a ceiling, its foot in a box that is no higher than its knee: out of it it walks.
    Incident {
        seed: 1020,
        rate: Rate::Hz60,
        tick: 1,
        body: 1,
        at: [30.556_494_593_620_3, -2.300_022_363_662_719_7, 104.610_437_393_188_48],
        motion: Motion::Walking,
        velocity: [0.0, 0.0, -2.883_011_8],
        request: [1.231_850_3, -2.883_011_8],
        jumps: false,
    },
    // The same beside another box.
    Incident {
        seed: 1054,
        rate: Rate::Hz60,
        tick: 1,
        body: 1,
        at: [54.551_565_170_288_086, -1.325_019_001_960_754_4, 40.369_014_739_990_234],
        motion: Motion::Walking,
        velocity: [-5.757_527, 0.0, 7.730_944_6],
        request: [-5.757_527, 7.730_944_6],
        jumps: false,
    },
    // A run under a box that is just above its head, up a slope.
    Incident {
        seed: 1158,
        rate: Rate::Hz60,
        tick: 289,
        body: 1,
        at: [62.026_878_237_724_304, 0.192_526_370_286_941_53, -8.602_038_383_483_887],
        motion: Motion::Walking,
        velocity: [-7.577_927, 0.0, -1.420_869_2],
        request: [-23.788_9, 85.037_65],
        jumps: false,
    },
    // Between two boxes that leave little between them, its foot in one.
    Incident {
        seed: 1260,
        rate: Rate::Hz60,
        tick: 90,
        body: 2,
        at: [88.457_239_627_838_13, 1.476_075_172_424_316_4, 71.106_314_182_281_5],
        motion: Motion::Walking,
        velocity: [0.0, 0.0, 0.0],
        request: [4.817_744, -1.123_791_9],
        jumps: false,
    },
    // A fast run beside a box that its foot is in.
    Incident {
        seed: 2015,
        rate: Rate::Hz240,
        tick: 1,
        body: 1,
        at: [6.118_825_912_475_586, -1.225_025_296_211_242_7, 82.314_780_235_290_53],
        motion: Motion::Walking,
        velocity: [88.757_71, 0.0, -1.302_076_5],
        request: [88.757_71, -1.302_076_5],
        jumps: false,
    },
    // A jump out of a slab that its foot is in, through more of it.
    Incident {
        seed: 1331,
        rate: Rate::Hz60,
        tick: 0,
        body: 1,
        at: [-2.640_352_964_401_245, -1.136_074_185_371_399, 24.366_633_415_222_168],
        motion: Motion::Walking,
        velocity: [0.0, 0.0, 0.0],
        request: [26.858_225, 50.812_363],
        jumps: true,
    },
    // Between two walls that meet at a sharp angle, out of which the way is long.
    Incident {
        seed: 1062,
        rate: Rate::Hz60,
        tick: 655,
        body: 1,
        at: [53.299_621_582_031_25, 1.081_620_097_160_339_4, 39.645_587_921_142_58],
        motion: Motion::Walking,
        velocity: [-7.155_921, 0.0, -6.505_37],
        request: [-5.950_585_4, -7.831_239],
        jumps: false,
    },
    // Beside a moving prop, under the lower of two ledges that is higher than a step by less than a hair.
    Incident {
        seed: 1301,
        rate: Rate::Hz60,
        tick: 63,
        body: 4,
        at: [47.059_993_743_896_484, -3.097_371_816_635_132, 47.842_376_708_984_375],
        motion: Motion::Walking,
        velocity: [2.34084e-6, 0.0, -2.340_839_9],
        request: [-2.236_149, -2.341_640_7],
        jumps: false,
    },
    // In the air with its foot in something, out of which the way takes more than a tick.
    Incident {
        seed: 1024,
        rate: Rate::Hz60,
        tick: 836,
        body: 1,
        at: [25.406_867_980_957_03, -0.690_049_052_238_464_4, 8.222_571_372_985_84],
        motion: Motion::Falling,
        velocity: [2.303_550_7, -1.594_481_2, 0.057_007_726],
        request: [9.139_264, -1.890_092_8],
        jumps: false,
    },
    // In the air with its foot in the side of what it could stand on.
    Incident {
        seed: 1084,
        rate: Rate::Hz60,
        tick: 174,
        body: 2,
        at: [55.461_266_517_639_16, -1.588_277_339_935_302_7, 4.689_081_668_853_76],
        motion: Motion::Falling,
        velocity: [0.0, -0.163_500_01, 0.0],
        request: [-0.962_042_45, 0.621_323_35],
        jumps: false,
    },
    // In the air with its foot in a box that its knee absorbs, and its side at a wall.
    Incident {
        seed: 1357,
        rate: Rate::Hz60,
        tick: 84,
        body: 2,
        at: [32.625_511_467_456_82, 0.728_605_985_641_479_5, 17.450_003_623_962_402],
        motion: Motion::Falling,
        velocity: [4.218_246_5, 4.836_5, 0.0],
        request: [4.227_167_6, -7.872_81],
        jumps: false,
    },
    // A jump under what leans over it, its foot in what leans away.
    Incident {
        seed: 1253,
        rate: Rate::Hz60,
        tick: 397,
        body: 1,
        at: [90.083_852_767_944_34, -0.070_931_263_267_993_93, 42.537_275_314_331_055],
        motion: Motion::Walking,
        velocity: [0.0, 0.0, 0.0],
        request: [-7.755_246, 4.710_355],
        jumps: true,
    },
    // Let go by a mover two centimetres above what it could stand on, where its knees keep it up.
    Incident {
        seed: 1145,
        rate: Rate::Hz60,
        tick: 516,
        body: 0,
        at: [41.758_731_842_041_016, 0.957_371_354_103_088_4, 49.410_057_067_871_094],
        motion: Motion::Falling,
        velocity: [0.0, 0.0, 0.0],
        request: [0.0, -9.169_997],
        jumps: false,
    },
    // In the air with its foot in something, asked to be faster than it falls.
    Incident {
        seed: 1103,
        rate: Rate::Hz60,
        tick: 226,
        body: 4,
        at: [3.706_858_396_530_151_4, -0.244_916_275_143_623_35, 25.335_036_754_608_154],
        motion: Motion::Falling,
        velocity: [-0.030_514_626, -1.197_086_6, 0.158_771_26],
        request: [1.217_88, -98.129_32],
        jumps: false,
    },
    // With its foot alone in a slab, under another that leaves no room to rise onto it.
    Incident {
        seed: 1423,
        rate: Rate::Hz30,
        tick: 420,
        body: 3,
        at: [71.486_134_529_113_77, -1.887_821_912_765_503, 56.626_195_430_755_615],
        motion: Motion::Falling,
        velocity: [6.383_134, 2.211_059, 3.926_062_3],
        request: [4.870_673, 5.412_998],
        jumps: false,
    },
    // Down a step into what is nearer farther down, the way out of which leads up onto the step again.
    Incident {
        seed: 1434,
        rate: Rate::Hz240,
        tick: 815,
        body: 1,
        at: [95.948_140_095_919_37, -2.074_999_809_265_136_7, 41.839_859_962_463_38],
        motion: Motion::Walking,
        velocity: [-0.358_387_3, 0.0, 5.136_811],
        request: [0.0, 5.161_814],
        jumps: false,
    },
];
