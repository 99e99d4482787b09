//! What one file declares and names, module by module: read from its tokens, nothing resolved yet.

use crate::tokens::{Token, tokens};

/// A module of a file: the file itself, or a `mod name { }` within it.
#[derive(Debug, Default)]
pub struct Scope {
    /// The module around it in this file, and its name there.
    pub within: Option<(usize, String)>,
    /// Items by name.
    pub defined: Vec<String>,
    /// `mod name;`, which lie in files of their own.
    pub children: Vec<Child>,
    pub uses: Vec<Use>,
    /// Paths in code, and single words, which may come from a re-export or a glob.
    pub named: Vec<NamedPath>,
}

#[derive(Debug)]
pub struct Child {
    pub name: String,
    /// From `#[path = "..."]`.
    pub path: Option<String>,
    pub test: bool,
}

/// One name that a `use` brings in.
#[derive(Debug, PartialEq, Eq)]
pub struct Use {
    pub path: Vec<String>,
    /// What it is called here; `*` is everything that `path` has.
    pub called: String,
    /// `pub use`, `pub(crate) use`: handed on, and used here only if the code names it.
    pub handed_on: bool,
    pub line: usize,
}

#[derive(Debug, PartialEq, Eq)]
pub struct NamedPath {
    pub path: Vec<String>,
    pub line: usize,
}

/// The modules of a file; the first is the file's own.
pub fn scopes(source: &str) -> Vec<Scope> {
    let mut reader = Reader {
        tokens: tokens(source),
        at: 0,
        scopes: vec![Scope::default()],
        braces: Vec::new(),
        path_attribute: None,
    };
    reader.read();
    reader.scopes
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Brace {
    /// Of a module within the file.
    Module,
    /// Of `macro_rules!`: what it may define counts as defined in the module.
    Macro,
    Code,
}

struct Reader<'a> {
    tokens: Vec<Token<'a>>,
    at: usize,
    scopes: Vec<Scope>,
    /// The open braces, each with the module that the code before it belongs to.
    braces: Vec<(Brace, usize)>,
    path_attribute: Option<String>,
}

