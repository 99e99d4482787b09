//! Files that import each other through any chain, and the list of those that are known.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::names::Imports;

type Arrow = (String, String);

/// Files that all reach each other, and the imports between them.
pub struct Loop {
    pub files: BTreeSet<String>,
    pub arrows: BTreeSet<Arrow>,
}

/// The files on a shortest way from one file to another, both included.
fn way(imports: &Imports, from: &str, to: &str) -> Option<Vec<String>> {
    let mut before = BTreeMap::from([(from, from)]);
    let mut queue = VecDeque::from([from]);
    while let Some(file) = queue.pop_front() {
        if file == to {
            let mut way = vec![to.to_owned()];
            while way[way.len() - 1] != from {
                way.push(before[&way[way.len() - 1][..]].to_owned());
            }
            way.reverse();
            return Some(way);
        }
        let imported = imports.range((file.to_owned(), String::new())..);
        for ((_, next), _) in imported.take_while(|((user, _), _)| user == file) {
            before.entry(next).or_insert_with(|| {
                queue.push_back(next);
                file
            });
        }
    }
    None
}

/// All loops: an import belongs to one if a way leads back.
pub fn loops(imports: &Imports) -> Vec<Loop> {
    let mut loops: Vec<Loop> = Vec::new();
    for (user, used) in imports.keys().filter(|(user, used)| way(imports, used, user).is_some()) {
        let (met, mut apart): (Vec<_>, Vec<_>) =
            loops.into_iter().partition(|one| one.files.contains(user) || one.files.contains(used));
        let mut one = Loop { files: BTreeSet::new(), arrows: BTreeSet::new() };
        for other in met {
            one.files.extend(other.files);
            one.arrows.extend(other.arrows);
        }
        one.files.extend([user.clone(), used.clone()]);
        one.arrows.insert((user.clone(), used.clone()));
        apart.push(one);
        loops = apart;
    }
    loops.sort_by(|a, b| a.files.cmp(&b.files));
    loops
}

/// A loop with imports that the list lacks: its files, a shortest way round, and the imports to look at.
pub fn report(one: &Loop, imports: &Imports, known: &BTreeSet<Arrow>) -> Option<String> {
    let unknown: Vec<&Arrow> = one.arrows.difference(known).collect();
    let inside: Imports =
        one.arrows.iter().map(|arrow| (arrow.clone(), imports[arrow].clone())).collect();
    let mends = |arrow: &&Arrow| {
        let mut rest = inside.clone();
        rest.remove(*arrow);
        let mut others = unknown.iter().filter(|other| *other != arrow);
        others.all(|(user, used)| way(&rest, used, user).is_none())
    };
    let culprits: Vec<&Arrow> = unknown.iter().copied().filter(mends).collect();
    let (head, shown) = if culprits.is_empty() {
        ("imports that the list does not have", &unknown)
    } else {
        ("the list would be right without any one of", &culprits)
    };
    let rounds = shown.iter().filter_map(|(user, used)| way(&inside, used, user));
    let round = rounds.min_by_key(Vec::len)?;
    let files: Vec<&str> = one.files.iter().map(String::as_str).collect();
    let mut text = format!("a loop of {} files:\n    {}\n", files.len(), files.join("\n    "));
    text += "  a shortest way round:\n";
    for at in 0..round.len() {
        text += &line(imports, &round[at], &round[(at + 1) % round.len()]);
    }
    text += &format!("  {head}:\n");
    for (user, used) in shown {
        text += &line(imports, user, used);
    }
    Some(text.trim_end().to_owned())
}

fn line(imports: &Imports, user: &str, used: &str) -> String {
    match imports.get(&(user.to_owned(), used.to_owned())) {
        Some(import) => format!("    {user}:{} imports {used} ({})\n", import.line, import.name),
        None => String::new(),
    }
}

