//! Checks packs apart from the files in them: a valid directory, and zeros between files.

use super::error::PackError;
use super::layout::Directory;
use crate::store::error::StoreError;
use crate::store::folder::Folder;
use crate::store::names;
use crate::store::problem::{Problem, VerifyReport};
use crate::store::storage::StoredFile;
use crate::store::world::World;

/// Checks all packs of a world; a world that is not packed has none.
pub(crate) fn check_packs(world: &World, report: &mut VerifyReport) -> Result<(), StoreError> {
    let folder = &world.files().folder;
    let of_sectors = folder.inner_folders(names::SECTORS)?;
    for of in of_sectors.into_iter().chain(folder.inner_folders(names::MESHES)?) {
        let pack = names::pack_of(&of);
        if folder.len_bytes(&pack)?.is_none() {
            continue;
        }
        if let Err(error) = check_pack(folder, &pack) {
            report.add(Problem::Pack { error });
        }
    }
    Ok(())
}

fn check_pack(folder: &Folder, path: &str) -> Result<(), StoreError> {
    let Some(id) = names::pack_id(path) else { return Ok(()) };
    let full_path = || folder.storage.full_path(path);
    let file = folder.run("open", path, |storage| storage.open(path))?;
    let directory = folder.run("read", path, |_| Directory::read(&*file, id, full_path))?;
    for packed in directory.files {
        let begin = packed.offset + packed.len_bytes;
        let zeros = folder.run("read", path, |_| first_not_zero(&*file, begin, packed.end()))?;
        if let Some((offset, found)) = zeros {
            let source = PackError::Padding { offset, found };
            return Err(StoreError::Pack { path: full_path(), source });
        }
    }
    Ok(())
}

/// The first byte of a stretch, shorter than a page, that is not zero.
fn first_not_zero(
    file: &dyn StoredFile,
    begin: u64,
    end: u64,
) -> std::io::Result<Option<(u64, u8)>> {
    let mut bytes = vec![0; (end - begin) as usize];
    file.read_exact_at(begin, &mut bytes)?;
    let at = bytes.iter().position(|&byte| byte != 0);
    Ok(at.map(|at| (begin + at as u64, bytes[at])))
}
