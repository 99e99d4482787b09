//! Writes the demo world's images again: `make_demo [FOLDER]`, by default `worlds/demo/`.

use std::error::Error;
use std::fs::{File, create_dir_all};
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use marchland_worlds::recipe::{encoded, make};

fn main() -> Result<(), Box<dyn Error>> {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("demo");
    let folder = std::env::args_os().nth(1).map_or(default, PathBuf::from);
    create_dir_all(&folder)?;
    let world = make();
    let codes = encoded(&world.heights);
    let bytes: Vec<u8> = codes.values.iter().flat_map(|code| code.to_be_bytes()).collect();
    write(&folder.join("heights.png"), codes.columns, png::BitDepth::Sixteen, &bytes)?;
    let cells = world.holes.columns;
    write(&folder.join("holes.png"), cells, png::BitDepth::Eight, &world.holes.values)?;
    write(&folder.join("surfaces.png"), cells, png::BitDepth::Eight, &world.surfaces.values)?;
    Ok(())
}

/// Writes a square gray image with strong compression.
fn write(
    file: &Path,
    columns: usize,
    depth: png::BitDepth,
    bytes: &[u8],
) -> Result<(), Box<dyn Error>> {
    let out = BufWriter::new(File::create(file)?);
    let mut encoder = png::Encoder::new(out, columns as u32, columns as u32);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(depth);
    encoder.set_compression(png::Compression::High);
    // Surface ids are names, not amounts: their differences mean nothing to a filter.
    let filter = match depth {
        png::BitDepth::Sixteen => png::Filter::Adaptive,
        _ => png::Filter::NoFilter,
    };
    encoder.set_filter(filter);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(bytes)?;
    writer.finish()?;
    Ok(())
}
