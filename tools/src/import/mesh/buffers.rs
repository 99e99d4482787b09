//! The bytes behind a glTF: a chunk of its GLB, embedded in its JSON, or in files beside it.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::document::{Document, View};
use super::error::{BufferFault, MeshProblem};
use super::inside;
use super::limits::{FILE_BYTES_MAX, JSON_BYTES_MAX};

/// A GLB or a JSON text, split: the position of the JSON and of the binary chunk.
pub(super) struct Container {
    pub(super) bytes: Vec<u8>,
    pub(super) json: Range<usize>,
    pub(super) chunk: Option<Range<usize>>,
}

/// The first four bytes of a GLB.
pub(super) const GLB_MAGIC: &[u8; 4] = b"glTF";

impl Container {
    /// Splits a file. Bytes that do not begin as a GLB are JSON.
    pub(super) fn new(bytes: Vec<u8>) -> Result<Self, MeshProblem> {
        let (json, chunk) =
            if bytes.starts_with(GLB_MAGIC) { split_glb(&bytes)? } else { (0..bytes.len(), None) };
        MeshProblem::check_bytes("JSON", json.len() as u64, JSON_BYTES_MAX)?;
        Ok(Self { bytes, json, chunk })
    }

    pub(super) fn json(&self) -> &[u8] {
        self.bytes.get(self.json.clone()).unwrap_or_default()
    }
}

/// The JSON and the binary chunk of a GLB: a header of three words, then chunks, each a length, a
/// kind and its bytes.
fn split_glb(bytes: &[u8]) -> Result<(Range<usize>, Option<Range<usize>>), MeshProblem> {
    let fault = |what: String| MeshProblem::Glb(what);
    let word = |at: usize| {
        let word = bytes.get(at..).and_then(|rest| rest.first_chunk::<4>());
        word.map(|word| u32::from_le_bytes(*word))
    };
    let header = (word(4), word(8));
    let (Some(version), Some(len)) = header else {
        return Err(fault(format!("{} bytes, expected a header of 12 bytes", bytes.len())));
    };
    if version != 2 {
        return Err(MeshProblem::Version { found: version.to_string() });
    }
    if len as usize != bytes.len() {
        let have = bytes.len();
        return Err(fault(format!("the header specifies {len} bytes, the file has {have}")));
    }
    let (mut at, mut json, mut chunk) = (12, None, None);
    while at < bytes.len() {
        let (Some(len), Some(kind)) = (word(at), word(at + 4)) else {
            return Err(fault(format!("incomplete chunk header at byte {at}")));
        };
        let begin = at + 8;
        let have = bytes.len() - begin;
        if len as usize > have {
            let what = format!("the chunk at byte {at} has {len} bytes, but {have} are left");
            return Err(fault(what));
        }
        let range = begin..begin + len as usize;
        at = range.end;
        match kind {
            KIND_JSON if json.is_none() => json = Some(range),
            _ if json.is_none() => {
                return Err(fault(format!("the first chunk is {kind:#010x}, expected JSON")));
            }
            KIND_BIN if chunk.is_none() => chunk = Some(range),
            // Unknown kinds are skipped.
            _ => {}
        }
    }
    Ok((json.ok_or_else(|| fault("no chunks, expected JSON".to_owned()))?, chunk))
}

const KIND_JSON: u32 = 0x4E4F_534A;
const KIND_BIN: u32 = 0x004E_4942;

/// The sources of buffers, and those that have been read. Each is read when it is first needed, so a
/// buffer used only by pictures may be missing.
pub(super) struct Buffers {
    /// Links must not lead out of this folder.
    pub(super) root: PathBuf,
    /// Names refer to files in this folder.
    pub(super) beside: PathBuf,
    pub(super) container: Container,
    /// By index.
    pub(super) read: BTreeMap<usize, Bytes>,
    /// Total bytes of the buffers read.
    pub(super) total_bytes: u64,
    /// Files read.
    pub(super) files: Vec<PathBuf>,
}

pub(super) enum Bytes {
    Chunk,
    Own(Vec<u8>),
}

impl Buffers {
    pub(super) fn new(container: Container, root: &Path, beside: &Path) -> Self {
        Self {
            root: root.to_owned(),
            beside: beside.to_owned(),
            container,
            read: BTreeMap::new(),
            total_bytes: 0,
            files: Vec::new(),
        }
    }

