//! The taking away of what nobody needs: unfinished files, old manifests, sector files that no kept
//! manifest names.

use super::error::StoreError;
use super::folder::Folder;
use super::manifest::Manifest;
use super::names::{self, TEMP_SUFFIX};

/// Removes what a bake that was killed left under unfinished names.
pub(super) fn remove_unfinished(folder: &Folder) -> Result<(), StoreError> {
    let is_manifest = |name: &str| names::parse_manifest(name).is_some();
    let is_sector = |name: &str| names::parse_sector(name).is_some();
    let remove = |path: &str, name: &str, is_ours: &dyn Fn(&str) -> bool| {
        let is_unfinished = name.strip_suffix(TEMP_SUFFIX).is_some_and(is_ours);
        if is_unfinished { folder.remove_file(path) } else { Ok(()) }
    };
    for name in folder.list("")? {
        remove(&name, &name, &is_manifest)?;
    }
    for block in folder.block_folders()? {
        for name in folder.list(&block)? {
            remove(&format!("{block}/{name}"), &name, &is_sector)?;
        }
    }
    Ok(())
}

/// Removes the manifests that are neither among the two newest nor open in a reader, then the
/// sector files that none of the remaining ones names. Gives the number of files removed.
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
    // A damaged manifest that somebody has open names files that cannot be told.
    if knows_all {
        for block in folder.block_folders()? {
            removed += remove_unnamed(folder, &block, &kept)?;
        }
    }
    Ok(removed)
}

/// Removes a file unless somebody has it locked. The lock is held until the name is gone, so
/// that a reader either has it before, or finds the name gone after.
fn remove_unlocked(folder: &Folder, name: &str) -> Result<bool, StoreError> {
    let file = folder.run("open", name, |storage| storage.open(name))?;
    // Where locking fails, nobody can tell who reads it.
    if !file.try_lock_exclusive().unwrap_or(false) {
        return Ok(false);
    }
    folder.remove_file(name)?;
    Ok(true)
}

fn remove_unnamed(folder: &Folder, block: &str, kept: &[Manifest]) -> Result<u64, StoreError> {
    let names = folder.list(block)?;
    let mut removed = 0;
    for name in &names {
        let Some((coord, hash)) = names::parse_sector(name) else { continue };
        let mut is_named = false;
        for manifest in kept {
            is_named |= match manifest.find(coord) {
                Ok(found) => found.is_some_and(|r| (r.content_hash >> 64) as u64 == hash),
                Err(error) if error.is_io() => return Err(error),
                // It may be named in the part that is damaged.
                Err(_) => true,
            };
        }
        if !is_named {
            folder.remove_file(&format!("{block}/{name}"))?;
            removed += 1;
        }
    }
    if removed == names.len() as u64 {
        // An empty folder left behind does no harm.
        let _ = folder.storage().remove_folder(block);
    }
    Ok(removed)
}
