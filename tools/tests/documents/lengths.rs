//! `README.md` and `ARCHITECTURE.md` are short enough to be read.

const README: &str = include_str!("../../../README.md");
const ARCHITECTURE: &str = include_str!("../../../ARCHITECTURE.md");

/// Most characters of a line outside tables: lines are not made fewer by making them longer.
const WIDTH_MAX: usize = 120;

#[test]
fn what_is_read_first_is_short() {
    for (name, text, most) in [("README.md", README, 250), ("ARCHITECTURE.md", ARCHITECTURE, 380)] {
        let lines = text.lines().count();
        assert!(lines <= most, "{name}: {lines} lines, expected at most {most}");
        for line in text.lines().filter(|line| !line.starts_with('|')) {
            let width = line.chars().count();
            assert!(width <= WIDTH_MAX, "{name}: {width} characters, at most {WIDTH_MAX}: {line}");
        }
    }
}