impl<'a> Reader<'a> {
    /// The text of the token so many further on, or nothing at the ends of the file.
    fn text(&self, offset: isize) -> &'a str {
        let at = self.at.checked_add_signed(offset);
        at.and_then(|at| self.tokens.get(at)).map_or("", |token| token.text)
    }

    fn is_word(&self, offset: usize) -> bool {
        self.tokens.get(self.at + offset).is_some_and(Token::is_word)
    }

    fn line(&self) -> usize {
        self.tokens[self.at].line
    }

    fn read(&mut self) {
        let mut scope = 0;
        while self.at < self.tokens.len() {
            match self.text(0) {
                "#" if self.text(1) == "[" => self.attribute(scope),
                "{" => {
                    self.braces.push((Brace::Code, scope));
                    self.at += 1;
                }
                "}" => {
                    if let Some((_, before)) = self.braces.pop() {
                        scope = before;
                    }
                    self.at += 1;
                }
                "mod" if self.is_word(1) && self.text(2) == "{" => {
                    let name = self.text(1).to_owned();
                    self.braces.push((Brace::Module, scope));
                    self.scopes.push(Scope { within: Some((scope, name)), ..Scope::default() });
                    scope = self.scopes.len() - 1;
                    self.at += 3;
                }
                "mod" if self.is_word(1) && self.text(2) == ";" => {
                    self.child(scope, false);
                    self.at += 3;
                }
                "use" if self.is_word(1) || matches!(self.text(1), "::" | "{") => {
                    let handed_on = matches!(self.text(-1), "pub" | ")");
                    self.at += 1;
                    self.use_tree(&mut Vec::new(), scope, handed_on);
                }
                "macro_rules" if self.text(1) == "!" => {
                    self.braces.push((Brace::Macro, scope));
                    self.at += 4; // its name and brace
                }
                _ if self.is_word(0) => self.word(scope),
                _ => self.at += 1,
            }
        }
    }

    fn child(&mut self, scope: usize, test: bool) {
        let (name, path) = (self.text(1).to_owned(), self.path_attribute.take());
        self.scopes[scope].children.push(Child { name, path, test });
    }

    /// An attribute is code, too; what it keeps for tests alone is passed over.
    fn attribute(&mut self, scope: usize) {
        let inside = self.tokens[self.at + 2..].iter().take_while(|token| token.text != "]");
        let words: Vec<&str> = inside.map(|token| token.text).collect();
        if words.starts_with(&["path", "="]) {
            self.path_attribute = words.get(2).map(|text| text.trim_matches('"').to_owned());
        }
        let tests = ["test", "doctest"].iter().any(|word| words.contains(word));
        let tests_alone = tests && !words.contains(&"not") && !words.contains(&"any");
        self.at += 1;
        if words.first() == Some(&"cfg") && tests_alone {
            self.pass_balanced();
            self.pass_item(scope);
        }
    }

    /// From an opening bracket to behind its closing one.
    fn pass_balanced(&mut self) {
        let mut depth = 0;
        while self.at < self.tokens.len() {
            match self.text(0) {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth -= 1,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return;
            }
        }
    }

    /// Passes over an item, a statement, a field or an arm of a match.
    fn pass_item(&mut self, scope: usize) {
        while self.text(0) == "#" {
            if self.text(2) == "path" {
                self.path_attribute = Some(self.text(4).trim_matches('"').to_owned());
            }
            self.at += 1;
            self.pass_balanced();
        }
        let item = ["pub", "fn", "mod", "use", "struct", "enum", "impl", "const", "static", "type"]
            .contains(&self.text(0));
        let a_use = self.text(0) == "use";
        while self.at < self.tokens.len() {
            match self.text(0) {
                "mod" if self.text(2) == ";" => {
                    self.child(scope, true);
                    self.at += 1;
                }
                mark @ (";" | ",") if mark == ";" || !item => {
                    self.at += 1;
                    return;
                }
                "}" => return, // of what holds it
                "{" if !a_use => return self.pass_balanced(),
                "(" | "[" | "{" => self.pass_balanced(),
                _ => self.at += 1,
            }
        }
    }

    /// `a::b`, `a::b as c`, `a::*` or `a::{..}`, below the path that leads to it.
    fn use_tree(&mut self, path: &mut Vec<String>, scope: usize, handed_on: bool) {
        let before = path.len();
        let mut called = None;
        while self.at < self.tokens.len() {
            match self.text(0) {
                "::" if path.is_empty() => path.push(String::new()), // of another crate
                "::" => {}
                "*" => called = Some("*".to_owned()),
                "as" => {
                    called = Some(self.text(1).to_owned());
                    self.at += 1;
                }
                "{" => {
                    self.at += 1;
                    while self.at < self.tokens.len() && self.text(0) != "}" {
                        self.use_tree(path, scope, handed_on);
                        if self.text(0) == "," {
                            self.at += 1;
                        }
                    }
                    self.at += 1;
                    path.truncate(before);
                    return;
                }
                "self" if !path.is_empty() => {} // the path itself
                _ if self.is_word(0) => path.push(self.text(0).to_owned()),
                _ => break,
            }
            self.at += 1;
        }
        let line = self.tokens[self.at - 1].line;
        let called = called.or_else(|| path.last().cloned()).unwrap_or_default();
        self.scopes[scope].uses.push(Use { path: path.clone(), called, handed_on, line });
        path.truncate(before);
    }

    /// A path in code, or the name of an item.
    fn word(&mut self, scope: usize) {
        let keyword = self.text(0);
        let defines = matches!(
            keyword,
            "fn" | "struct" | "enum" | "union" | "trait" | "type" | "const" | "static"
        );
        let qualifier = ["fn", "unsafe", "extern", "async", "mut"].contains(&self.text(1));
        let of_module = match self.braces.last() {
            None => true,
            Some((brace, _)) => *brace == Brace::Module,
        } || self.braces.iter().any(|(brace, _)| *brace == Brace::Macro);
        if defines && !qualifier && of_module && self.is_word(1) {
            let name = self.text(1).to_owned();
            self.scopes[scope].defined.push(name);
            self.at += 2;
            return;
        }
        let line = self.line();
        // A field or method is found through a value, and the rest of a path through its beginning.
        let begins = !matches!(self.text(-1), "." | "::");
        let mut path = vec![keyword.to_owned()];
        while self.text(1) == "::" && self.is_word(2) {
            path.push(self.text(2).to_owned());
            self.at += 2;
        }
        self.at += 1;
        let declared = path.len() == 1 && self.text(0) == ":"; // a field or a parameter
        if begins && !declared {
            self.scopes[scope].named.push(NamedPath { path, line });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(source: &str) -> Vec<String> {
        let scopes = scopes(source);
        scopes[0].uses.iter().map(|one| format!("{} {}", one.path.join("::"), one.called)).collect()
    }

    fn named(source: &str) -> Vec<String> {
        scopes(source)[0].named.iter().map(|one| one.path.join("::")).collect()
    }

    #[test]
    fn nested_groups_over_several_lines_come_apart() {
        let source =
            "use crate::{\n  a::{self, b::{C, D as E}},\n  f::*,\n};\nuse super::super::g as h;";
        assert_eq!(
            used(source),
            [
                "crate::a a",
                "crate::a::b::C C",
                "crate::a::b::D E",
                "crate::f *",
                "super::super::g h"
            ]
        );
        assert_eq!(scopes(source)[0].uses[2].line, 2);
    }

    #[test]
    fn what_is_handed_on_is_told_from_what_is_used() {
        let source = "pub use a::A; pub(crate) use b::B; pub(in crate::x) use c::C; use d::D;";
        let handed: Vec<bool> = scopes(source)[0].uses.iter().map(|one| one.handed_on).collect();
        assert_eq!(handed, [true, true, true, false]);
    }

    #[test]
    fn a_use_within_a_function_counts_and_one_in_a_signature_is_none() {
        assert_eq!(used("fn f() { use super::a::B; }"), ["super::a::B B"]);
        assert_eq!(used("fn f(x: &T) -> impl Fn() + use<'_> { || () }"), [""; 0]);
    }

    #[test]
    fn paths_in_code_are_found_and_methods_are_not() {
        let source = "fn f() { crate::a::b(x.super_::<T>(), self.c); super::D::new() + 0..e::F }";
        let found = named(source);
        for path in ["crate::a::b", "super::D::new", "e::F"] {
            assert!(found.iter().any(|one| one == path), "{path} in {found:?}");
        }
        assert!(!found.iter().any(|one| one == "c" || one == "super_"), "{found:?}");
    }

    #[test]
    fn what_is_for_tests_alone_is_passed_over() {
        let source = "#[cfg(test)]\n#[path = \"other.rs\"]\nmod tests;\n\
            #[cfg(test)]\nuse crate::{a, b};\n\
            #[cfg(all(test, unix))]\npub(crate) fn f<A, B>(x: [u8; 3]) { crate::c::d() }\n\
            struct S { #[cfg(test)] x: crate::e::F, y: G }\n\
            #[cfg(any(test, unix))]\nuse crate::kept;\n\
            #[cfg(test)]\nmod inside { use crate::h; }";
        assert_eq!(used(source), ["crate::kept kept"]);
        assert!(!named(source).iter().any(|path| path.starts_with("crate")), "{:?}", named(source));
        let scopes = scopes(source);
        assert_eq!(scopes.len(), 1);
        let child = &scopes[0].children[0];
        assert_eq!((child.path.as_deref(), child.test), (Some("other.rs"), true));
    }

    #[test]
    fn a_module_within_the_file_has_names_of_its_own() {
        let source =
            "mod a { pub const fn f() {} use super::X; } const Y: u8 = 0; fn g() { fn h() {} }";
        let scopes = scopes(source);
        assert_eq!(scopes[1].within, Some((0, "a".to_owned())));
        assert_eq!(
            (&scopes[0].defined[..], &scopes[1].defined[..]),
            (&["Y".to_owned(), "g".to_owned()][..], &["f".to_owned()][..])
        );
        assert_eq!((scopes[0].uses.len(), scopes[1].uses.len()), (0, 1));
    }

    #[test]
    fn what_a_macro_may_define_counts_as_defined() {
        let scopes =
            scopes("macro_rules! kinds { ($k:ident) => { pub enum Kind { $k } } } fn f() {}");
        assert_eq!(scopes[0].defined, ["Kind", "f"]);
    }
}
