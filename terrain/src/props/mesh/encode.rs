//! Encodes a prepared mesh as the bytes of its file.

use glam::Vec3;
use xxhash_rust::xxh3::xxh3_64;

use super::PreparedMesh;
use super::layout::{
    FLAG_CLOSED, FLAG_WIDE, HEADER_BYTES, MAGIC, PART_ALIGN_BYTES, TAIL_BYTES, VERSION,
    VERTICES_NARROW_MAX, field,
};
use super::merge::MergedFace;

impl PreparedMesh {
    /// The bytes of its file. The same mesh gives the same bytes on every machine.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let wide = self.vertices.len() > VERTICES_NARROW_MAX as usize;
        let mut bytes = self.header(wide);
        bytes.extend(self.tree.nodes.iter().flatten());
        for metres in self.vertices.iter().flat_map(Vec3::to_array) {
            bytes.extend(metres.to_le_bytes());
        }
        pad(&mut bytes);
        put_all(&mut bytes, wide, self.triangles.iter().flatten());
        pad(&mut bytes);
        bytes.extend(&self.edges);
        pad(&mut bytes);
        for MergedFace { corners, first } in &self.merged.faces {
            bytes.extend(first.to_le_bytes());
            put_all(&mut bytes, wide, corners);
        }
        pad(&mut bytes);
        put_all(&mut bytes, wide, &self.merged.of);
        bytes.resize(bytes.len() + TAIL_BYTES, 0);
        pad(&mut bytes);
        let checksum = xxh3_64(&bytes);
        bytes[field::CHECKSUM..][..8].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// The header, its checksum still zeros.
    fn header(&self, wide: bool) -> Vec<u8> {
        let closed = if self.closed { FLAG_CLOSED } else { 0 };
        let wide = if wide { FLAG_WIDE } else { 0 };
        let mut bytes = vec![0; HEADER_BYTES];
        bytes[field::MAGIC..][..8].copy_from_slice(&MAGIC);
        let mut put = |at: usize, word: u32| {
            bytes[at..][..4].copy_from_slice(&word.to_le_bytes());
        };
        put(field::VERSION, VERSION);
        put(field::FLAGS, closed | wide);
        put(field::VERTICES, self.vertices.len() as u32);
        put(field::TRIANGLES, self.triangles.len() as u32);
        put(field::NODES, self.tree.nodes.len() as u32);
        put(field::FACES, self.merged.faces.len() as u32);
        let bounds = [self.tree.bounds.min, self.tree.bounds.max];
        let metres = bounds.iter().flat_map(Vec3::to_array);
        for (at, metres) in (field::BOUNDS..).step_by(4).zip(metres) {
            put(at, metres.to_bits());
        }
        bytes
    }
}

/// Adds numbers of 16 or 32 bits.
fn put_all<'a>(bytes: &mut Vec<u8>, wide: bool, numbers: impl IntoIterator<Item = &'a u32>) {
    for number in numbers {
        if wide {
            bytes.extend(number.to_le_bytes());
        } else {
            bytes.extend((*number as u16).to_le_bytes());
        }
    }
}

fn pad(bytes: &mut Vec<u8>) {
    bytes.resize(bytes.len().next_multiple_of(PART_ALIGN_BYTES), 0);
}
