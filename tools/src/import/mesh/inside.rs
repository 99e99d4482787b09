//! Resolves names of files inside a folder, and rejects all others.
//!
//! A name comes from an untrusted file. It is checked first as text, then by its target after
//! symlinks are followed, and only then is anything opened.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use super::error::MeshProblem;

/// A file inside the folder.
pub(crate) struct InnerFile {
    /// Its path as shown in messages.
    pub(crate) shown: PathBuf,
    /// Its path without links, which is the one to open.
    pub(crate) real: PathBuf,
}

/// The file with a plain relative name in the folder `beside`, which must not lead out of `root`.
///
/// # Errors
/// If the name is not plain and relative, leads out of the root, or does not refer to a plain file.
pub(crate) fn resolve(root: &Path, beside: &Path, name: &str) -> Result<InnerFile, MeshProblem> {
    let outside = |why| MeshProblem::Outside { name: name.to_owned(), why };
    let parts = plain_parts(name).map_err(outside)?;
    let mut shown = beside.to_owned();
    shown.extend(parts);
    let look = |path: &Path| {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        path.canonicalize().map_err(|e| MeshProblem::io("open", e))
    };
    let real = look(&shown)?;
    if !real.starts_with(look(root)?) {
        return Err(outside("leads out of the folder through a link"));
    }
    // A pipe would never end, and a folder cannot be read.
    if !real.is_file() {
        return Err(MeshProblem::NotAFile);
    }
    Ok(InnerFile { shown, real })
}

/// The parts of a name, if it cannot lead out of a folder on any system.
fn plain_parts(name: &str) -> Result<Vec<&str>, &'static str> {
    let faults = [
        (name.is_empty(), "is empty"),
        (name.contains(':'), "has a scheme or a drive letter"),
        (name.contains('\\'), "contains a backslash"),
        (name.contains(char::is_control), "contains a control character"),
        (name.starts_with('/'), "is absolute"),
    ];
    if let Some((_, fault)) = faults.into_iter().find(|(is_there, _)| *is_there) {
        return Err(fault);
    }
    let mut parts = Vec::new();
    for part in name.split('/') {
        match part {
            "" => return Err("has an empty part"),
            "." => {}
            ".." => return Err("leads upwards"),
            part => parts.push(part),
        }
    }
    if parts.is_empty() { Err("names a folder") } else { Ok(parts) }
}

/// Decodes the %-sequences of a URI.
///
/// # Errors
/// If a sequence is not two hexadecimal digits, or the result is not UTF-8.
pub(crate) fn percent_decoded(uri: &str) -> Result<String, &'static str> {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || {
            rest.next().and_then(|digit| char::from(digit).to_digit(16)).ok_or("contains a stray %")
        };
        let (high, low) = (digit()?, digit()?);
        bytes.push((high * 16 + low) as u8);
    }
    String::from_utf8(bytes).map_err(|_| "is not UTF-8")
}

/// Reads a file's bytes, at most `limit`.
///
/// # Errors
/// If the file is longer, or cannot be read.
pub(crate) fn read(path: &Path, what: &'static str, limit: u64) -> Result<Vec<u8>, MeshProblem> {
    let len = fs::metadata(path).map_err(|e| MeshProblem::io("open", e))?.len();
    MeshProblem::check_bytes(what, len, limit)?;
    let file = File::open(path).map_err(|e| MeshProblem::io("open", e))?;
    let mut bytes = Vec::with_capacity(len as usize);
    // The file may have grown since it was measured.
    file.take(limit + 1).read_to_end(&mut bytes).map_err(|e| MeshProblem::io("read", e))?;
    MeshProblem::check_bytes(what, bytes.len() as u64, limit)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_relative_names_have_parts() {
        for name in ["a.bin", "./a.bin", "sub/a.bin", "sub/./a b.bin", "..a", "a..", "…/ü.bin"] {
            assert!(plain_parts(name).is_ok(), "{name}");
        }
        for name in [
            "",
            ".",
            "./",
            "/a",
            "//a",
            "a//b",
            "..",
            "../a",
            "a/../b",
            "a/..",
            "\\a",
            "..\\a",
            "C:a",
            "c:/a",
            "file:a",
            "http://a/b",
            "a\0b",
            "a\n",
            "a/",
            "a:stream",
        ] {
            assert!(plain_parts(name).is_err(), "{name:?}");
        }
    }

    #[test]
    fn sequences_decode_once() {
        assert_eq!(percent_decoded("a%20b%2ebin").unwrap(), "a b.bin");
        assert_eq!(percent_decoded("%252e").unwrap(), "%2e");
        assert_eq!(percent_decoded("%C3%bc").unwrap(), "ü");
        for uri in ["%", "a%2", "%zz", "%+1", "%ff"] {
            assert!(percent_decoded(uri).is_err(), "{uri}");
        }
    }
}
