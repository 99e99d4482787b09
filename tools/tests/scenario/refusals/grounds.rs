//! Ground, heights and images that are wrong.

use super::*;

#[test]
fn wrong_ground_is_refused_with_line_and_key() {
    check(&[
        ("", "terrain = 5", 1, &["`terrain` is 5", "[terrain]"]),
        ("[terrain]\n", "water = 0", 1, &["unknown key `water` in [terrain]", "flat, heights"]),
        ("[terrain]\nflat = 0\n", "world = \"w\"", 1, &["`world` together with `flat`"]),
        ("[terrain]\nflat = 0\n", "png = {}", 1, &["`png` together with `flat`"]),
        (HEIGHTS, "flat = 1", 1, &["`flat` together with `heights`"]),
        ("[terrain]\n", "flat = \"level\"", 1, &["`flat` is \"level\"", "metres"]),
        ("[terrain]\n", "flat = inf", 1, &["`flat` is inf"]),
        ("[terrain]\nflat = 0\n", "holes = [[0, 0]]", 1, &["`holes`", "`heights` or `png`"]),
        ("[terrain]\n", "surface = \"ground\"", 1, &["`surface` is \"ground\"", "beside it"]),
        ("[terrain]\nflat = 0\n", "surface = \"ice\"", 1, &["`surface` is \"ice\"", "\"ground\""]),
        ("[terrain]\n", "heights = 5", 1, &["`heights` is 5", "columns, rows, spacing"]),
        ("[terrain]\n", "world = 5", 1, &["`world` is 5", "a baked world"]),
        ("[terrain]\n", "world = \"none.world\"", 1, &["`world`: ", "none.world"]),
        ("[terrain]\n", "world = \"hills.png\"", 1, &["`world`: ", "hills.png"]),
        (HEIGHTS, "holes = [[0, 0], [2, 0]]", 1, &["`holes[1][0]` is 2", "below [2, 1]"]),
        (HEIGHTS, "holes = [[0, 1]]", 1, &["`holes[0][1]` is 1"]),
        (HEIGHTS, "holes = [[0, 0, 0]]", 1, &["`holes[0]` is [0, 0, 0]"]),
        (HEIGHTS, "holes = [[-1, 0]]", 1, &["`holes[0][0]` is -1"]),
    ]);
}

#[test]
fn wrong_heights_are_refused_with_line_and_key() {
    let wrong = |of: &str, to: &str, says: &[&str]| {
        assert!(HEIGHTS.contains(of), "{of}");
        check(&[("", &HEIGHTS.replace(of, to), 2, says)]);
    };
    wrong("columns = 3, ", "", &["heights has no `columns`"]);
    wrong("columns = 3", "columns = 1", &["`heights.columns` is 1", "2 to 65536"]);
    wrong("rows = 2", "rows = 65537", &["`heights.rows` is 65537"]);
    wrong("rows = 2", "lines = 2", &["unknown key `lines` in heights"]);
    wrong("spacing = 8, ", "", &["heights has no `spacing`"]);
    wrong(
        "spacing = 8",
        "spacing = 3",
        &["`heights.spacing` is 3", "power of two from 0.25 to 128"],
    );
    wrong("spacing = 8", "spacing = 0.125", &["`heights.spacing` is 0.125"]);
    wrong("spacing = 8", "spacing = 256", &["`heights.spacing` is 256"]);
    wrong("spacing = 8", "spacing = -8", &["`heights.spacing` is -8"]);
    wrong("rows = 2", "rows = 2, origin = [4, 0]", &["`heights.origin` is [4, 0]", "multiples of"]);
    wrong("rows = 2", "rows = 2, origin = [0, nan]", &["`heights.origin[1]` is nan"]);
    wrong("rows = 2", "rows = 2, origin = 8", &["`heights.origin` is 8"]);
    wrong(
        "1, 0,0,1]",
        "1, 0,0]",
        &["`heights.samples` is 5 numbers", "6, which is 3 columns of 2"],
    );
    wrong("1, 0,0,1]", "1, 0,0,1,1]", &["`heights.samples` is 7 numbers"]);
    wrong("1, 0,0,1]", "1, 0,0,9000]", &["`heights.samples[5]` is 9000", "-8192 to 8192"]);
    wrong("1, 0,0,1]", "1, 0,\"x\",1]", &["`heights.samples[4]` is \"x\""]);
    wrong(
        "rows = 2",
        "rows = 2, origin = [1e12, 0]",
        &["`heights` is an area of sectors", "within 2^31"],
    );
    // Two samples, but sectors of cells as fine as can be, far apart: none; and far too many.
    let far = "sector_size = 8\n[terrain]\nheights = { columns = 2000, rows = 2000, spacing = 4, \
               samples = [";
    let far = format!("{far}{}] }}\n", vec!["0"; 4_000_000].join(","));
    check(&[("", &far, 3, &["`heights` is an area of", "at most 65536", "sector_size"])]);
}

#[test]
fn wrong_images_are_refused_with_line_and_key() {
    let png =
        "[terrain]\npng = { file = \"hills.png\", spacing = 2, min_height = 0, max_height = 9 }\n";
    let wrong = |of: &str, to: &str, says: &[&str]| {
        assert!(png.contains(of), "{of}");
        check(&[("", &png.replace(of, to), 2, says)]);
    };
    wrong("file = \"hills.png\", ", "", &["png has no `file`"]);
    wrong("hills.png", "none.png", &["`png.file`: ", "none.png", "cannot open"]);
    wrong("hills.png", "bad.png", &["`png.file`: ", "bad.png"]);
    wrong("hills.png", ".", &["`png.file`: "]);
    wrong("spacing = 2", "spacing = 2.5", &["`png.spacing` is 2.5", "power of two"]);
    wrong("min_height = 0, ", "", &["png has no `min_height`"]);
    wrong("max_height = 9", "max_height = 0", &["`png.max_height` is 0", "above `min_height`"]);
    wrong("max_height = 9", "max_height = inf", &["`png.max_height` is inf"]);
    wrong("spacing = 2", "spacing = 2, origin = [0, 0]", &["unknown key `origin` in png"]);
}
