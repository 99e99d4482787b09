use super::*;

/// "a -> b, ..." of a crate of these files, without `src/` and `.rs`.
fn imports(files: &[(&str, &str)]) -> String {
    let read = |path: &str| {
        let found = files.iter().find(|(name, _)| path == format!("src/{name}.rs"));
        found.map(|(_, text)| (*text).to_owned())
    };
    let mut house = Crate::new("src/lib.rs", &read);
    let imports = house.imports();
    assert_eq!(house.problems, [""; 0]);
    let short = |path: &str| path.replace("src/", "").replace(".rs", "");
    let list: Vec<_> =
        imports.keys().map(|(a, b)| format!("{} -> {}", short(a), short(b))).collect();
    list.join(", ")
}

#[test]
fn an_import_leads_through_what_is_handed_on_to_the_file_that_defines() {
    let query = ("query/mod", "mod solids; pub use solids::{Solids as Solid, least};");
    let solids = ("query/solids", "pub struct Solids; pub fn least() {}");
    let lib = ("lib", "mod a; mod query; pub use query::Solid;");
    for code in [
        "use crate::query::Solid;",
        "use super::query::{Solid as S};",
        "use crate::Solid;",
        "use crate::query; fn f() { query::least(); }",
        "use crate::query::*; fn f() { least(); }",
        "fn f() -> crate::query::Solid { super::query::Solid::new() }",
        "mod inside { fn f() { super::super::query::least() } }",
        "mod inside { use super::*; fn f(s: Solid) {} } use crate::query::Solid;",
    ] {
        assert_eq!(imports(&[lib, query, solids, ("a", code)]), "a -> query/solids", "{code}");
    }
    assert_eq!(imports(&[lib, query, solids, ("a", "use crate::query;")]), "");
}

#[test]
fn a_parent_depends_on_a_child_only_by_what_its_own_code_uses() {
    let lib = ("lib", "mod a;");
    let child = ("a/child", "pub fn go() {} pub struct Name;");
    let parent = |code| imports(&[lib, ("a", code), child]);
    assert_eq!(parent("mod child; pub use child::Name; pub(crate) use self::child::go;"), "");
    assert_eq!(parent("mod child; pub use child::Name; fn f(name: Name) {}"), "a -> a/child");
    assert_eq!(parent("mod child; fn f() { child::go() }"), "a -> a/child");
    assert_eq!(parent("mod child; use child::go;"), "a -> a/child");
}

#[test]
fn a_child_depends_on_what_its_parent_defines_or_only_imports() {
    let lib = ("lib", "mod a; mod b;");
    let child = |code| {
        imports(&[
            lib,
            ("a/mod", "mod child; struct X; use crate::b::Y;"),
            ("a/child", code),
            ("b", "pub struct Y;"),
        ])
    };
    assert_eq!(child("use super::X;"), "a/child -> a/mod, a/mod -> b");
    assert_eq!(child("use super::Y;"), "a/child -> b, a/mod -> b");
    assert_eq!(child("fn f(x: super::X) {}"), "a/child -> a/mod, a/mod -> b");
}

#[test]
fn modules_of_one_name_with_a_function_and_named_paths_are_told_apart() {
    let lib = ("lib", "#[path = \"odd/name.rs\"] mod a; mod b; pub fn a() {}");
    assert_eq!(
        imports(&[lib, ("odd/name", "pub fn f() {}"), ("b", "use crate::a::f;")]),
        "b -> odd/name"
    );
    assert_eq!(imports(&[lib, ("odd/name", ""), ("b", "use crate::a;")]), "b -> lib");
}

#[test]
fn names_of_other_crates_are_no_imports() {
    let lib = ("lib", "mod a; mod b; pub use std::fmt;");
    assert_eq!(
        imports(&[
            lib,
            ("a", "use ::b::X; use std::b::X; use super::fmt; use crate::fmt::Debug;"),
            ("b", "pub struct X;")
        ]),
        ""
    );
}

#[test]
fn a_path_that_cannot_be_followed_is_reported() {
    let lib = "use crate::a::B;\nmod c;\nmod d {}\nfn f() { d::e() }";
    let mut house = Crate::new("lib.rs", &|path| (path == "lib.rs").then(|| lib.to_owned()));
    house.imports();
    assert_eq!(
        house.problems,
        [
            "lib.rs: no file found for `mod c;`",
            "lib.rs:1: `crate::a::B` cannot be followed",
            "lib.rs:4: `d::e` cannot be followed"
        ]
    );
}

#[test]
fn first_names_are_those_below_the_root() {
    let files = [
        ("lib.rs", "mod a;"),
        ("a/mod.rs", "mod b; pub use crate::x::Y; use super::z;"),
        ("a/b.rs", "use super::super::{v, w}; use super::u;"),
    ];
    let house = Crate::new("lib.rs", &|path| {
        files.iter().find(|(name, _)| *name == path).map(|(_, text)| (*text).to_owned())
    });
    let names: Vec<_> =
        house.first_names(&[]).into_iter().map(|(_, _, here, name)| (here, name)).collect();
    assert_eq!(names, ["x", "z", "v", "w"].map(|name| ("a", name)));
}

#[test]
fn first_names_within_a_module_are_those_below_it() {
    let files = [
        ("lib.rs", "mod a; mod d;"),
        ("a/mod.rs", "mod b; mod c; use crate::a::x::Y;"),
        ("a/b.rs", "use crate::a::c::D; use crate::d; use super::c;"),
        ("a/c.rs", ""),
        ("d.rs", "use crate::a::b;"),
    ];
    let house = Crate::new("lib.rs", &|path| {
        files.iter().find(|(name, _)| *name == path).map(|(_, text)| (*text).to_owned())
    });
    let names: Vec<_> =
        house.first_names(&["a"]).into_iter().map(|(_, _, here, name)| (here, name)).collect();
    assert_eq!(names, [("b", "c"), ("b", "c")]);
}
