//! Storage in which a folder of sectors or meshes may be replaced by one pack: readers find the same
//! files under the same names.

use std::collections::{BTreeSet, HashMap};
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use super::layout::{Directory, PackEntry};
use crate::mutex::lock;
use crate::store::names::{self, PackPlace};
use crate::store::storage::{FilePlace, Storage, StoredFile, there};

/// Packs kept open, each with its directory: 32 KiB where a block is full, so 4 MiB, for 131 072
/// sectors. When there are more, the least recently used one is closed.
const OPEN_PACKS_MAX: usize = 128;

/// Storage as a reader sees it. A file outside a pack costs one table look-up. The disk gets no
/// request that it would not get without packs, unless a file is missing.
#[derive(Debug)]
pub(crate) struct PackedStorage {
    inner: Arc<dyn Storage>,
    packs: Mutex<OpenPacks>,
}

#[derive(Debug, Default)]
struct OpenPacks {
    /// By path, with the time of the last use.
    open: HashMap<String, (u64, Arc<OpenPack>)>,
    time: u64,
}

#[derive(Debug)]
struct OpenPack {
    file: Box<dyn StoredFile>,
    directory: Directory,
}

impl PackedStorage {
    pub(crate) fn new(inner: Arc<dyn Storage>) -> Self {
        Self { inner, packs: Mutex::default() }
    }

    /// A single file, or else the one in its pack; `None` if there is neither. An open pack is
    /// searched first.
    fn find<T>(
        &self,
        path: &str,
        by_itself: impl FnOnce() -> io::Result<Option<T>>,
        packed: impl Fn(&PackPlace<'_>, Arc<OpenPack>, PackEntry) -> io::Result<T>,
    ) -> io::Result<Option<T>> {
        let Some(at) = names::in_pack(path) else { return by_itself() };
        let found = |pack: Arc<OpenPack>| {
            let file = pack.directory.find(at.key);
            file.map(|file| packed(&at, pack, file)).transpose()
        };
        if let Some(pack) = self.already_open(&at.pack)
            && let Some(file) = found(pack)?
        {
            return Ok(Some(file));
        }
        if let Some(file) = by_itself()? {
            return Ok(Some(file));
        }
        self.pack(&at.pack)?.map_or(Ok(None), found)
    }

    /// An open pack; `None` if there is no such file. No lock is held while it is read; two threads
    /// may therefore read the same one.
    fn pack(&self, path: &str) -> io::Result<Option<Arc<OpenPack>>> {
        if let Some(pack) = self.already_open(path) {
            return Ok(Some(pack));
        }
        let Some(id) = names::pack_id(path) else { return Ok(None) };
        let Some(file) = there(self.inner.open(path))? else { return Ok(None) };
        let directory = Directory::read(&*file, id, || self.inner.full_path(path))?;
        let pack = Arc::new(OpenPack { file, directory });
        lock(&self.packs).keep(path, &pack);
        Ok(Some(pack))
    }

    fn already_open(&self, path: &str) -> Option<Arc<OpenPack>> {
        lock(&self.packs).get(path)
    }
}

impl OpenPacks {
    fn get(&mut self, path: &str) -> Option<Arc<OpenPack>> {
        let (used, pack) = self.open.get_mut(path)?;
        self.time += 1;
        *used = self.time;
        Some(Arc::clone(pack))
    }

    fn keep(&mut self, path: &str, pack: &Arc<OpenPack>) {
        if self.open.len() >= OPEN_PACKS_MAX
            && let Some((oldest, _)) = self.open.iter().min_by_key(|(_, (used, _))| *used)
        {
            let oldest = oldest.clone();
            self.open.remove(&oldest);
        }
        self.time += 1;
        self.open.insert(path.to_owned(), (self.time, Arc::clone(pack)));
    }
}

impl Storage for PackedStorage {
    /// What is missing or damaged in an open pack is shown as if the pack were a folder.
    fn full_path(&self, path: &str) -> PathBuf {
        match names::in_pack(path) {
            Some(at) if self.already_open(&at.pack).is_some() => {
                self.inner.full_path(&at.pack).join(at.name)
            }
            _ => self.inner.full_path(path),
        }
    }

