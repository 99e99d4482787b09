//! The modules of a crate, and which file defines what a path names.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::source::{Scope, scopes};

/// One import of a file by another: the first of those that there are.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Import {
    pub line: usize,
    /// What is imported, as the code names it.
    pub name: String,
}

/// Imports by the file that has them and the file that they lead to.
pub type Imports = BTreeMap<(String, String), Import>;

/// A crate, from the file of its root.
#[derive(Default)]
pub struct Crate {
    modules: Vec<Module>,
    /// Files that are compiled for tests alone.
    pub tests: BTreeSet<String>,
    pub problems: Vec<String>,
}

struct Module {
    file: String,
    parent: Option<usize>,
    /// Names from the root of the crate to here.
    place: Vec<String>,
    scope: Scope,
    children: BTreeMap<String, Vec<usize>>,
}

/// What a path leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    Module(usize),
    /// An item of a module.
    Item(usize),
    /// Something of another crate or of the language.
    Outside,
}

impl Crate {
    /// Reads a crate: `read` gives the text of a file, if there is one.
    pub fn new(root: &str, read: &dyn Fn(&str) -> Option<String>) -> Self {
        let mut house = Self::default();
        let folder = Path::new(root).parent().unwrap_or(Path::new(""));
        house.add_file(root, None, Vec::new(), folder, read);
        house
    }

    pub fn files(&self) -> BTreeSet<&str> {
        self.modules.iter().map(|module| &module.file[..]).collect()
    }

    /// Adds a file and all below it. The files of its children lie in `folder`.
    fn add_file(
        &mut self,
        file: &str,
        parent: Option<usize>,
        place: Vec<String>,
        folder: &Path,
        read: &dyn Fn(&str) -> Option<String>,
    ) -> Option<usize> {
        let source = read(file)?;
        let first = self.modules.len();
        let mut folders: Vec<PathBuf> = Vec::new();
        for scope in scopes(&source) {
            let index = self.modules.len();
            let (parent, place, folder) = match &scope.within {
                None => (parent, place.clone(), folder.to_owned()),
                Some((within, name)) => {
                    let around = first + within;
                    self.modules[around].children.entry(name.clone()).or_default().push(index);
                    let place =
                        [&self.modules[around].place[..], std::slice::from_ref(name)].concat();
                    (Some(around), place, folders[*within].join(name))
                }
            };
            folders.push(folder);
            let children = BTreeMap::new();
            self.modules.push(Module { file: file.to_owned(), parent, place, scope, children });
        }
        for (index, folder) in (first..).zip(folders) {
            self.add_children(index, &folder, read);
        }
        Some(first)
    }

    fn add_children(&mut self, index: usize, folder: &Path, read: &dyn Fn(&str) -> Option<String>) {
        for child in std::mem::take(&mut self.modules[index].scope.children) {
            let name = &child.name;
            let below = folder.join(name);
            let (paths, below) = match &child.path {
                Some(path) => {
                    let path = Path::new(&self.modules[index].file).with_file_name(path);
                    (vec![path.clone()], path.with_extension(""))
                }
                None => (vec![below.with_extension("rs"), below.join("mod.rs")], below),
            };
            let mut paths = paths.iter().filter_map(|path| path.to_str());
            if child.test {
                self.tests.extend(paths.map(str::to_owned));
                continue;
            }
            let place = [&self.modules[index].place[..], std::slice::from_ref(name)].concat();
            match paths
                .find_map(|path| self.add_file(path, Some(index), place.clone(), &below, read))
            {
                Some(module) => {
                    self.modules[index].children.entry(name.clone()).or_default().push(module);
                }
                None => {
                    let file = &self.modules[index].file;
                    self.problems.push(format!("{file}: no file found for `mod {name};`"));
                }
            }
        }
    }

    /// All imports of one file by another.
    pub fn imports(&mut self) -> Imports {
        let mut imports = Imports::new();
        let mut lost = Vec::new();
        for (here, module) in self.modules.iter().enumerate() {
            for (path, line) in module.paths(false) {
                let targets = self.resolve(here, path, &mut Vec::new());
                let name = path.join("::");
                if targets.is_empty() {
                    lost.push(format!("{}:{line}: `{name}` cannot be followed", module.file));
                }
                for target in targets {
                    let Target::Item(owner) = target else { continue };
                    let owner = &self.modules[owner].file;
                    if *owner != module.file {
                        let import = Import { line, name: name.clone() };
                        let arrow = (module.file.clone(), owner.clone());
                        let first = imports.entry(arrow).or_insert_with(|| import.clone());
                        *first = import.min(first.clone());
                    }
                }
            }
        }
        self.problems.extend(lost);
        imports
    }

