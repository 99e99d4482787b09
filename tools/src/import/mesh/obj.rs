//! Wavefront OBJ: vertices and faces only. Coordinates are taken unchanged: metres, +Y up.
//!
//! Ignored lines (normals, texture coordinates, groups, materials) may have any content, and files that they
//! name are not opened.

use std::str::FromStr;

use glam::Vec3;
use marchland_terrain::props::MeshSource;

use super::error::MeshProblem;
use super::limits::{TRIANGLES_MAX, VERTICES_MAX};

/// Reads a whole file, and returns notes on what was ignored.
pub(super) fn read(bytes: &[u8]) -> Result<(MeshSource, Vec<String>), MeshProblem> {
    let mut reader = Reader::default();
    let mut joined: Vec<u8> = Vec::new();
    for (number, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        reader.line = number as u64 + 1;
        let line = line.trim_ascii();
        // A backslash at the end continues the line.
        if let Some(part) = line.strip_suffix(b"\\") {
            joined.extend_from_slice(part);
            joined.push(b' ');
            continue;
        }
        if joined.is_empty() {
            reader.read(line)?;
        } else {
            joined.extend_from_slice(line);
            reader.read(&joined)?;
            joined.clear();
        }
    }
    if !joined.is_empty() {
        reader.read(&joined)?;
    }
    reader.finish()
}

#[derive(Default)]
struct Reader {
    mesh: MeshSource,
    /// Current line, from 1.
    line: u64,
    /// The greatest vertex index named by a face before that vertex existed, and the line.
    ahead: Option<(u64, u64)>,
    /// Number of ignored line, point, curve and surface elements.
    skipped: u64,
}

impl Reader {
    fn read(&mut self, line: &[u8]) -> Result<(), MeshProblem> {
        let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        match words.next() {
            Some(b"v") => self.vertex(words),
            Some(b"f" | b"fo") => self.face(words),
            Some(b"l" | b"p" | b"curv" | b"curv2" | b"surf") => {
                self.skipped += 1;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// `v x y z`; further numbers are a weight or a colour.
    fn vertex<'a>(&mut self, mut words: impl Iterator<Item = &'a [u8]>) -> Result<(), MeshProblem> {
        let mut metres = [0.0; 3];
        for (axis, part) in ["x", "y", "z"].into_iter().zip(&mut metres) {
            let Some(word) = words.next() else {
                return Err(self.fault(format!("no {axis}, expected three coordinates")));
            };
            *part = match number::<f32>(word) {
                Some(found) if found.is_finite() => found,
                _ => {
                    let word = shown(word);
                    return Err(self.fault(format!("{axis} is `{word}`, expected a finite number")));
                }
            };
        }
        self.check_room("vertices", self.mesh.vertices.len(), VERTICES_MAX)?;
        self.mesh.vertices.push(Vec3::from_array(metres));
        Ok(())
    }

    /// `f a/… b/… c/… …`, counted from 1, or from the last vertex backwards: a fan of triangles.
    fn face<'a>(&mut self, words: impl Iterator<Item = &'a [u8]>) -> Result<(), MeshProblem> {
        let (mut corners, mut first, mut last) = (0_usize, 0, 0);
        for word in words {
            if word.starts_with(b"#") {
                break;
            }
            let corner = self.corner(word)?;
            match corners {
                0 => first = corner,
                1 => {}
                _ => {
                    self.check_room("triangles", self.mesh.triangles.len(), TRIANGLES_MAX)?;
                    self.mesh.triangles.push([first, last, corner]);
                }
            }
            last = corner;
            corners += 1;
        }
        if corners < 3 {
            return Err(self.fault(format!("a face of {corners} corners, expected at least 3")));
        }
        Ok(())
    }

    fn corner(&mut self, word: &[u8]) -> Result<u32, MeshProblem> {
        let have = self.mesh.vertices.len() as u64;
        let vertex = word.split(|&byte| byte == b'/').next().unwrap_or_default();
        let index = match number::<i64>(vertex) {
            Some(number @ 1..) => number.unsigned_abs() - 1,
            Some(number @ ..=-1) if number.unsigned_abs() <= have => have - number.unsigned_abs(),
            Some(0) | None => {
                let word = shown(word);
                return Err(self.fault(format!("corner `{word}`, expected a vertex number")));
            }
            Some(number) => {
                return Err(self.fault(format!("vertex {number}, but only {have} precede it")));
            }
        };
        if index >= VERTICES_MAX {
            let number = index + 1;
            return Err(self.fault(format!("vertex {number}, expected at most {VERTICES_MAX}")));
        }
        // A face may name vertices that come later in the file.
        if index >= have && self.ahead.is_none_or(|(most, _)| index + 1 > most) {
            self.ahead = Some((index + 1, self.line));
        }
        Ok(index as u32)
    }

    fn finish(self) -> Result<(MeshSource, Vec<String>), MeshProblem> {
        let have = self.mesh.vertices.len() as u64;
        if let Some((most, line)) = self.ahead
            && most > have
        {
            let what = format!("vertex {most}, but the file has {have}");
            return Err(MeshProblem::Line { line, what });
        }
        if self.mesh.triangles.is_empty() {
            return Err(MeshProblem::Empty);
        }
        let note = format!("ignored lines, points and curves: {}", self.skipped);
        Ok((self.mesh, if self.skipped > 0 { vec![note] } else { Vec::new() }))
    }

    /// Checks that there is room for one more.
    fn check_room(&self, what: &'static str, have: usize, limit: u64) -> Result<(), MeshProblem> {
        MeshProblem::check_many(|| format!("line {}", self.line), what, have as u64 + 1, limit)
    }

    fn fault(&self, what: String) -> MeshProblem {
        MeshProblem::Line { line: self.line, what }
    }
}

fn number<T: FromStr>(word: &[u8]) -> Option<T> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

/// A word of the file as shown in messages.
fn shown(word: &[u8]) -> String {
    let short: String = String::from_utf8_lossy(word).chars().take(SHOWN_CHARS).collect();
    short.escape_debug().to_string()
}

/// Characters of an invalid word shown in messages.
const SHOWN_CHARS: usize = 40;