/// The list of what is known: under a line that names a folder, reasons, and indented lines
/// "file -> file file" with paths from that folder. Lines that begin with # are ignored.
pub struct KnownLoops {
    pub arrows: BTreeSet<Arrow>,
    pub problems: Vec<String>,
}

impl KnownLoops {
    pub fn new(list: &str) -> Self {
        let mut known = Self { arrows: BTreeSet::new(), problems: Vec::new() };
        let mut folder = "";
        let mut reasoned = true;
        for line in list.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
            if !line.starts_with(' ') {
                (folder, reasoned) = (line.trim_end(), false);
            } else if let Some((user, used)) = line.split_once(" -> ") {
                if !reasoned {
                    known.problems.push(format!("{folder}: the loop has no reason"));
                    reasoned = true;
                }
                for used in used.split_whitespace() {
                    let arrow = (format!("{folder}/{}", user.trim()), format!("{folder}/{used}"));
                    if let Some((user, used)) = known.arrows.replace(arrow) {
                        known.problems.push(format!("{user} -> {used} stands there twice"));
                    }
                }
            } else {
                reasoned = true;
            }
        }
        known
    }
}

/// Loops in the form of the list, without reasons.
pub fn listed(loops: &[Loop]) -> String {
    let mut text = String::new();
    for one in loops {
        let folder = common_folder(&one.files);
        text += &format!("\n{folder}\n");
        let mut users: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (user, used) in &one.arrows {
            users.entry(&user[folder.len() + 1..]).or_default().push(&used[folder.len() + 1..]);
        }
        for (user, used) in users {
            text += &format!("    {user} -> {}\n", used.join(" "));
        }
    }
    text
}

fn common_folder(files: &BTreeSet<String>) -> String {
    let mut parts: Vec<&str> = files.first().map_or("", String::as_str).split('/').collect();
    parts.pop();
    while !files.iter().all(|file| file.starts_with(&format!("{}/", parts.join("/")))) {
        parts.pop();
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::Import;

    /// "ab bc": a imports b on line 1, b imports c.
    fn imports(arrows: &str) -> Imports {
        let arrow = |arrow: &str| (format!("x/{}", &arrow[..1]), format!("x/{}", &arrow[1..]));
        let import = Import { line: 1, name: "it".to_owned() };
        arrows.split(' ').map(|text| (arrow(text), import.clone())).collect()
    }

    #[test]
    fn a_loop_has_all_files_that_reach_each_other_and_no_other() {
        let found = loops(&imports("ab bc ca cd de ed xa bx"));
        assert_eq!(
            listed(&found),
            "\nx\n    a -> b\n    b -> c x\n    c -> a\n    x -> a\n\nx\n    d -> e\n    e -> d\n"
        );
        assert!(loops(&imports("ab bc ac")).is_empty());
    }

    #[test]
    fn what_the_list_has_is_allowed_and_nothing_else_in_the_same_loop() {
        let list = "# head\n\nx\n    why\n    a -> b\n    b -> a\n";
        let known = KnownLoops::new(list);
        assert_eq!(known.problems, [""; 0]);
        let two = imports("ab ba");
        assert_eq!(report(&loops(&two)[0], &two, &known.arrows), None);
        let three = imports("ab ba ac cb");
        let found = report(&loops(&three)[0], &three, &known.arrows).unwrap_or_default();
        assert_eq!(
            found,
            "a loop of 3 files:\n    x/a\n    x/b\n    x/c\n  a shortest way round:\n    \
            x/c:1 imports x/b (it)\n    x/b:1 imports x/a (it)\n    x/a:1 imports x/c (it)\n  \
            the list would be right without any one of:\n    x/a:1 imports x/c (it)\n    x/c:1 imports x/b (it)"
        );
    }

    #[test]
    fn a_loop_without_a_reason_and_an_import_listed_twice_are_reported() {
        let known = KnownLoops::new("x\n    a -> b b\n");
        assert_eq!(known.problems, ["x: the loop has no reason", "x/a -> x/b stands there twice"]);
    }
}
