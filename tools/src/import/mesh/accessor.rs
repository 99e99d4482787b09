//! Converts accessors to positions and indices, after every number in them has been checked.
//!
//! ```text
//! buffer  [ . . . . . . . . . . . . . . . . . . . . . . . . ]   byteLength, and the bytes there are
//! view        [ byteOffset, byteLength                  ]       within the buffer
//! accessor        [e0]..stride..[e1]..stride..[e2]              within the view: offset, count
//! ```
//!
//! All sums are in 64 bits, and a count is bounded before it is multiplied.

use glam::Vec3;

use super::buffers::Buffers;
use super::document::{Accessor, Document, QUANTIZATION, Sparse};
use super::error::{AccessorFault, MeshProblem};
use super::limits::{STRIDE_MAX, TRIANGLES_MAX, VERTICES_MAX};

/// Positions in metres, all finite.
pub(super) fn positions(
    document: &Document,
    buffers: &mut Buffers,
    index: usize,
    from: &str,
) -> Result<Vec<Vec3>, MeshProblem> {
    let accessor = get(document, index, from)?;
    let fault = |fault| MeshProblem::accessor(index, fault);
    let component = check_positions(document, accessor).map_err(fault)?;
    let normalized = accessor.normalized;
    let vertex = |bytes: &[u8]| {
        let mut parts =
            bytes.chunks_exact(component.size()).map(|b| component.metres(b, normalized));
        let mut part = || parts.next().unwrap_or(f32::NAN);
        Vec3::new(part(), part(), part())
    };
    let form = Form { size: 3 * component.size() as u64, tight: false };
    let vertices = elements(document, buffers, index, accessor, form, vertex)?;
    let endless = vertices.iter().enumerate().find(|(_, vertex)| !vertex.is_finite());
    let Some((element, Vec3 { x, y, z })) = endless else { return Ok(vertices) };
    let found = format!("{x}, {y}, {z}");
    Err(fault(AccessorFault::NotFinite { element, found }))
}

/// Indices of vertices, unchecked: the caller checks that the vertices exist.
pub(super) fn indices(
    document: &Document,
    buffers: &mut Buffers,
    index: usize,
    from: &str,
) -> Result<(Vec<u32>, Component), MeshProblem> {
    let accessor = get(document, index, from)?;
    let kinds = |kind: Component| kind.is_index() && !accessor.normalized;
    let component =
        check(accessor, "SCALAR", 3 * TRIANGLES_MAX, kinds, "u8, u16 or u32 for indices")
            .map_err(|fault| MeshProblem::accessor(index, fault))?;
    let form = Form { size: component.size() as u64, tight: true };
    let indices =
        elements(document, buffers, index, accessor, form, |bytes| component.index(bytes))?;
    Ok((indices, component))
}

/// The elements of an accessor: those of its view, or zeros if it has none, with the sparse ones replaced.
fn elements<T: Clone + Default>(
    document: &Document,
    buffers: &mut Buffers,
    index: usize,
    accessor: &Accessor,
    form: Form,
    element: impl Fn(&[u8]) -> T,
) -> Result<Vec<T>, MeshProblem> {
    let count = accessor.count;
    let mut elements = match accessor.buffer_view {
        None => vec![T::default(); count as usize],
        Some(view) => {
            let place = Place { view, offset: accessor.byte_offset, count, form };
            place.read(document, buffers, index, &element)?
        }
    };
    if let Some(sparse) = &accessor.sparse {
        let at = sparse_indices(document, buffers, index, sparse, count)?;
        let (view, offset) = (sparse.values.buffer_view, sparse.values.byte_offset);
        let form = Form { tight: true, ..form };
        let place = Place { view, offset, count: sparse.count, form };
        let values = place.read(document, buffers, index, element)?;
        for (at, value) in at.into_iter().zip(values) {
            if let Some(element) = elements.get_mut(at as usize) {
                *element = value;
            }
        }
    }
    Ok(elements)
}

/// Elements whose values a sparse accessor replaces: ascending, and within range.
fn sparse_indices(
    document: &Document,
    buffers: &mut Buffers,
    index: usize,
    sparse: &Sparse,
    count: u64,
) -> Result<Vec<u32>, MeshProblem> {
    let fault = |fault| MeshProblem::accessor(index, fault);
    let found = sparse.count;
    if found > count {
        return Err(fault(AccessorFault::SparseCount { found, count }));
    }
    let indices = &sparse.indices;
    let component = Component::of(indices.component_type).filter(|kind| kind.is_index());
    let component = component.ok_or_else(|| {
        let found = component_name(indices.component_type);
        fault(AccessorFault::Component { found, expected: "u8, u16 or u32 for sparse indices" })
    })?;
    let place = Place {
        view: indices.buffer_view,
        offset: indices.byte_offset,
        count: found,
        form: Form { size: component.size() as u64, tight: true },
    };
    let at = place.read(document, buffers, index, |bytes| component.index(bytes))?;
    let mut least = 0;
    for (place, &found) in at.iter().enumerate() {
        if u64::from(found) < least || u64::from(found) >= count {
            return Err(fault(AccessorFault::SparseIndex { found, at: place, count }));
        }
        least = u64::from(found) + 1;
    }
    Ok(at)
}

fn get<'a>(document: &'a Document, index: usize, from: &str) -> Result<&'a Accessor, MeshProblem> {
    MeshProblem::find(&document.accessors, "accessor", index, || from.to_owned())
}

