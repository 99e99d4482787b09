//! Which scenarios there are, and at which rates they hold.

use std::path::{Path, PathBuf};

/// Rates at which a scenario holds unless it says otherwise. Hz.
pub(crate) const RATES: [f64; 4] = [30.0, 60.0, 120.0, 240.0];

/// Every TOML file below a folder, in order.
pub(crate) fn below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = std::fs::read_dir(folder) else { return found };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(below(&path));
        } else if path.extension().is_some_and(|end| end == "toml") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The rates at which a file says that it holds, its own included, in order.
pub(crate) fn rates(text: &str, own: f64) -> Result<Vec<f64>, String> {
    let said = text.lines().find_map(|line| {
        let comment = line.trim().strip_prefix('#')?.trim_start();
        let rest = comment.strip_prefix("rates:").or_else(|| comment.strip_prefix("only at "))?;
        Some((line.trim(), rest))
    });
    let mut rates = match said {
        None => RATES.to_vec(),
        Some((line, rest)) => {
            let (list, _) = rest
                .split_once(':')
                .filter(|(_, reason)| !reason.trim().is_empty())
                .ok_or_else(|| format!("`{line}` gives no reason"))?;
            let words = list.split_whitespace().filter(|word| *word != "Hz");
            words
                .map(|word| word.trim_end_matches(',').parse())
                .collect::<Result<Vec<f64>, _>>()
                .map_err(|_| format!("`{line}` names no rates"))?
        }
    };
    rates.push(own);
    rates.sort_by(f64::total_cmp);
    rates.dedup();
    Ok(rates)
}

/// Whether a file says that units are inside of things in it: `# overlaps: reason`.
pub(crate) fn may_overlap(text: &str) -> Result<bool, String> {
    let said = text.lines().find_map(|line| {
        let reason = line.trim().strip_prefix('#')?.trim_start().strip_prefix("overlaps:")?;
        Some((line.trim(), reason))
    });
    match said {
        Some((line, reason)) if reason.trim().is_empty() => {
            Err(format!("`{line}` gives no reason"))
        }
        said => Ok(said.is_some()),
    }
}

#[test]
fn a_comment_says_that_units_overlap() {
    assert_eq!(may_overlap("# overlap\n"), Ok(false));
    assert_eq!(may_overlap("a = 1\n# overlaps: it is put into the wall\n"), Ok(true));
    assert!(may_overlap("# overlaps:\n").is_err());
}

#[test]
fn a_comment_says_at_which_rates_a_scenario_holds() {
    assert_eq!(rates("name = \"n\"\n", 60.0), Ok(vec![30.0, 60.0, 120.0, 240.0]));
    assert_eq!(rates("", 50.0), Ok(vec![30.0, 50.0, 60.0, 120.0, 240.0]));
    assert_eq!(rates("# a\n  # only at 60 Hz: it is tight.\n", 60.0), Ok(vec![60.0]));
    assert_eq!(rates("# only at 120 Hz: no\n", 60.0), Ok(vec![60.0, 120.0]));
    assert_eq!(rates("# rates: 60 120: below, it is stepped over\n", 60.0), Ok(vec![60.0, 120.0]));
    assert_eq!(rates("#rates: 240, 60: so\n", 60.0), Ok(vec![60.0, 240.0]));
    for bad in ["# only at 60 Hz\n", "# rates: 60 120\n", "# rates: 60: \n", "# rates: all: so\n"] {
        assert!(rates(bad, 60.0).is_err(), "{bad}");
    }
}
