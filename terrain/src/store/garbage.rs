//! Removal of unneeded files: unfinished files, old manifests, and sector and mesh files that no
//! kept manifest names.

use super::error::{StoreError, if_sound};
use super::folder::Folder;
use super::manifest::Manifest;
use super::names::{self, TEMP_SUFFIX};

/// Removes what a killed bake left under unfinished names.
pub(super) fn remove_unfinished(folder: &Folder) -> Result<(), StoreError> {
    let remove = |path: &str, name: &str, is_ours: fn(&str) -> bool| {
        let is_unfinished = name.strip_suffix(TEMP_SUFFIX).is_some_and(is_ours);
        if is_unfinished { folder.remove_file(path) } else { Ok(()) }
    };
    for name in folder.list("")? {
        remove(&name, &name, |name| names::parse_manifest(name).is_some())?;
    }
    let is_sector: fn(&str) -> bool = |name| names::parse_sector(name).is_some();
    let is_mesh: fn(&str) -> bool = |name| names::parse_mesh(name).is_some();
    for (within, is_ours) in [(names::SECTORS, is_sector), (names::MESHES, is_mesh)] {
        for inner in folder.inner_folders(within)? {
            for name in folder.list(&inner)? {
                remove(&format!("{inner}/{name}"), &name, is_ours)?;
            }
        }
    }
    remove_spooled(folder)
}

/// Removes everything that was spooled.
pub(super) fn remove_spooled(folder: &Folder) -> Result<(), StoreError> {
    let blocks = folder.list(names::SPOOL)?;
    for block in blocks.iter().filter(|name| names::is_block_folder(name)) {
        let block = format!("{}/{block}", names::SPOOL);
        for name in folder.list(&block)?.iter().filter(|name| names::is_spooled(name)) {
            folder.remove_file(&format!("{block}/{name}"))?;
        }
        // An empty folder left behind is harmless.
        let _ = folder.storage.remove_folder(&block);
    }
    if !blocks.is_empty() {
        let _ = folder.storage.remove_folder(names::SPOOL);
    }
    Ok(())
}

/// Removes the manifests that are neither among the two newest nor open in a reader, then the
/// sector and mesh files that none of the remaining ones names. Returns the number of files
/// removed.
pub(super) fn remove_unneeded(folder: &Folder) -> Result<u64, StoreError> {
    let mut kept = Vec::new();
    let mut removed = 0;
    let mut knows_all = true;
    for generation in folder.generations()?.into_iter().rev() {
        let manifest = folder.open_sound_manifest(generation)?;
        let is_new = kept.len() < 2 && manifest.is_some();
        if !is_new && remove_unlocked(folder, &names::manifest(generation))? {
            removed += 1;
            continue;
        }
        knows_all &= manifest.is_some();
        kept.extend(manifest);
    }
    // The files that a damaged manifest names are unknown, and a reader may have it open.
    if knows_all {
        for block in folder.inner_folders(names::SECTORS)? {
            removed += remove_unnamed(folder, &block, |name| names_sector(&kept, name))?;
        }
        for meshes in folder.inner_folders(names::MESHES)? {
            removed += remove_unnamed(folder, &meshes, |name| names_mesh(&kept, name))?;
        }
    }
    Ok(removed)
}

/// Removes a file unless it is locked. The lock is held until the name is gone: a reader either has
/// the file before, or finds the name gone after.
fn remove_unlocked(folder: &Folder, name: &str) -> Result<bool, StoreError> {
    let file = folder.run("open", name, |storage| storage.open(name))?;
    // Where locking fails, readers cannot be detected.
    if !file.try_lock_exclusive().unwrap_or(false) {
        return Ok(false);
    }
    folder.remove_file(name)?;
    Ok(true)
}

/// Removes the files of a folder that are ours and not named; `is_named` decides both and returns
/// `None` for a file that is not ours.
fn remove_unnamed(
    folder: &Folder,
    within: &str,
    is_named: impl Fn(&str) -> Result<Option<bool>, StoreError>,
) -> Result<u64, StoreError> {
    let names = folder.list(within)?;
    let mut removed = 0;
    for name in &names {
        if is_named(name)? == Some(false) {
            folder.remove_file(&format!("{within}/{name}"))?;
            removed += 1;
        }
    }
    if removed == names.len() as u64 {
        // An empty folder left behind is harmless.
        let _ = folder.storage.remove_folder(within);
    }
    Ok(removed)
}

fn names_sector(manifests: &[Manifest], name: &str) -> Result<Option<bool>, StoreError> {
    let Some((coord, hash)) = names::parse_sector(name) else { return Ok(None) };
    let is_it = |manifest: &Manifest| {
        let found = manifest.find(coord)?;
        Ok(found.is_some_and(|record| (record.content_hash >> 64) as u64 == hash))
    };
    any_names(manifests, is_it).map(Some)
}

fn names_mesh(manifests: &[Manifest], name: &str) -> Result<Option<bool>, StoreError> {
    let Some(hash) = names::parse_mesh(name) else { return Ok(None) };
    any_names(manifests, |manifest| Ok(manifest.find_mesh(hash)?.is_some())).map(Some)
}

/// Whether any manifest names a file, or may name it in a part that is damaged.
fn any_names(
    manifests: &[Manifest],
    names: impl Fn(&Manifest) -> Result<bool, StoreError>,
) -> Result<bool, StoreError> {
    let mut is_named = false;
    for manifest in manifests {
        is_named |= if_sound(names(manifest))?.unwrap_or(true);
    }
    Ok(is_named)
}
