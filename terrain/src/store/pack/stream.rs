//! Writes or compares one pack in pieces: never more of it in memory than a piece and a file.

use super::layout::Directory;
use crate::bytes::KeptBytes;
use crate::store::error::StoreError;
use crate::store::folder::Folder;
use crate::store::names::TEMP_SUFFIX;

/// Bytes that are gathered before they are written: small files make one write. All files end, with
/// the zeros behind them, at multiples of a page, and so do the pieces.
const PIECE_BYTES: usize = 1 << 20;

/// Reads and checks the file with a given number in a pack.
pub(crate) type ReadFile<'a> = dyn FnMut(usize) -> Result<KeptBytes, StoreError> + 'a;

/// Ensures that a complete pack exists under its final name. One that an interrupted run has left
/// is kept if every byte is right. Returns whether it existed.
pub(crate) fn put_pack(
    folder: &Folder,
    path: &str,
    directory: &Directory,
    read: &mut ReadFile<'_>,
) -> Result<bool, StoreError> {
    if folder.len_bytes(path)? == Some(directory.file_bytes())
        && holds(folder, path, directory, read)?
    {
        return Ok(true);
    }
    let temp = format!("{path}{TEMP_SUFFIX}");
    let created = folder.storage.create_new(&temp);
    let mut file = folder.run("create", &temp, |_| created)?;
    stream(directory, read, &mut |piece| {
        folder.run("write", &temp, |_| file.append(piece))?;
        Ok(true)
    })?;
    folder.run("write", &temp, |_| file.finish())?;
    folder.run("rename", &temp, |storage| storage.rename(&temp, path))?;
    Ok(false)
}

/// Whether a pack of the same length holds exactly these bytes.
fn holds(
    folder: &Folder,
    path: &str,
    directory: &Directory,
    read: &mut ReadFile<'_>,
) -> Result<bool, StoreError> {
    let file = folder.run("open", path, |storage| storage.open(path))?;
    let (mut found, mut begin) = (Vec::new(), 0);
    stream(directory, read, &mut |piece| {
        found.resize(piece.len(), 0);
        folder.run("read", path, |_| file.read_exact_at(begin, &mut found))?;
        begin += piece.len() as u64;
        Ok(found == piece)
    })
}

/// Passes all bytes of a pack on, piece by piece, until the receiver stops; returns whether it took
/// all.
fn stream(
    directory: &Directory,
    read: &mut ReadFile<'_>,
    take: &mut dyn FnMut(&[u8]) -> Result<bool, StoreError>,
) -> Result<bool, StoreError> {
    let mut piece = directory.encode();
    for (number, file) in directory.files.iter().enumerate() {
        let bytes = read(number)?;
        piece.extend_from_slice(&bytes);
        let zeros = file.end() - file.offset - file.len_bytes;
        piece.resize(piece.len() + zeros as usize, 0);
        if piece.len() >= PIECE_BYTES {
            if !take(&piece)? {
                return Ok(false);
            }
            piece.clear();
        }
    }
    if piece.is_empty() { Ok(true) } else { take(&piece) }
}
