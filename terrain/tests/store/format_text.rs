//! `FORMAT.md` says what the code does: every offset and size in its tables is compared.

use marchland_terrain::error::Section;
use marchland_terrain::layout::{
    manifest, mesh as mesh_layout, pack as pack_layout, sector as layout,
};
use marchland_terrain::props::PROP_SECTORS_MAX;

const TEXT: &str = include_str!("../../FORMAT.md");

/// The rows of the table under a heading, as cells.
fn table(heading: &str) -> Vec<Vec<&'static str>> {
    let begin = TEXT.find(&format!("\n{heading}\n")).unwrap_or_else(|| panic!("no {heading}"));
    TEXT[begin..]
        .lines()
        .skip_while(|line| !line.starts_with('|'))
        .take_while(|line| line.starts_with('|'))
        .skip(2)
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect()
}

fn bytes_of(kind: &str) -> usize {
    match kind {
        "8 bytes" | "u64" => 8,
        "u32" | "i32" => 4,
        "i16" => 2,
        "f32" => 4,
        "u8" | "i8" => 1,
        "2 zeros" => 2,
        "40 zeros" => 40,
        "3 × f32" => 12,
        "4 × f32" => 16,
        "4 × u16" => 8,
        "4 × i32" | "u128" => 16,
        "6 × f32" => 24,
        "4 × u32" => 16,
        "7 zeros" => 7,
        "20 zeros" => 20,
        "24 zeros" => 24,
        "4 zeros" => 4,
        "8 zeros" => 8,
        other => panic!("what is a {other}?"),
    }
}

/// Checks a table of `offset | type | field` against the code's offsets: all of them, in order,
/// without a gap, up to the end.
fn check(heading: &str, code: &[(&str, usize)], begin: usize, end: usize) {
    let rows = table(heading);
    let mut at = begin;
    assert_eq!(rows.len(), code.len(), "{heading}");
    for (row, (name, offset)) in rows.iter().zip(code) {
        assert_eq!(row[0].parse(), Ok(*offset), "{heading}: offset of {name}");
        assert_eq!(at, *offset, "{heading}: gap before {name}");
        assert_eq!(row[2], *name, "{heading}");
        at += bytes_of(row[1]);
    }
    assert_eq!(at, end, "{heading}: the end");
}

#[test]
fn the_sector_header_is_as_described() {
    use layout::field as f;
    check(
        "### Sector header",
        &[
            ("magic", f::MAGIC),
            ("version", f::VERSION),
            ("sections", f::SECTIONS),
            ("file bytes", f::FILE_BYTES),
            ("checksum", f::CHECKSUM),
            ("sector x", f::SECTOR_X),
            ("sector z", f::SECTOR_Z),
            ("cell log2", f::CELL_LOG2),
            ("cells log2", f::CELLS_LOG2),
            ("quantum log2", f::QUANTUM_LOG2),
            ("encoding", f::ENCODING),
            ("base", f::BASE),
            ("covered", f::COVERED),
            ("surface", f::SURFACE),
            ("reserved", f::RESERVED),
        ],
        0,
        layout::HEADER_BYTES,
    );
    use layout::row as r;
    check(
        "### Section table row",
        &[
            ("id", r::ID),
            ("flags", r::FLAGS),
            ("offset", r::OFFSET),
            ("length", r::LENGTH),
            ("checksum", r::CHECKSUM),
        ],
        0,
        layout::TABLE_ROW_BYTES,
    );
}

#[test]
fn packs_are_as_described() {
    use pack_layout::{entry as e, field as f};
    check(
        "### Pack header",
        &[
            ("magic", f::MAGIC),
            ("version", f::VERSION),
            ("kind", f::KIND),
            ("file bytes", f::FILE_BYTES),
            ("checksum", f::CHECKSUM),
            ("common", f::COMMON),
            ("files", f::FILES),
            ("reserved", f::RESERVED),
        ],
        0,
        pack_layout::HEADER_BYTES,
    );
    check(
        "### Pack entry",
        &[("key", e::KEY), ("offset", e::OFFSET), ("length", e::LENGTH)],
        0,
        pack_layout::ENTRY_BYTES,
    );
}

