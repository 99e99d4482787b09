//! Every scenario of `worlds/scenarios` holds: at its own rate and at others, on both paths, here and
//! far away; and nobody is inside of anything. All that does not hold is told, not only the first.
//!
//! A file says in a comment where it holds at fewer rates, and why: `# only at 60 Hz: reason`, or
//! `# rates: 60 120: reason`; its own rate is always among them. And where units are inside of things
//! that did not begin so and are not pressed or stuck: `# overlaps: reason`.
//!
//! And every expectation fails in a world that is wrong in something (`breaks`).
// Helpers are no tests to the lint, but only tests call them.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod breaks;
mod files;
mod overlap;
mod runs;
#[path = "../scenario_run/whole.rs"]
mod whole;

use std::path::Path;

use rayon::prelude::*;

/// Everything that does not hold in the scenarios of a folder, in the order of their names.
fn findings(folder: &Path) -> (usize, Vec<String>) {
    let files = files::below(folder);
    let found: Vec<Vec<String>> = files.par_iter().map(|file| runs::findings(file)).collect();
    let named = files.iter().zip(found).flat_map(|(file, found)| {
        let name = file.strip_prefix(folder).unwrap_or(file).display().to_string();
        found.into_iter().map(move |what| format!("{name}: {what}"))
    });
    (files.len(), named.collect())
}

/// How many findings each file has: what is read first where there are many.
fn by_file(findings: &[String]) -> Vec<String> {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for finding in findings {
        let name = finding.split(": ").next().unwrap_or_default();
        match counts.last_mut() {
            Some((last, count)) if *last == name => *count += 1,
            _ => counts.push((name, 1)),
        }
    }
    counts.into_iter().map(|(name, count)| format!("{count:6} {name}")).collect()
}

#[test]
fn every_scenario_holds_at_every_rate_on_both_paths_and_far_away() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../worlds/scenarios");
    let (files, findings) = findings(&folder);
    assert!(files > 0, "no scenario in {}", folder.display());
    let (count, all) = (findings.len(), findings.join("\n"));
    let last = by_file(&findings).join("\n");
    assert!(findings.is_empty(), "{count} findings in {files} files:\n{all}\nof them\n{last}");
}

#[test]
fn all_faults_of_all_files_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let falls = "version = 1\nname = \"n\"\nticks = 60\n[[units]]\nname = \"a\"\n\
                 position = [0, 9, 0]\n[[expect]]\nunit = \"a\"\nmode = \"falling\"\n";
    file("good.toml", falls);
    file("no-scenario.txt", "");
    file("a/key.toml", &falls.replace("mode", "mood"));
    let wrong = falls.replace("falling", "walking");
    file("b/wrong.toml", &wrong);
    file("c/odd.toml", &falls.replace("ticks = 60", "ticks = 61"));
    file(
        "c/odd-and-says-so.toml",
        &format!("# only at 60 Hz: 61 is odd.\n{falls}").replace("60\n", "61\n"),
    );
    // A block moves through a unit that is held, which is nobody's fault but seen.
    let inside = falls.replace("falling", "held")
        + "[[not_resident]]\nsector = [0, 0]\nfrom = 0\nto = 60\n[meshes.b]\nbox = [1, 1, 1]\n\
           [[props]]\nmesh = \"b\"\nposition = [-3, 10, 0]\nvelocity = [6, 0, 0]\n";
    file("e/inside.toml", &inside);
    file("e/inside-and-says-so.toml", &format!("# overlaps: it is put there.\n{inside}"));
    file("d/bare.toml", &format!("# only at 60 Hz\n{falls}"));
    file("d/bare-reason.toml", &format!("# rates: 60 120:\n{falls}"));
    let (files, found) = findings(folder.path());
    assert_eq!(files, 9);
    let of = |name: &str| found.iter().filter(|found| found.starts_with(name)).collect::<Vec<_>>();
    assert_eq!(of("good.toml").len() + of("c/odd-and-says-so.toml").len(), 0, "{found:#?}");
    let key = of("a/key.toml");
    assert!(key.len() == 1 && key[0].contains("line 9") && key[0].contains("`mood`"), "{key:?}");
    // Once at each of four rates, for both paths, here and far away.
    let wrong = of("b/wrong.toml");
    assert!(wrong.len() == 4 && wrong[3].contains("at 240 Hz: unit a"), "{wrong:#?}");
    let odd = of("c/odd.toml");
    assert!(odd.len() == 1 && odd[0].contains("at 30 Hz") && odd[0].contains("30.5"), "{odd:?}");
    for name in ["d/bare.toml", "d/bare-reason.toml"] {
        assert!(of(name).len() == 1 && of(name)[0].contains("reason"), "{found:#?}");
    }
    let inside = of("e/inside.toml");
    assert_eq!(inside.len(), 4, "{found:#?}");
    for (rate, found) in [30, 60, 120, 240].into_iter().zip(inside) {
        let expected = format!("at {rate} Hz, here: unit a was 0.");
        assert!(found.contains(&expected), "{found}, expected {expected}");
    }
    assert_eq!(found.len(), 1 + 4 + 1 + 2 + 4, "{found:#?}");
}
