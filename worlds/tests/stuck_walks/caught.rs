//! Where somebody was stuck once.

use marchland_controller::Motion;
use marchland_worlds::clutter::Rate;

use crate::rough::{self, Caught, Sort};

#[test]
fn nobody_is_stuck_again_where_somebody_was() {
    let caught = |by, seed, body, at, motion, request| {
        let sort = Sort::Crags;
        Caught { by, sort, seed, rate: Rate::Hz60, second: 0, body, at, motion, request }
    };
    let (walks, falls, slides) = (Motion::Walking, Motion::Falling, Motion::Sliding);
    rough::walk_caught(&[
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

#[test]
fn nobody_is_stuck_again_in_the_clutter_where_somebody_was() {
    let caught = |by, seed, body, at, motion, request| {
        let sort = Sort::Clutter;
        Caught { by, sort, seed, rate: Rate::Hz60, second: 0, body, at, motion, request }
    };
    let (walks, slides) = (Motion::Walking, Motion::Sliding);
    rough::walk_caught(&[
        caught(
            "up beside a face that leans over it",
            26,
            2,
            [16.837_960_243_225_098, 0.885_449_290_275_573_7, 71.166_816_234_588_62],
            walks,
            [-2.473_367_7, -2.719_184_2],
        ),
        caught(
            "up beside a wall, under something that leaves it no room",
            41,
            3,
            [31.499_118_089_675_903, 1.560_691_475_868_225, 96.497_926_324_605_94],
            walks,
            [-0.177_692_96, -2.603_484_9],
        ),
        caught(
            "the same up another slope",
            41,
            3,
            [31.321_954_071_521_76, 1.646_932_125_091_552_7, 95.220_086_395_740_51],
            walks,
            [0.175_511_5, -1.603_195_1],
        ),
        caught(
            "up beside a rock that leans over it",
            69,
            2,
            [55.309_656_143_188_48, 3.111_345_767_974_853_5, 106.010_439_190_673_83],
            walks,
            [-0.697_760_94, -2.644_130_7],
        ),
        caught(
            "a gentle face beside one that is too steep, of another prop",
            11,
            4,
            [1.755_630_493_164_062_5, -0.980_715_811_252_594, 2.208_834_409_713_745],
            walks,
            [-2.939_209, 1.732_215_9],
        ),
        caught(
            "on the rim of a hole, the middle over the hole",
            80,
            2,
            [79.000_007_629_394_53, -0.255_000_025_033_950_8, 80.760_001_182_556_15],
            walks,
            [-3.175_823, -0.071_893_08],
        ),
        caught(
            "up a slope, along a wall that leans over it",
            69,
            0,
            [93.430_496_692_657_47, 2.075_414_419_174_194_3, 64.001_065_073_302_02],
            walks,
            [2.849_548_6, 0.699_692_9],
        ),
        Caught {
            rate: Rate::Hz240,
            second: 18,
            ..caught(
                "down a slope, along a low steep face that has come into the foot",
                12,
                4,
                [17.168_104_171_752_93, -2.779_212_713_241_577, 99.075_624_465_942_38],
                walks,
                [-2.055_207_5, 0.578_782_74],
            )
        },
        caught(
            "down a slope, along a low steep face that is higher than what is stood on",
            89,
            2,
            [87.116_854_667_663_57, -0.055_818_781_256_675_72, 45.915_685_653_686_52],
            walks,
            [-1.698_323_1, 1.462_737_7],
        ),
        caught(
            "two low steep faces of a rock, one of which has come into the foot",
            18,
            0,
            [-10.026_642_799_377_441, 0.329_298_377_037_048_34, -10.054_504_394_531_25],
            walks,
            [-0.841_193_7, 1.241_886_4],
        ),
        caught(
            "up a slight slope, into a face that leans over it and is nearly level",
            32,
            0,
            [105.977_056_503_295_9, -0.599_600_613_117_218, 0.109_625_965_356_826_78],
            walks,
            [1.774_734_4, 3.234_699_5],
        ),
        caught(
            "the same beside a rock",
            203,
            0,
            [6.990_424_156_188_965, -0.108_894_392_848_014_83, -4.016_133_785_247_803],
            walks,
            [-0.000_865_844_54, -3.059_091_3],
        ),
        Caught {
            second: 11,
            ..caught(
                "the same among others",
                229,
                3,
                [24.671_658_515_930_176, -1.712_310_910_224_914_6, 45.854_045_867_919_92],
                walks,
                [-2.800_411_2, -0.133_347_87],
            )
        },
        Caught {
            second: 7,
            ..caught(
                "under a ceiling that leaves it no more of its skin, where it can only go lower",
                316,
                2,
                [65.543_631_672_859_19, 1.564_378_261_566_162, 89.239_343_643_188_48],
                walks,
                [0.975_724_94, 0.892_838_95],
            )
        },
        caught(
            "above a floor below its knee, between walls that hold it",
            405,
            0,
            [94.174_298_048_019_41, -3.221_520_423_889_16, -1.841_319_084_167_480_5],
            walks,
            [1.788_024_5, -1.438_765_5],
        ),
        caught(
            "above such a floor, to which it comes",
            337,
            1,
            [96.161_233_499_646_19, -2.620_898_962_020_874, 0.040_186_360_478_401_184],
            walks,
            [2.140_66, 0.181_533_99],
        ),
        caught(
            "above such a floor, out of a slide",
            555,
            3,
            [88.643_372_058_868_41, 0.181_114_584_207_534_8, -7.839_155_197_143_555],
            slides,
            [-2.478_929_3, 2.092_823],
        ),
        caught(
            "down between a slope and a crate, at the very edge of its side",
            356,
            2,
            [94.590_000_033_378_6, -2.067_388_057_708_740_2, -0.499_865_204_095_840_45],
            slides,
            [0.186_595_35, 3.213_333_4],
        ),
        caught(
            "along a ravine that hardly rises, under something that leaves it no more room",
            509,
            0,
            [101.887_177_944_183_35, -4.997_174_263_000_488, 5.922_841_548_919_678],
            walks,
            [1.013_080_5, 3.757_052_4],
        ),
        caught(
            "before a lip that ends in something to stand on, beside another low wall",
            218,
            2,
            [72.129_461_288_452_15, -0.067_597_538_232_803_34, 47.758_676_528_930_664],
            walks,
            [1.746_998_1, 0.845_031_7],
        ),
        caught(
            "down between a wall and a low steep face that has come into the foot",
            369,
            0,
            [97.186_752_676_963_8, 2.365_708_589_553_833, 100.256_714_820_861_82],
            walks,
            [-1.673_648_5, -0.286_893_9],
        ),
        caught(
            "the same of a small body",
            501,
            3,
            [82.176_870_346_069_34, 0.521_296_441_555_023_2, 71.419_030_189_514_16],
            walks,
            [-1.376_706, 2.581_054_7],
        ),
        caught(
            "between low steep faces that recede higher up",
            379,
            0,
            [64.144_491_627_812_39, 0.968_549_609_184_265_1, 99.574_487_209_320_07],
            walks,
            [3.440_434_5, -1.558_335_8],
        ),
        caught(
            "between a low steep face and one that leans over the foot",
            524,
            2,
            [-7.997_611_999_511_719, -0.475_155_562_162_399_3, 0.561_355_710_029_602],
            walks,
            [3.085_421_3, 1.100_457],
        ),
        caught(
            "between low walls, of a wide body",
            632,
            4,
            [24.502_877_235_412_598, 1.019_424_796_104_431_2, 1.047_560_691_833_496],
            walks,
            [0.295_278_16, -0.487_125_28],
        ),
        caught(
            "between others",
            640,
            1,
            [96.200_049_176_812_17, 2.373_448_371_887_207, -7.371_860_504_150_391],
            walks,
            [-0.688_192_07, 1.534_007_1],
        ),
        caught(
            "between two more",
            791,
            0,
            [7.625_198_841_094_971, 0.476_458_370_685_577_4, 17.282_361_030_578_613],
            walks,
            [1.315_215_2, -3.211_058_1],
        ),
        caught(
            "beside a low steep face that is far in its foot",
            1048,
            3,
            [104.276_481_628_417_97, 0.951_481_640_338_897_7, 32.339_611_083_269_12],
            walks,
            [-1.161_694_4, 1.230_568_2],
        ),
        caught(
            "between such faces",
            2333,
            3,
            [102.363_527_297_973_63, -1.545_046_925_544_738_8, 22.123_182_296_752_93],
            walks,
            [-3.015_782, -2.574_700_4],
        ),
    ]);
}
