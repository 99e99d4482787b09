//! Any bytes as a PNG heightmap: rejected, or rows of heights of the promised length. Bytes are also wrapped
//! into a valid file, with a header that they choose. (Built for fuzzing, the decoder ignores checksums.)
#![no_main]

use libfuzzer_sys::fuzz_target;
use marchland_fuzz::written;
use marchland_terrain::bake::{HeightRow, HeightSource};
use marchland_tools::import::{Encoding, Format, HeightRange, ImportOptions, open};

fuzz_target!(|data: &[u8]| {
    let Some((&how, data)) = data.split_first() else { return };
    let bytes = if how & 1 == 0 { data.to_vec() } else { wrapped(data) };
    let options = ImportOptions {
        format: Format::Png,
        range: Some(HeightRange::MinMax { min: -100.0, max: 900.0 }),
        flip_y: how & 2 != 0,
        ..ImportOptions::default()
    };
    let packed =
        ImportOptions { encoding: Some(Encoding::Terrarium), range: None, ..options.clone() };
    read(&bytes, if how & 4 == 0 { &options } else { &packed });
});

fn read(bytes: &[u8], options: &ImportOptions) {
    let Ok(mut source) = open(&written("heights.png", bytes), options) else { return };
    let heights: &mut dyn HeightSource = &mut *source.heights;
    let columns = heights.columns() as usize;
    for _ in 0..heights.rows() {
        match heights.next_row() {
            Ok(HeightRow::Codes(row)) => assert_eq!(row.len(), columns),
            Ok(HeightRow::Metres(row)) => {
                assert_eq!(row.len(), columns);
                assert!(row.iter().all(|metres| !metres.is_infinite()));
            }
            Err(_) => return,
        }
    }
}

/// A PNG whose header is the first bytes and whose picture is the rest, uncompressed.
fn wrapped(data: &[u8]) -> Vec<u8> {
    let Some((head, picture)) = data.split_at_checked(5) else { return Vec::new() };
    let mut header = Vec::new();
    header.extend(u32::from(head[0] % 40).to_be_bytes());
    header.extend(u32::from(head[1] % 40).to_be_bytes());
    header.extend([1_u8 << (head[2] % 5), head[3] % 8, 0, 0, head[4] & 1]);
    let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
    chunk(&mut png, b"IHDR", &header);
    if head[4] & 2 != 0 {
        chunk(&mut png, b"tRNS", &picture[..picture.len().min(6)]);
    }
    if head[4] & 4 != 0 {
        chunk(&mut png, b"PLTE", &picture[..picture.len().min(48) / 3 * 3]);
    }
    let mut zlib = vec![0x78, 1];
    let blocks = picture.chunks(60_000);
    let last = blocks.len().saturating_sub(1);
    for (index, block) in blocks.enumerate() {
        zlib.push(u8::from(index == last));
        zlib.extend((block.len() as u16).to_le_bytes());
        zlib.extend((!(block.len() as u16)).to_le_bytes());
        zlib.extend(block);
    }
    zlib.extend([0; 4]);
    chunk(&mut png, b"IDAT", &zlib);
    chunk(&mut png, b"IEND", &[]);
    png
}

fn chunk(png: &mut Vec<u8>, name: &[u8; 4], data: &[u8]) {
    png.extend((data.len() as u32).to_be_bytes());
    png.extend(name);
    png.extend(data);
    png.extend([0; 4]);
}