    /// Every path in a module within `above` with what it names first below that: file, line, the module directly
    /// below `above` that has it, and that name. Here what is handed on counts, too.
    pub fn first_names(&self, above: &[&str]) -> Vec<(&str, usize, &str, &str)> {
        let mut names = Vec::new();
        let is_within = |path: &[String]| {
            path.len() > above.len() && path.iter().zip(above).all(|(a, b)| a == b)
        };
        let depth = above.len();
        for module in self
            .modules
            .iter()
            .filter(|module| module.file != self.modules[0].file && is_within(&module.place))
        {
            for (path, line) in module.paths(true) {
                let supers = path.iter().take_while(|name| *name == "super").count();
                let below = match path[0].as_str() {
                    "crate" if is_within(&path[1..]) => 1 + depth,
                    "super" if supers == module.place.len() - depth => supers,
                    _ => continue,
                };
                if let Some(name) = path.get(below) {
                    names.push((&module.file[..], line, &module.place[depth][..], &name[..]));
                }
            }
        }
        names
    }

    /// What a path leads to; nothing if the path begins in this crate and cannot be followed.
    /// `seen`: names whose `use` is being followed, which may not lead back to themselves.
    fn resolve(
        &self,
        from: usize,
        path: &[String],
        seen: &mut Vec<(usize, String)>,
    ) -> Vec<Target> {
        let mut at = from;
        let mut rest = path;
        while let Some((first, after)) = rest.split_first() {
            match first.as_str() {
                "crate" => at = 0,
                "super" => match self.modules[at].parent {
                    Some(parent) => at = parent,
                    None => return Vec::new(),
                },
                "self" => {}
                _ => break,
            }
            rest = after;
        }
        let found = self.find(at, rest, seen);
        let as_it_stands = rest.len() == path.len();
        if found.is_empty() && as_it_stands && self.look_up(at, &rest[0], seen).is_empty() {
            return vec![Target::Outside];
        }
        found
    }

    fn find(&self, at: usize, path: &[String], seen: &mut Vec<(usize, String)>) -> Vec<Target> {
        let Some((name, rest)) = path.split_first() else { return vec![Target::Module(at)] };
        let found = self.look_up(at, name, seen);
        if rest.is_empty() {
            return found;
        }
        if !found.iter().any(|target| matches!(target, Target::Module(_))) {
            return found; // a type, and something of it
        }
        let in_module = |target| match target {
            Target::Module(module) => self.find(module, rest, seen),
            Target::Item(_) | Target::Outside => Vec::new(),
        };
        found.into_iter().flat_map(in_module).collect()
    }

    fn look_up(&self, at: usize, name: &str, seen: &mut Vec<(usize, String)>) -> Vec<Target> {
        let module = &self.modules[at];
        let mut found: Vec<Target> = Vec::new();
        found.extend(
            module.children.get(name).into_iter().flatten().map(|child| Target::Module(*child)),
        );
        if module.scope.defined.iter().any(|defined| defined == name) {
            found.push(Target::Item(at));
        }
        let place = (at, name.to_owned());
        if seen.contains(&place) {
            return found;
        }
        seen.push(place);
        for one in module.scope.uses.iter().filter(|one| one.called == name) {
            found.extend(self.resolve(at, &one.path, seen));
        }
        if found.is_empty() {
            for one in module.scope.uses.iter().filter(|one| one.called == "*") {
                for target in self.resolve(at, &one.path, seen) {
                    match target {
                        Target::Module(module) => found.extend(self.look_up(module, name, seen)),
                        Target::Item(_) | Target::Outside => {} // variants; unknown here
                    }
                }
            }
        }
        seen.pop();
        found
    }
}

impl Module {
    /// Its paths with their lines: those in code and those of `use`.
    fn paths(&self, with_handed_on: bool) -> impl Iterator<Item = (&[String], usize)> {
        let uses = self.scope.uses.iter().filter(move |one| with_handed_on || !one.handed_on);
        let uses = uses.map(|one| (&one.path[..], one.line));
        uses.chain(self.scope.named.iter().map(|named| (&named.path[..], named.line)))
    }
}

#[cfg(test)]
mod tests;