    /// The bytes of a view, and the view.
    pub(super) fn view<'a>(
        &'a mut self,
        document: &'a Document,
        from: impl Fn() -> String,
        index: usize,
    ) -> Result<(&'a View, &'a [u8]), MeshProblem> {
        let view = MeshProblem::find(&document.buffer_views, "buffer view", index, from)?;
        let buffer = self.buffer(document, index, view)?;
        let end = view.byte_offset.checked_add(view.byte_length);
        let range = end.and_then(|end| {
            Some(usize::try_from(view.byte_offset).ok()?..usize::try_from(end).ok()?)
        });
        match range.and_then(|range| buffer.get(range)) {
            Some(bytes) => Ok((view, bytes)),
            None => Err(MeshProblem::View {
                view: index,
                offset: view.byte_offset,
                len_bytes: view.byte_length,
                buffer: view.buffer,
                have: buffer.len() as u64,
            }),
        }
    }

    /// The buffer of a view, with the length that the file specifies.
    fn buffer(
        &mut self,
        document: &Document,
        number: usize,
        view: &View,
    ) -> Result<&[u8], MeshProblem> {
        let index = view.buffer;
        let from = || format!("buffer view {number}");
        let buffer = MeshProblem::find(&document.buffers, "buffer", index, from)?;
        let fault = |fault| MeshProblem::Buffer { buffer: index, fault };
        if !self.read.contains_key(&index) {
            let loaded = self.load(index, buffer.uri.as_deref(), view.extensions.meshopt.is_some());
            let loaded = loaded.map_err(fault)?;
            if let Bytes::Own(bytes) = &loaded {
                self.total_bytes += bytes.len() as u64;
                MeshProblem::check_bytes("buffers", self.total_bytes, FILE_BYTES_MAX)?;
            }
            self.read.insert(index, loaded);
        }
        let bytes = match self.read.get(&index) {
            Some(Bytes::Own(bytes)) => bytes.as_slice(),
            Some(Bytes::Chunk) => {
                let chunk = self.container.chunk.clone().unwrap_or_default();
                self.container.bytes.get(chunk).unwrap_or_default()
            }
            None => &[],
        };
        let need = buffer.byte_length;
        let whole = usize::try_from(need).ok().and_then(|need| bytes.get(..need));
        whole.ok_or_else(|| fault(BufferFault::Short { have: bytes.len() as u64, need }))
    }

    fn load(
        &mut self,
        index: usize,
        uri: Option<&str>,
        compressed: bool,
    ) -> Result<Bytes, BufferFault> {
        let Some(uri) = uri else {
            return match &self.container.chunk {
                Some(_) if index == 0 => Ok(Bytes::Chunk),
                _ if compressed => Err(BufferFault::Compressed("EXT_meshopt_compression")),
                _ => Err(BufferFault::NoBytes),
            };
        };
        if let Some(data) = strip_scheme(uri, "data:") {
            return decode_data(data).map(Bytes::Own).map_err(BufferFault::DataUri);
        }
        let outside =
            |why| BufferFault::Name(Box::new(MeshProblem::Outside { name: uri.to_owned(), why }));
        let name = inside::percent_decoded(uri).map_err(outside)?;
        let read = inside::resolve(&self.root, &self.beside, &name).and_then(|found| {
            let left = FILE_BYTES_MAX.saturating_sub(self.total_bytes);
            let bytes = inside::read(&found.real, "a file", left)?;
            Ok((found.shown, bytes))
        });
        match read {
            Ok((path, bytes)) => {
                self.files.push(path);
                Ok(Bytes::Own(bytes))
            }
            Err(problem @ MeshProblem::Outside { .. }) => Err(BufferFault::Name(Box::new(problem))),
            Err(problem) => Err(BufferFault::File { name, problem: Box::new(problem) }),
        }
    }
}

/// The part after a scheme, in upper or lower case.
fn strip_scheme<'a>(uri: &'a str, scheme: &str) -> Option<&'a str> {
    let (head, rest) = uri.split_at_checked(scheme.len())?;
    head.eq_ignore_ascii_case(scheme).then_some(rest)
}

/// The bytes of `MEDIA-TYPE;base64,LETTERS`, the part after `data:`.
fn decode_data(data: &str) -> Result<Vec<u8>, String> {
    let (head, letters) = data.split_once(',').ok_or("no comma, expected `;base64,`")?;
    if !head.to_ascii_lowercase().ends_with(";base64") {
        return Err("not in base64, expected `;base64,`".to_owned());
    }
    // Some writers omit the padding.
    let config =
        GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    GeneralPurpose::new(&STANDARD, config).decode(letters).map_err(|e| e.to_string().to_lowercase())
}
