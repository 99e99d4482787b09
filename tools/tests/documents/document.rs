//! A document in Markdown: its tables by heading, and its blocks by language.

/// The text of a document.
#[derive(Clone, Copy)]
pub(crate) struct Document(pub(crate) &'static str);

/// A row of a table, as cells.
pub(crate) type Row = Vec<&'static str>;

impl Document {
    /// The rows of the table under a heading.
    pub(crate) fn table(self, heading: &str) -> Vec<Row> {
        let below = self.below(heading);
        let rows = below.skip_while(|line| !line.starts_with('|'));
        rows.take_while(|line| line.starts_with('|')).skip(2).map(cells).collect()
    }

    /// The names between backticks in the first column of the table under a heading, in order.
    pub(crate) fn names(self, heading: &str) -> Vec<&'static str> {
        self.table(heading).iter().flat_map(|row| quoted(row[0])).collect()
    }

    /// The headings above tables of keys, in order.
    pub(crate) fn headings_of_keys(self) -> Vec<&'static str> {
        let mut last = "";
        let mut found = Vec::new();
        for line in self.0.lines() {
            if line.starts_with('#') {
                last = line;
            } else if line == "| key | type | default | meaning |" {
                found.push(last);
            }
        }
        found
    }

    /// The only block of a language.
    pub(crate) fn block(self, language: &str) -> String {
        let fence = format!("```{language}");
        let mut after = self.0.lines().skip_while(|line| *line != fence).skip(1);
        let block: Vec<&str> = after.by_ref().take_while(|line| *line != "```").collect();
        assert!(!block.is_empty(), "no block of {language}");
        assert!(!after.any(|line| line == fence), "two blocks of {language}");
        block.join("\n") + "\n"
    }

    fn below(self, heading: &str) -> impl Iterator<Item = &'static str> {
        let mut lines = self.0.lines();
        assert!(lines.any(|line| line == heading), "no heading {heading}");
        lines.take_while(|line| !line.starts_with('#'))
    }
}

fn cells(line: &'static str) -> Row {
    line.trim_matches('|').split('|').map(str::trim).collect()
}

/// What stands between backticks.
pub(crate) fn quoted(cell: &'static str) -> Vec<&'static str> {
    cell.split('`').skip(1).step_by(2).collect()
}

#[test]
fn a_table_ends_with_its_heading_and_names_may_share_a_cell() {
    let document = Document(
        "# a\n| key | type | default | meaning |\n|---|\n| `b`, `c` | d |\n| `e` | f |\n\n## g\n\
         ```toml\n# no heading\n```\n",
    );
    assert_eq!(document.names("# a"), ["b", "c", "e"]);
    assert_eq!(document.table("# a")[1], ["`e`", "f"]);
    assert!(document.names("## g").is_empty());
    assert_eq!(document.headings_of_keys(), ["# a"]);
    assert_eq!(document.block("toml"), "# no heading\n");
}