#[test]
fn the_props_are_as_described() {
    use layout::prop as p;
    check(
        "### Prop record",
        &[
            ("owner x", p::OWNER_X),
            ("owner z", p::OWNER_Z),
            ("index", p::INDEX),
            ("mesh", p::MESH),
            ("position", p::POSITION),
            ("rotation", p::ROTATION),
            ("scale", p::SCALE),
            ("layers", p::LAYERS),
            ("surface", p::SURFACE),
            ("collision", p::COLLISION),
            ("reserved", p::RESERVED),
        ],
        0,
        layout::PROP_BYTES,
    );
    use layout::prop_tree as t;
    check(
        "### Prop tree header",
        &[("least", t::MIN), ("greatest", t::MAX), ("reserved", t::RESERVED)],
        0,
        layout::PROP_TREE_HEADER_BYTES,
    );
}

#[test]
fn the_sections_are_as_described() {
    let rows = table("### Sections");
    assert_eq!(rows.len(), layout::SECTIONS.len());
    for (row, (section, id)) in rows.iter().zip(layout::SECTIONS) {
        assert_eq!(row[0].parse(), Ok(id));
        assert_eq!(row[1], section.to_string());
    }
    // The sizes in the table, for a sector of 16 cells: 19² samples, 18² cells, 4 + 1 blocks.
    for (section, narrow, wide) in [
        (Section::Heights, 19 * 19 * 2, 19 * 19 * 4),
        (Section::Holes, 18 * 3, 18 * 3),
        (Section::Outside, 18 * 3, 18 * 3),
        (Section::Surfaces, 16 * 16, 16 * 16),
        (Section::Pyramid, 5 * 4, 5 * 8),
        (Section::Steepness, 4, 4),
    ] {
        assert_eq!(layout::section_bytes(section, 16, false), narrow, "{section}");
        assert_eq!(layout::section_bytes(section, 16, true), wide, "{section}");
    }
}

#[test]
fn the_manifest_is_as_described() {
    use manifest::field as f;
    check(
        "### Manifest header",
        &[
            ("magic", f::MAGIC),
            ("version", f::VERSION),
            ("flags", f::FLAGS),
            ("file bytes", f::FILE_BYTES),
            ("checksum", f::CHECKSUM),
            ("cell log2", f::CELL_LOG2),
            ("cells log2", f::CELLS_LOG2),
            ("quantum log2", f::QUANTUM_LOG2),
            ("index levels", f::LEVELS),
            ("lowest", f::HEIGHT_MIN),
            ("highest", f::HEIGHT_MAX),
            ("names", f::NAMES),
            ("bounds", f::BOUNDS),
            ("sectors", f::SECTORS),
            ("names bytes", f::NAMES_BYTES),
            ("record bytes", f::RECORD_BYTES),
            ("names checksum", f::NAMES_CHECKSUM),
            ("record checksum", f::RECORD_CHECKSUM),
            ("index offset", f::INDEX_OFFSET),
            ("index blocks", f::INDEX_BLOCKS),
            ("sector bytes", f::SECTOR_BYTES),
            ("meshes", f::MESHES),
            ("mesh bytes", f::MESH_BYTES),
            ("meshes checksum", f::MESHES_CHECKSUM),
            ("props", f::PROPS),
            ("unique triangles", f::UNIQUE_TRIANGLES),
            ("placed triangles", f::PLACED_TRIANGLES),
            ("reserved", f::RESERVED),
        ],
        0,
        manifest::HEADER_BYTES,
    );
    use manifest::mesh_entry as m;
    check(
        "### Mesh record",
        &[("hash", m::HASH), ("file bytes", m::FILE_BYTES)],
        0,
        manifest::MESH_RECORD_BYTES,
    );
    use manifest::entry as e;
    check(
        "### Sector record",
        &[
            ("sector x", e::SECTOR_X),
            ("sector z", e::SECTOR_Z),
            ("content hash", e::CONTENT_HASH),
            ("file bytes", e::FILE_BYTES),
            ("lowest", e::HEIGHT_MIN),
            ("highest", e::HEIGHT_MAX),
        ],
        0,
        manifest::RECORD_BYTES,
    );
}

