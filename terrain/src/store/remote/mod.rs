//! Worlds in an object store or on a web server: S3, Google Cloud Storage, Azure, HTTP, a folder.
//!
//! ```text
//! manifest, pack  read in chunks, as many as are needed, kept in memory
//! sector, mesh    fetched whole into a folder of this machine, then read or mapped there
//! ```
//!
//! Sector and mesh files are named by the hash of their content and never change: what was fetched
//! once stays valid. A connection failure is an error of that one read; a streamer retries. What
//! fails its checks is not kept: the next read fetches it again.

mod cache;
mod cache_files;
mod chunks;
mod connect;
mod waiter;

use std::fmt;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use object_store::path::Path as ObjectPath;
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt};

use super::disk::DiskFile;
use super::names;
use super::storage::{FilePlace, Storage, StoredFile, there};
use cache::Cache;
use chunks::ChunkedFile;
use waiter::{Waiter, plain};

pub use connect::RemoteSettings;

/// A world's folder on a remote store, read only.
///
/// It waits for the network as other storage waits for a disk, on the calling thread, with a runtime of
/// its own. Asynchronous code should call it where blocking is allowed, such as in
/// `tokio::task::spawn_blocking`; elsewhere it blocks the thread. A store given to [`new`](Self::new)
/// whose connections need that very thread then never answers.
///
/// ```no_run
/// use std::sync::Arc;
/// use marchland_terrain::store::{RemoteSettings, RemoteStorage};
/// use marchland_terrain::World;
///
/// let url = "https://example.org/worlds/hills.world";
/// let storage = RemoteStorage::connect(url, "cache", RemoteSettings::default())?;
/// let world = World::open_on(Arc::new(storage))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct RemoteStorage {
    store: Arc<dyn ObjectStore>,
    /// The world's folder in the store.
    folder: ObjectPath,
    /// Its name in messages.
    url: String,
    /// Where the store cannot list its contents: the manifest to open.
    manifest: Option<String>,
    cache: Cache,
    /// Waits for answers; each reading thread waits on its own.
    waiter: Arc<Waiter>,
}

impl RemoteStorage {
    /// A world at a URL: `s3://`, `gs://`, `az://`, `https://`, `http://` or `file://`, with keys and
    /// regions from the usual environment variables of each.
    ///
    /// Files are fetched into the folder `cache`, created if it does not exist. Several worlds may share
    /// it, but only one process may use it. Two kinds of files belong to it and are removed to make room:
    /// those directly in it named `fetching-`, a number and `.tmp`, and those below with exactly the path
    /// of a sector or mesh in a world, `sectors/+000_-001/+003_-001-5f3a91c20b7de846.sector`. Anything
    /// else in the folder is neither counted nor touched, including worlds in folders below; a folder
    /// that itself holds a manifest or a `bake.lock` is refused.
    ///
    /// A web server does not list its files: there the URL may name a manifest,
    /// `…/hills.world/manifest-0000000007`. A server with WebDAV can list them.
    ///
    /// # Errors
    /// If the URL is of another kind, credentials are missing, or the folder cannot be created or
    /// read. With [`StoreError::Occupied`](super::StoreError::Occupied) inside if a world's files
    /// would be taken for fetched ones.
    pub fn connect(
        url: &str,
        cache: impl AsRef<Path>,
        settings: RemoteSettings,
    ) -> io::Result<Self> {
        let (folder_url, manifest) = split_manifest(url);
        let waiter = Arc::new(Waiter::new()?);
        let (store, folder) = {
            let _entered = waiter.enter();
            connect::connect(folder_url, settings)?
        };
        let cache = Cache::open(cache.as_ref(), settings.cache_bytes)?;
        let url = folder_url.trim_end_matches('/').to_owned();
        Ok(Self { store, folder, url, manifest, cache, waiter })
    }