fn check_positions(document: &Document, accessor: &Accessor) -> Result<Component, AccessorFault> {
    let quantized = document.extensions_used.iter().any(|name| name == QUANTIZATION);
    let kinds = |component| match component {
        Component::F32 => !accessor.normalized,
        Component::U32 => false,
        _ => quantized,
    };
    let expected = if quantized { "f32, or whole numbers of 8 or 16 bits" } else { "f32" };
    check(accessor, "VEC3", VERTICES_MAX, kinds, expected)
}

/// Checks the type of an accessor's elements, their number, and the kind of their parts.
fn check(
    accessor: &Accessor,
    kind: &'static str,
    limit: u64,
    kinds: impl Fn(Component) -> bool,
    expected: &'static str,
) -> Result<Component, AccessorFault> {
    if accessor.kind != kind {
        return Err(AccessorFault::Type { found: accessor.kind.clone(), expected: kind });
    }
    if accessor.count > limit {
        return Err(AccessorFault::Count { found: accessor.count, limit });
    }
    let component = Component::of(accessor.component_type);
    component.filter(|component| kinds(*component)).ok_or_else(|| {
        let normalized = if accessor.normalized { ", normalized" } else { "" };
        let found = component_name(accessor.component_type) + normalized;
        AccessorFault::Component { found, expected }
    })
}

/// The location of elements. The count is bounded.
struct Place {
    view: usize,
    offset: u64,
    count: u64,
    form: Form,
}

/// How elements lie.
#[derive(Clone, Copy)]
struct Form {
    /// Bytes of an element.
    size: u64,
    /// Whether elements must be adjacent, without a gap.
    tight: bool,
}

impl Place {
    /// Reads every element, if the view holds them all.
    fn read<T>(
        &self,
        document: &Document,
        buffers: &mut Buffers,
        accessor: usize,
        element: impl Fn(&[u8]) -> T,
    ) -> Result<Vec<T>, MeshProblem> {
        let fault = |fault| MeshProblem::accessor(accessor, fault);
        let from = || format!("accessor {accessor}");
        let (view, bytes) = buffers.view(document, from, self.view)?;
        let stride = self.stride(view.byte_stride).map_err(fault)?;
        let Some(last) = self.count.checked_sub(1) else { return Ok(Vec::new()) };
        // At most 2²⁶ elements of at most 252 bytes: only the offset can overflow here.
        let need = self.offset.saturating_add(last * stride + self.form.size);
        let have = bytes.len() as u64;
        if need > have {
            let (count, view) = (self.count, self.view);
            return Err(fault(AccessorFault::Overruns { count, need, view, have }));
        }
        let bytes = bytes.get(self.offset as usize..need as usize).unwrap_or_default();
        let size = self.form.size as usize;
        Ok(bytes
            .chunks(stride as usize)
            .map(|place| element(place.get(..size).unwrap_or(place)))
            .collect())
    }

    fn stride(&self, given: Option<u64>) -> Result<u64, AccessorFault> {
        let Form { size, tight } = self.form;
        let stride = given.unwrap_or(size);
        if (size..=if tight { size } else { STRIDE_MAX }).contains(&stride) {
            return Ok(stride);
        }
        let expected = match tight {
            true => format!("{size}: elements without gaps"),
            false => format!("{size} to {STRIDE_MAX}"),
        };
        Err(AccessorFault::Stride { found: stride, view: self.view, expected })
    }
}

/// The kinds of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Component {
    fn of(code: u64) -> Option<Self> {
        Some(match code {
            5120 => Self::I8,
            5121 => Self::U8,
            5122 => Self::I16,
            5123 => Self::U16,
            5125 => Self::U32,
            5126 => Self::F32,
            _ => return None,
        })
    }

    fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }

    fn is_index(self) -> bool {
        matches!(self, Self::U8 | Self::U16 | Self::U32)
    }

    /// The greatest index, which glTF reserves for the restart of a strip.
    pub(super) fn restart(self) -> u32 {
        match self {
            Self::U8 => u32::from(u8::MAX),
            Self::U16 => u32::from(u16::MAX),
            _ => u32::MAX,
        }
    }

    /// An index from its bytes, little-endian.
    fn index(self, bytes: &[u8]) -> u32 {
        match *bytes {
            [a] => u32::from(a),
            [a, b] => u32::from(u16::from_le_bytes([a, b])),
            [a, b, c, d] => u32::from_le_bytes([a, b, c, d]),
            _ => u32::MAX,
        }
    }

    /// A coordinate from its bytes; normalized whole numbers span −1 to 1.
    fn metres(self, bytes: &[u8], normalized: bool) -> f32 {
        let signed = |value: f32, most: f32| match normalized {
            true if value < -most => -1.0,
            true => value / most,
            false => value,
        };
        match (self, bytes) {
            (Self::I8, &[a]) => signed(f32::from(a as i8), f32::from(i8::MAX)),
            (Self::U8, &[a]) => signed(f32::from(a), f32::from(u8::MAX)),
            (Self::I16, &[a, b]) => {
                signed(f32::from(i16::from_le_bytes([a, b])), f32::from(i16::MAX))
            }
            (Self::U16, &[a, b]) => {
                signed(f32::from(u16::from_le_bytes([a, b])), f32::from(u16::MAX))
            }
            (Self::F32, &[a, b, c, d]) => f32::from_le_bytes([a, b, c, d]),
            _ => f32::NAN,
        }
    }
}

fn component_name(code: u64) -> String {
    let Some(component) = Component::of(code) else { return code.to_string() };
    let name = format!("{component:?}").to_lowercase();
    format!("{code} ({name})")
}