#[test]
fn the_mesh_file_is_as_described() {
    use mesh_layout::field as f;
    check(
        "### Mesh header",
        &[
            ("magic", f::MAGIC),
            ("version", f::VERSION),
            ("flags", f::FLAGS),
            ("checksum", f::CHECKSUM),
            ("vertices", f::VERTICES),
            ("triangles", f::TRIANGLES),
            ("nodes", f::NODES),
            ("bounds", f::BOUNDS),
            ("faces", f::FACES),
        ],
        0,
        mesh_layout::HEADER_BYTES,
    );
    use mesh_layout::node as n;
    check(
        "### Tree node",
        &[
            ("low x", n::LOW),
            ("low y", n::LOW + 8),
            ("low z", n::LOW + 16),
            ("high x", n::HIGH),
            ("high y", n::HIGH + 8),
            ("high z", n::HIGH + 16),
            ("children", n::CHILDREN),
        ],
        0,
        mesh_layout::NODE_BYTES,
    );
}

#[test]
fn the_constants_are_as_described() {
    let magic = |bytes: [u8; 8]| String::from_utf8(bytes.to_vec()).unwrap();
    let code = [
        ("sector magic", magic(layout::MAGIC)),
        ("sector format version", layout::VERSION.to_string()),
        ("sector header bytes", layout::HEADER_BYTES.to_string()),
        ("section table row bytes", layout::TABLE_ROW_BYTES.to_string()),
        ("section alignment", layout::SECTION_ALIGN_BYTES.to_string()),
        ("zeros behind a section", layout::SECTION_TAIL_BYTES.to_string()),
        ("prop record bytes", layout::PROP_BYTES.to_string()),
        ("prop tree header bytes", layout::PROP_TREE_HEADER_BYTES.to_string()),
        ("prop tree node bytes", layout::PROP_TREE_NODE_BYTES.to_string()),
        ("mesh hash bytes", layout::MESH_HASH_BYTES.to_string()),
        ("most sectors that a prop reaches", PROP_SECTORS_MAX.to_string()),
        ("most sections", layout::SECTIONS_MAX.to_string()),
        ("manifest magic", magic(manifest::MAGIC)),
        ("manifest format version", manifest::VERSION.to_string()),
        ("manifest header bytes", manifest::HEADER_BYTES.to_string()),
        ("most surface names", manifest::SURFACES_MAX.to_string()),
        ("index block bytes", manifest::BLOCK_BYTES.to_string()),
        ("index block header bytes", manifest::BLOCK_HEADER_BYTES.to_string()),
        ("sector record bytes", manifest::RECORD_BYTES.to_string()),
        ("records in a leaf", manifest::LEAF_RECORDS.to_string()),
        ("keys in an inner block", manifest::INNER_KEYS.to_string()),
        ("mesh record bytes", manifest::MESH_RECORD_BYTES.to_string()),
        ("mesh magic", magic(mesh_layout::MAGIC)),
        ("mesh format version", mesh_layout::VERSION.to_string()),
        ("mesh header bytes", mesh_layout::HEADER_BYTES.to_string()),
        ("mesh part alignment", mesh_layout::PART_ALIGN_BYTES.to_string()),
        ("zeros behind a mesh", mesh_layout::TAIL_BYTES.to_string()),
        ("tree node bytes", mesh_layout::NODE_BYTES.to_string()),
        ("vertex bytes", mesh_layout::VERTEX_BYTES.to_string()),
        ("triangle bytes, 16-bit indices", mesh_layout::TRIANGLE_NARROW_BYTES.to_string()),
        ("triangle bytes, 32-bit indices", mesh_layout::TRIANGLE_WIDE_BYTES.to_string()),
        ("most triangles of a mesh", mesh_layout::TRIANGLES_MAX.to_string()),
        ("most vertices with 16-bit indices", mesh_layout::VERTICES_NARROW_MAX.to_string()),
        ("most triangles of a leaf", mesh_layout::LEAF_TRIANGLES_MAX.to_string()),
        ("most nodes from root to leaf", mesh_layout::LEVELS_MAX.to_string()),
        ("pack magic", magic(pack_layout::MAGIC)),
        ("pack format version", pack_layout::VERSION.to_string()),
        ("pack header bytes", pack_layout::HEADER_BYTES.to_string()),
        ("pack entry bytes", pack_layout::ENTRY_BYTES.to_string()),
        ("pack alignment", pack_layout::FILE_ALIGN_BYTES.to_string()),
        ("most files in a pack", pack_layout::FILES_MAX.to_string()),
    ];
    let rows = table("### Constants");
    assert_eq!(rows.len(), code.len());
    for (row, (name, value)) in rows.iter().zip(&code) {
        assert_eq!((row[0], row[1].trim_matches('`')), (*name, value.as_str()));
    }
}