    /// A world in a folder of an already connected store; `cache` is as in
    /// [`connect`](Self::connect).
    ///
    /// # Errors
    /// If the folder for fetched files cannot be created or read, or is that of a world, as with
    /// [`connect`](Self::connect).
    pub fn new(
        store: Arc<dyn ObjectStore>,
        folder: &str,
        cache: impl AsRef<Path>,
        settings: RemoteSettings,
    ) -> io::Result<Self> {
        let cache = Cache::open(cache.as_ref(), settings.cache_bytes)?;
        let (url, folder) = (format!("{store}/{folder}"), ObjectPath::from(folder));
        let waiter = Arc::new(Waiter::new()?);
        Ok(Self { store, folder, url, manifest: None, cache, waiter })
    }

    fn object(&self, path: &str) -> ObjectPath {
        if path.is_empty() {
            return self.folder.clone();
        }
        path.split('/').fold(self.folder.clone(), ObjectPath::join)
    }

    /// A file named by the hash of its content: the local copy, open, and its location. Fetched if it
    /// is not here.
    fn fetched(&self, path: &str) -> io::Result<(File, PathBuf)> {
        self.cache.get(path, || {
            let (store, object) = (Arc::clone(&self.store), self.object(path));
            let fetch = async move { store.get(&object).await?.bytes().await };
            self.waiter.wait(fetch)?.map_err(plain)
        })
    }

    /// The store's metadata of a file.
    fn head(&self, object: ObjectPath) -> io::Result<object_store::Result<ObjectMeta>> {
        let store = Arc::clone(&self.store);
        self.waiter.wait(async move { store.head(&object).await })
    }
}

/// Whether a file never changes because it is named by its content.
fn is_named_by_content(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    names::parse_sector(name).is_some() || names::parse_mesh(name).is_some()
}

/// Splits a URL that names a manifest into its folder's URL and the manifest's name.
fn split_manifest(url: &str) -> (&str, Option<String>) {
    match url.rsplit_once('/') {
        Some((folder, name)) if names::parse_manifest(name).is_some() => {
            (folder, Some(name.to_owned()))
        }
        _ => (url, None),
    }
}

impl Storage for RemoteStorage {
    fn full_path(&self, path: &str) -> PathBuf {
        let slash = if path.is_empty() { "" } else { "/" };
        PathBuf::from(format!("{}{slash}{path}", self.url))
    }

    fn open(&self, path: &str) -> io::Result<Box<dyn StoredFile>> {
        if is_named_by_content(path) {
            let (file, _) = self.fetched(path)?;
            return Ok(Box::new(DiskFile::new(file)));
        }
        let object = self.object(path);
        let meta = self.head(object.clone())?.map_err(plain)?;
        let (store, waiter) = (Arc::clone(&self.store), Arc::clone(&self.waiter));
        Ok(Box::new(ChunkedFile::new(store, object, meta.size, waiter)))
    }

    fn len_bytes(&self, path: &str) -> io::Result<Option<u64>> {
        let meta = there(self.head(self.object(path))?.map_err(plain))?;
        Ok(meta.map(|meta| meta.size))
    }

    fn place(&self, path: &str) -> io::Result<Option<FilePlace>> {
        if !is_named_by_content(path) {
            return Ok(None);
        }
        let (file, path) = self.fetched(path)?;
        let len_bytes = file.metadata()?.len();
        Ok(Some(FilePlace { path, offset: 0, len_bytes }))
    }

    fn distrust(&self, path: &str) {
        self.cache.forget(path);
    }

    fn list(&self, path: &str) -> io::Result<Option<Vec<String>>> {
        if let Some(manifest) = &self.manifest {
            let is_world = path.is_empty();
            return Ok(is_world.then(|| vec![manifest.clone()]));
        }
        let (store, object) = (Arc::clone(&self.store), self.object(path));
        let list = async move { store.list_with_delimiter(Some(&object)).await };
        let list = self.waiter.wait(list)?.map_err(plain)?;
        let files = list.objects.iter().map(|meta| &meta.location);
        let names = files.chain(&list.common_prefixes).filter_map(ObjectPath::filename);
        let mut names: Vec<String> = names.map(str::to_owned).collect();
        names.sort_unstable();
        Ok((!names.is_empty()).then_some(names))
    }
}

impl fmt::Debug for RemoteStorage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteStorage").field("url", &self.url).finish_non_exhaustive()
    }
}
