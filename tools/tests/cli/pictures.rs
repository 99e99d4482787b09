//! What `preview` draws.

use std::fs;
use std::io::Cursor;

use crate::workshop::{Workshop, floats, gray, hilly};

/// Width, height and pixels.
fn picture(shop: &Workshop, name: &str) -> (u32, u32, Vec<u8>) {
    let decoder = png::Decoder::new(Cursor::new(fs::read(shop.path(name)).unwrap()));
    let mut reader = decoder.read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    (info.width, info.height, pixels)
}

/// The colour of a pixel.
fn pixel((width, _, pixels): &(u32, u32, Vec<u8>), x: u32, y: u32) -> [u8; 3] {
    let at = (y * width + x) as usize * 3;
    [pixels[at], pixels[at + 1], pixels[at + 2]]
}

/// 60 × 30 m in sectors of 32 m: the last ones are covered in part. A hole, and three surfaces.
fn world() -> Workshop {
    let shop = Workshop::new();
    shop.file("a.r32", &floats(61, 31, hilly));
    let eight = png::BitDepth::Eight;
    let hole = |x, z| if x < 20 && z < 10 { 255 } else { 0 };
    shop.file("holes.png", &gray(60, 30, eight, hole));
    shop.file("kinds.png", &gray(60, 30, eight, |x, _| (x / 20) as u16));
    shop.say(
        "bake a.r32 --columns 61 --rows 31 --spacing 1 --sector-size 32 --out a.world --holes \
         holes.png --surfaces kinds.png --surface-names grass,rock,snow",
    )
    .done();
    shop
}

#[test]
fn the_map_has_the_size_asked_for_and_is_cropped_to_the_ground() {
    let shop = world();
    let ran = shop.say("preview a.world --out p.png --size 300 --json").done();
    let answer = ran.json();
    let (width, height, _) = picture(&shop, "p.png");
    assert_eq!(
        (answer["width"].as_u64(), answer["height"].as_u64()),
        (Some(width.into()), Some(height.into()))
    );
    // 60 x 30 m on 300 x 150 pixels, and a legend beside the map.
    assert_eq!(answer["metres_per_pixel"], serde_json::json!(0.2));
    assert!(width > 300 && width < 600 && height >= 150, "{width} x {height}");
    let drawn = picture(&shop, "p.png");
    let outside = [226, 229, 232];
    for (x, y) in [(0, 149), (299, 0), (299, 149), (150, 75)] {
        assert_ne!(pixel(&drawn, x, y), outside, "{x}, {y} is ground");
    }
    assert_eq!(pixel(&drawn, 20, 20), [24, 20, 28], "the hole");
    assert_eq!(answer["missing_pixels"], serde_json::json!(0));
}

#[test]
fn every_flag_changes_the_picture() {
    let shop = world();
    let flags = ["", "--grid", "--surfaces", "--grid --surfaces", "--size 200"];
    let drawn = flags.map(|flags| {
        shop.say(&format!("preview a.world --out p.png {flags}")).done();
        picture(&shop, "p.png")
    });
    for (index, one) in drawn.iter().enumerate() {
        for other in &drawn[..index] {
            assert!(one != other, "`{}` changes nothing", flags[index]);
        }
    }
    // The same again is the same bytes.
    shop.say("preview a.world --out q.png --size 200").done();
    assert_eq!(fs::read(shop.path("p.png")).unwrap(), fs::read(shop.path("q.png")).unwrap());
    shop.say("preview a.world --out p.png --size 5").failed(2, &["--size", "64..=16384"]);
}

#[test]
fn long_thin_worlds_and_worlds_of_holes_are_drawn() {
    let shop = Workshop::new();
    shop.file("thin.r32", &floats(2, 900, hilly));
    shop.say("bake thin.r32 --columns 2 --rows 900 --spacing 1 --out thin.world").done();
    shop.say("preview thin.world --out p.png --grid").done();
    assert_eq!(picture(&shop, "p.png").1, 1024);
    shop.say("bake thin.r32 --columns 900 --rows 2 --spacing 1 --out wide.world").done();
    shop.say("preview wide.world --out p.png --grid --surfaces").done();
    shop.file("void.r32", &floats(9, 9, |_, _| f32::NAN));
    shop.say("bake void.r32 --spacing 1 --out void.world").done();
    shop.say("preview void.world --out p.png --grid --surfaces").done();
    assert_eq!(pixel(&picture(&shop, "p.png"), 500, 500), [24, 20, 28]);
}

#[test]
fn sectors_that_cannot_be_loaded_are_hatched_and_counted() {
    let shop = world();
    fs::write(shop.sector("a.world", 1, 0), b"no sector").unwrap();
    let ran = shop.say("preview a.world --out p.png --json");
    assert_eq!(ran.code, Some(0));
    assert!(ran.json()["missing_pixels"].as_u64().unwrap() > 1000, "{}", ran.out);
    let warnings = ran.err.lines().filter(|line| line.contains("warning")).count();
    assert_eq!(warnings, 1, "told once: {}", ran.err);
}
