//! Any bytes as a JPEG, WebP, BMP or TGA: rejected, or rows of heights and of mask values of the promised
//! length. Bytes are also wrapped into headers of small pictures.
#![no_main]

use libfuzzer_sys::fuzz_target;
use marchland_fuzz::written;
use marchland_terrain::bake::{HeightRow, HeightSource};
use marchland_tools::import::{Format, HeightRange, ImportOptions, MaskKind, open, open_mask};

fuzz_target!(|data: &[u8]| {
    let Some((&how, data)) = data.split_first() else { return };
    let (format, name) = [
        (Format::Jpeg, "picture.jpg"),
        (Format::Webp, "picture.webp"),
        (Format::Bmp, "picture.bmp"),
        (Format::Tga, "picture.tga"),
    ][usize::from(how & 3)];
    let bytes = if how & 4 == 0 { data.to_vec() } else { wrapped(format, data) };
    let path = written(name, &bytes);
    let range = Some(HeightRange::MinMax { min: -100.0, max: 900.0 });
    let options = ImportOptions { format, range, ..ImportOptions::default() };
    if let Ok(mut source) = open(&path, &options) {
        let heights: &mut dyn HeightSource = &mut *source.heights;
        let columns = heights.columns() as usize;
        for _ in 0..heights.rows() {
            match heights.next_row() {
                Ok(HeightRow::Codes(row)) => assert_eq!(row.len(), columns),
                Ok(HeightRow::Metres(_)) => panic!("a picture holds codes"),
                Err(_) => break,
            }
        }
    }
    for kind in [MaskKind::Holes, MaskKind::Surfaces] {
        let Ok(mut mask) = open_mask(&path, kind, false) else { continue };
        let columns = mask.cells.columns() as usize;
        for _ in 0..mask.cells.rows() {
            let Ok(row) = mask.cells.next_row() else { break };
            assert_eq!(row.len(), columns);
        }
    }
});

/// A picture whose header is the first bytes.
fn wrapped(format: Format, data: &[u8]) -> Vec<u8> {
    let Some((&[columns, rows, kind, bits, map], pixels)) = data.split_first_chunk() else {
        return Vec::new();
    };
    let (columns, rows) = (columns % 40, rows % 40);
    let mut file = Vec::new();
    match format {
        Format::Jpeg => {
            // The tables and the scan are left to chance.
            file.extend([0xff, 0xd8, 0xff, 0xc0 + kind % 3, 0, 11, 8, 0, rows, 0, columns, 1]);
            file.extend([1, bits, map % 4]);
            file.extend(pixels);
            file.extend([0xff, 0xd9]);
        }
        Format::Webp => {
            let mut chunk = Vec::new();
            if kind & 1 == 0 {
                let sides = u32::from(columns) | u32::from(rows) << 14 | u32::from(bits & 1) << 28;
                chunk.push(0x2f);
                chunk.extend(sides.to_le_bytes());
            } else {
                chunk.extend([0x10, bits, 0, 0x9d, 0x01, 0x2a, columns, 0, rows, 0]);
            }
            chunk.extend(pixels);
            let len = chunk.len() as u32;
            file.extend(b"RIFF");
            file.extend((len + 12).to_le_bytes());
            file.extend(if kind & 1 == 0 { b"WEBPVP8L" } else { b"WEBPVP8 " });
            file.extend(len.to_le_bytes());
            file.extend(chunk);
        }
        Format::Bmp => {
            let bits = [1, 4, 8, 16, 24, 32][usize::from(bits) % 6];
            file.extend(b"BM\0\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0");
            file.extend([columns, 0, 0, 0, rows, 0, 0, 0, 1, 0, bits, 0, kind % 4, 0, 0, 0]);
            file.extend([0; 12]);
            file.extend([map, 0, 0, 0, 0, 0, 0, 0]);
            file.extend(pixels);
        }
        _ => {
            file.extend([0, map & 1, kind % 12, 0, 0, map, 0, 24, 0, 0, 0, 0]);
            file.extend([columns, 0, rows, 0, [8, 16, 24, 32][usize::from(bits) % 4], bits & 0x38]);
            file.extend(pixels);
        }
    }
    file
}
