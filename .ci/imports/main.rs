//! Imports point down: the lists of first-level modules in ARCHITECTURE.md, and loops of files.
//! `.ci/floors` says what is checked, builds this and runs it from the root of the repository.
//!
//! ```text
//! tokens ─▶ source   what a file declares and names
//!        ─▶ names    which file defines what is named: the imports
//!        ─▶ floors   first-level modules against ARCHITECTURE.md
//!        ─▶ loops    files against .ci/loops.txt
//! ```

mod floors;
mod loops;
mod names;
mod source;
mod tokens;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use floors::Floors;
use loops::KnownLoops;
use names::{Crate, Imports};

/// The packages whose modules ARCHITECTURE.md lists.
const WITH_FLOORS: [&str; 3] = ["terrain", "controller", "tools"];

/// Modules whose own modules it lists.
const WITH_INNER_FLOORS: [(&str, &str); 1] = [("tools", "command")];

const LIST: &str = ".ci/loops.txt";

fn main() -> ExitCode {
    let mut problems = Vec::new();
    let mut imports = Imports::new();
    let mut summary = Vec::new();
    let packages = packages(&fs::read_to_string("Cargo.toml").unwrap_or_default());
    for folder in &packages {
        let with_floors = WITH_FLOORS.contains(&folder.as_str());
        let (files, found) = package(folder, with_floors, &mut problems);
        let loops = loops::loops(&found);
        let in_loops: usize = loops.iter().map(|one| one.arrows.len()).sum();
        let count = found.len();
        if count == 0 && with_floors {
            problems.push(format!("{folder}/: no imports found, which cannot be right"));
        }
        summary.push(format!(
            "{folder}/: {count} imports between {files} files, {in_loops} of them in {} loops",
            loops.len()
        ));
        imports.extend(found);
    }
    if !WITH_FLOORS.iter().all(|folder| packages.iter().any(|package| package == folder)) {
        problems.push(format!("Cargo.toml: {WITH_FLOORS:?} are not all among {packages:?}"));
    }
    if std::env::args().any(|argument| argument == "--loops") {
        print!("{}", loops::listed(&loops::loops(&imports)));
        return ExitCode::SUCCESS;
    }
    problems.extend(against_list(&imports));
    for line in problems.iter().chain(&summary) {
        println!("{line}");
    }
    if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The folders of every package, those outside the workspace too.
fn packages(manifest: &str) -> Vec<String> {
    let lists = manifest
        .lines()
        .filter(|line| line.starts_with("members = [") || line.starts_with("exclude = ["));
    lists.flat_map(|line| line.split('"').skip(1).step_by(2)).map(str::to_owned).collect()
}

/// The number of files of a package, and the imports between them.
fn package(folder: &str, with_floors: bool, problems: &mut Vec<String>) -> (usize, Imports) {
    let read = |path: &str| fs::read_to_string(path).ok();
    let mut imports = Imports::new();
    let mut reached = BTreeSet::new();
    let mut tests = BTreeSet::new();
    for root in roots(folder) {
        let mut house = Crate::new(&root, &read);
        imports.extend(house.imports());
        problems.append(&mut house.problems);
        if with_floors && root.ends_with("/src/lib.rs") {
            let architecture = read("ARCHITECTURE.md").unwrap_or_default();
            let inner = WITH_INNER_FLOORS.iter().filter(|(package, _)| *package == folder);
            let inner = inner.map(|(_, module)| {
                (format!("{folder}/src/{module}"), std::slice::from_ref(module))
            });
            for (place, above) in [(folder.to_owned(), &[][..])].into_iter().chain(inner) {
                problems.extend(match Floors::new(&architecture, &place) {
                    Some(floors) => floors.problems(&house, above),
                    None => vec![format!("ARCHITECTURE.md: no list of modules for {place}/")],
                });
            }
        }
        reached.extend(house.files().into_iter().map(str::to_owned));
        tests.extend(house.tests);
    }
    for file in sources(&format!("{folder}/src")).difference(&reached) {
        let of_tests = |test: &String| {
            let below = test.trim_end_matches(".rs").trim_end_matches("/mod");
            file == test || file.starts_with(&format!("{below}/"))
        };
        if !tests.iter().any(of_tests) {
            problems.push(format!("{file}: no `mod` found that leads here"));
        }
    }
    (reached.len(), imports)
}

/// The root files of a package's crates; integration tests are left out.
fn roots(folder: &str) -> Vec<String> {
    let mut roots = vec![format!("{folder}/src/lib.rs"), format!("{folder}/src/main.rs")];
    for kind in ["benches", "examples", "fuzz_targets", "src/bin"] {
        let mut found = sources(&format!("{folder}/{kind}"));
        found.retain(|path| {
            let below = &path[folder.len() + kind.len() + 2..];
            !below.contains('/') || below.ends_with("/main.rs")
        });
        roots.extend(found);
    }
    roots.retain(|root| Path::new(root).exists());
    roots
}

/// All source files in a folder and below.
fn sources(folder: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Some(path) = entry.path().to_str().map(str::to_owned) else { continue };
        if entry.path().is_dir() {
            found.extend(sources(&path));
        } else if path.ends_with(".rs") {
            found.insert(path);
        }
    }
    found
}

/// What the list of known loops lacks, and what it has too much.
fn against_list(imports: &Imports) -> Vec<String> {
    let text = fs::read_to_string(LIST).unwrap_or_default();
    let known = KnownLoops::new(&text);
    let loops = loops::loops(imports);
    let mut problems: Vec<String> =
        known.problems.iter().map(|problem| format!("{LIST}: {problem}")).collect();
    problems.extend(loops.iter().filter_map(|one| loops::report(one, imports, &known.arrows)));
    let arrows: BTreeSet<_> = loops.iter().flat_map(|one| one.arrows.clone()).collect();
    for (user, used) in known.arrows.difference(&arrows) {
        problems.push(format!("{LIST}: {user} -> {used} is in no loop any more: remove it"));
    }
    let files: usize = loops.iter().map(|one| one.files.len()).sum();
    let head = format!("# Today: {} loops, {files} files, {} imports.", loops.len(), arrows.len());
    if problems.is_empty() && !text.lines().any(|line| line == head) {
        problems.push(format!("{LIST}: its head should say\n    {head}"));
    }
    problems
}