    fn open(&self, path: &str) -> io::Result<Box<dyn StoredFile>> {
        let packed = |_: &PackPlace<'_>, pack, file| {
            Ok(Box::new(PackedFile { pack, file }) as Box<dyn StoredFile>)
        };
        let found = self.find(path, || there(self.inner.open(path)), packed)?;
        found.ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn len_bytes(&self, path: &str) -> io::Result<Option<u64>> {
        self.find(path, || self.inner.len_bytes(path), |_, _, file| Ok(file.len_bytes))
    }

    fn place(&self, path: &str) -> io::Result<Option<FilePlace>> {
        let packed = |at: &PackPlace<'_>, _, file: PackEntry| {
            let pack = self.inner.place(&at.pack)?;
            Ok(pack.map(|pack| FilePlace {
                path: pack.path,
                offset: pack.offset + file.offset,
                len_bytes: file.len_bytes,
            }))
        };
        let found = self.find(path, || there(self.inner.place(path)), packed)?;
        found.ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// What a pack's open file caches is dropped with the pack, which is opened again on the next
    /// access.
    fn distrust(&self, path: &str) {
        if let Some(at) = names::in_pack(path) {
            lock(&self.packs).open.remove(&at.pack);
        }
        self.inner.distrust(path);
    }

    fn list(&self, path: &str) -> io::Result<Option<Vec<String>>> {
        let listed = self.inner.list(path)?;
        if path == names::SECTORS || path == names::MESHES {
            let unpacked = |name: String| {
                let folder = names::folder_of_pack(path, &name).map(str::to_owned);
                folder.unwrap_or(name)
            };
            let names = |listed: Vec<String>| -> BTreeSet<String> {
                listed.into_iter().map(unpacked).collect()
            };
            return Ok(listed.map(|listed| names(listed).into_iter().collect()));
        }
        let Some(pack) = self.pack(&names::pack_of(path))? else { return Ok(listed) };
        let packed = pack.directory.files.iter();
        let packed = packed.map(|file| names::packed_file(pack.directory.kind(), file.key));
        let names: BTreeSet<_> = listed.into_iter().flatten().chain(packed).collect();
        Ok(Some(names.into_iter().collect()))
    }
}

/// A file in an open pack.
#[derive(Debug)]
struct PackedFile {
    pack: Arc<OpenPack>,
    file: PackEntry,
}

impl StoredFile for PackedFile {
    fn len_bytes(&self) -> io::Result<u64> {
        Ok(self.file.len_bytes)
    }

    fn read_exact_at(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let end = offset.checked_add(out.len() as u64);
        if end.is_none_or(|end| end > self.file.len_bytes) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.pack.file.read_exact_at(self.file.offset + offset, out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::pack::layout::{FILE_ALIGN_BYTES, PackId, PackKind};

    fn pack() -> Arc<OpenPack> {
        let id = PackId::of(PackKind::Meshes, 5);
        let directory = Directory::new(id, [(5, 10), (9, 3)].into_iter()).unwrap();
        let bytes: Vec<u8> = (0..directory.file_bytes()).map(|at| (at % 251) as u8).collect();
        Arc::new(OpenPack { file: Box::new(bytes), directory })
    }

    #[test]
    fn a_packed_file_is_read_from_any_of_its_places_and_no_further() {
        let pack = pack();
        let file = pack.directory.find(5).unwrap();
        assert_eq!((file.offset, file.len_bytes), (FILE_ALIGN_BYTES, 10));
        let file = PackedFile { pack, file };
        let at = |offset: u64| ((FILE_ALIGN_BYTES + offset) % 251) as u8;
        let mut out = [0; 3];
        for offset in [0, 4, 7] {
            file.read_exact_at(offset, &mut out).unwrap();
            assert_eq!(out, [at(offset), at(offset + 1), at(offset + 2)]);
        }
        for offset in [8, 10, u64::MAX] {
            let error = file.read_exact_at(offset, &mut out).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
        }
    }

    #[test]
    fn the_pack_that_was_used_least_lately_is_closed() {
        let (mut packs, pack) = (OpenPacks::default(), pack());
        for number in 0..OPEN_PACKS_MAX {
            packs.keep(&number.to_string(), &pack);
        }
        assert!(packs.get("0").is_some());
        packs.keep("another", &pack);
        assert_eq!(packs.open.len(), OPEN_PACKS_MAX);
        assert!(packs.get("0").is_some() && packs.get("another").is_some());
        assert!(packs.get("1").is_none());
    }
}
