//! A hash of a source's bytes, from which a bake detects changes.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use xxhash_rust::xxh3::Xxh3;

/// XXH3-128 of a file's bytes, read in pieces.
///
/// # Errors
/// If the file cannot be opened or read.
pub fn hash_file(path: &Path) -> io::Result<u128> {
    let mut file = File::open(path)?;
    let mut hasher = Xxh3::new();
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        match file.read(&mut piece) {
            Ok(0) => return Ok(hasher.digest128()),
            Ok(len) => hasher.update(&piece[..len]),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
}

/// Bytes read at a time: large enough that the calls do not matter, small enough for any cache.
const PIECE_BYTES: usize = 256 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_hashes_like_its_bytes() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("bytes");
        // Longer than two pieces and not a multiple of one.
        let bytes: Vec<u8> = (0..2 * PIECE_BYTES + 17).map(|i| (i * 31 % 251) as u8).collect();
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(hash_file(&path).unwrap(), xxhash_rust::xxh3::xxh3_128(&bytes));
        assert!(hash_file(&dir.path().join("absent")).is_err());
    }
}
