//! Colours: for heights, and for surfaces by their name.

use super::canvas::{Rgb, mix};

/// From lowland green over sand and rock to snow.
const TINTS: [Rgb; 7] = [
    [86, 125, 92],
    [128, 158, 104],
    [181, 186, 126],
    [203, 183, 134],
    [172, 143, 113],
    [163, 153, 147],
    [242, 242, 244],
];

/// Common surfaces, by a part of their name.
const NAMED: [(&str, Rgb); 16] = [
    ("grass", [122, 150, 88]),
    ("meadow", [122, 150, 88]),
    ("forest", [72, 106, 68]),
    ("wood", [72, 106, 68]),
    ("rock", [140, 132, 124]),
    ("stone", [140, 132, 124]),
    ("cliff", [124, 114, 106]),
    ("scree", [164, 154, 142]),
    ("gravel", [164, 154, 142]),
    ("road", [178, 160, 132]),
    ("sand", [218, 200, 152]),
    ("shore", [218, 200, 152]),
    ("snow", [240, 243, 248]),
    ("mud", [112, 98, 82]),
    ("water", [88, 132, 164]),
    ("ice", [196, 220, 232]),
];

/// Colours of surfaces with other names.
const OTHERS: [Rgb; 8] = [
    [150, 160, 120],
    [190, 150, 120],
    [130, 150, 170],
    [180, 130, 150],
    [150, 180, 170],
    [200, 190, 130],
    [140, 130, 160],
    [170, 170, 170],
];

/// The tint of a height: `part` is 0 at the lowest ground and 1 at the highest.
#[must_use]
pub fn height_tint(part: f32) -> Rgb {
    let last = TINTS.len() - 1;
    let along = part * last as f32;
    let index = if along > 0.0 { along as usize } else { 0 };
    if index >= last {
        return TINTS[last];
    }
    mix(TINTS[index], TINTS[index + 1], along - index as f32)
}

/// The colour of a surface.
#[must_use]
pub fn surface_colour(name: &str, id: usize) -> Rgb {
    let name = name.to_lowercase();
    NAMED
        .iter()
        .find(|(part, _)| name.contains(part))
        .map_or(OTHERS[id % OTHERS.len()], |(_, colour)| *colour)
}

/// The colours of all surfaces of a world.
#[must_use]
pub fn surface_colours(names: &[String]) -> Vec<Rgb> {
    names.iter().enumerate().map(|(id, name)| surface_colour(name, id)).collect()
}
