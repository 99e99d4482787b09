//! What a world was baked from, stored in its manifest. It has no paths and no times, so the same
//! bake gives the same bytes anywhere.

use super::error::{ManifestError, ManifestPart};

/// Most bytes of a record in a manifest.
pub(crate) const RECORD_BYTES_MAX: u64 = 16 << 20;
/// Most bytes of a source's name.
const NAME_BYTES_MAX: usize = u16::MAX as usize;

/// What a world was baked from: equal records mean equal worlds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BakeRecord {
    /// The version of the bake: a different one may give different bytes for the same sources.
    pub bake_version: u32,
    /// The sources, in the order in which the bake names them.
    pub sources: Vec<SourceHash>,
    /// Everything else that the result depends on, as canonical text.
    pub settings: String,
}

/// One source of a bake.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceHash {
    /// The file's bare name, or its role; never a path.
    pub name: String,
    /// A hash of all its bytes.
    pub hash: u128,
}

/// The bytes of a record: version, number of sources, hash and name of each source, and the
/// settings.
pub(crate) fn encode(record: &BakeRecord) -> Result<Vec<u8>, ManifestError> {
    let mut bytes = Vec::new();
    bytes.extend(record.bake_version.to_le_bytes());
    bytes.extend((record.sources.len() as u32).to_le_bytes());
    for source in &record.sources {
        check_limit("bytes of a source's name", source.name.len() as u64, NAME_BYTES_MAX as u64)?;
        bytes.extend(source.hash.to_le_bytes());
        bytes.extend((source.name.len() as u16).to_le_bytes());
        bytes.extend(source.name.as_bytes());
    }
    bytes.extend((record.settings.len() as u32).to_le_bytes());
    bytes.extend(record.settings.as_bytes());
    check_limit("bytes of the bake record", bytes.len() as u64, RECORD_BYTES_MAX)?;
    Ok(bytes)
}

/// Decodes a record.
pub(crate) fn decode(bytes: &[u8]) -> Result<BakeRecord, ManifestError> {
    let mut reader = Reader { part: ManifestPart::Record, bytes, at: 0 };
    let bake_version = u32::from_le_bytes(reader.array()?);
    let count = u32::from_le_bytes(reader.array()?);
    let mut sources = Vec::new();
    for _ in 0..count {
        let hash = u128::from_le_bytes(reader.array()?);
        let name_bytes = u16::from_le_bytes(reader.array()?);
        sources.push(SourceHash { name: reader.text(usize::from(name_bytes))?, hash });
    }
    let settings_bytes = u32::from_le_bytes(reader.array()?);
    let settings = reader.text(usize::try_from(settings_bytes).unwrap_or(usize::MAX))?;
    reader.end()?;
    Ok(BakeRecord { bake_version, sources, settings })
}

/// Fails where a number exceeds a limit of the manifest.
pub(crate) fn check_limit(what: &'static str, found: u64, max: u64) -> Result<(), ManifestError> {
    if found <= max { Ok(()) } else { Err(ManifestError::Limit { what, found, max }) }
}

/// Reads values from the front of a part of a manifest and checks every length.
pub(crate) struct Reader<'a> {
    pub(crate) part: ManifestPart,
    pub(crate) bytes: &'a [u8],
    pub(crate) at: usize,
}

impl Reader<'_> {
    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], ManifestError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    pub(crate) fn text(&mut self, bytes: usize) -> Result<String, ManifestError> {
        let (part, at) = (self.part, self.at);
        let text = str::from_utf8(self.take(bytes)?).map_err(|error| ManifestError::Value {
            part,
            field: "first byte that is not UTF-8",
            found: (at + error.valid_up_to()) as i128,
            expected: "none",
        })?;
        Ok(text.to_owned())
    }

    /// Fails unless everything was read.
    pub(crate) fn end(self) -> Result<(), ManifestError> {
        let left = self.bytes.len() - self.at;
        if left == 0 {
            return Ok(());
        }
        Err(ManifestError::Value {
            part: self.part,
            field: "bytes after the last value",
            found: left as i128,
            expected: "none",
        })
    }

    fn take(&mut self, bytes: usize) -> Result<&[u8], ManifestError> {
        let end = self.at.saturating_add(bytes);
        let taken = self.bytes.get(self.at..end).ok_or(ManifestError::Truncated {
            part: self.part,
            need_bytes: end as u64,
            have_bytes: self.bytes.len() as u64,
        })?;
        self.at = end;
        Ok(taken)
    }
}
