//! The settings of a bake as the text that a world's bake record holds, and what they are in it.
//!
//! A line is `name = value`, the value as Rust's `Debug` prints it. A bake whose record equals the world's has
//! nothing to do, so this text must not change, or every world would be baked again: it is translated where
//! people and programs read it.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use marchland_terrain::bake::BakeSettings;
use serde_json::{Map, Value};

use super::args::BakeArgs;
use crate::import::{Channel, Encoding, Endian, Format, ImportOptions};

/// One line for each setting, in a fixed order: equal texts, equal worlds.
pub(super) fn write(
    settings: &BakeSettings,
    options: &ImportOptions,
    args: &BakeArgs,
    overlap: Option<u32>,
) -> String {
    let grid = settings.grid;
    let mask = |path: &Option<PathBuf>| path.as_deref().map(bare_name);
    let lines = [
        ("cell", format!("{:?}", grid.cell())),
        ("sector size", format!("{:?}", grid.sector_size().metres())),
        ("quantum", format!("{:?}", grid.quantum())),
        ("spacing", format!("{:?}", settings.spacing)),
        ("origin", format!("{:?}", settings.origin)),
        ("void", format!("{:?}", settings.void)),
        ("heights", format!("{:?}", options.range)),
        ("nodata", format!("{:?}", options.nodata)),
        ("flip y", options.flip_y.to_string()),
        ("format", format!("{:?}", options.format)),
        ("endian", format!("{:?}", options.endian)),
        ("channel", format!("{:?}", options.channel)),
        ("encoding", format!("{:?}", options.encoding)),
        ("columns and rows", format!("{:?} {:?}", options.columns, options.rows)),
        ("tiles", format!("{:?} {:?} {overlap:?}", options.tiles, options.tile_columns)),
        ("allow missing", options.allow_missing.to_string()),
        ("masks", format!("{:?} {:?}", mask(&args.holes), mask(&args.surfaces))),
        ("surfaces", format!("{:?}", args.surface_names)),
    ];
    let mut text = lines.map(|(name, value)| format!("{name} = {value}\n")).concat();
    if !args.props.is_empty() {
        let names: Vec<String> = args.props.iter().map(|path| bare_name(path)).collect();
        text += &format!("props = {names:?}\n");
    }
    text
}

/// A file's name without its folders.
pub(crate) fn bare_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The settings of a record by name: numbers, strings, arrays, and null for what was not given. The height
/// range is an object. What is not written as above is a string, as it stands.
pub(crate) fn read(text: &str) -> Map<String, Value> {
    let mut settings = Map::new();
    for line in text.lines() {
        let (name, value) = line.split_once(" = ").unwrap_or((line, ""));
        let keys = keys(name);
        match values(name, value).filter(|values| values.len() == keys.len()) {
            Some(values) => settings.extend(keys.into_iter().zip(values)),
            None => drop(settings.insert(name.replace(' ', "_"), value.into())),
        }
    }
    settings
}

/// A setting in words.
pub(crate) fn in_words(value: &Value) -> String {
    match value {
        Value::Null => "not given".into(),
        Value::Bool(is_set) => (if *is_set { "yes" } else { "no" }).into(),
        Value::String(text) => text.clone(),
        Value::Number(number) => {
            let whole = number.as_f64().filter(|_| number.is_f64());
            whole.map_or_else(|| number.to_string(), |number| number.to_string())
        }
        Value::Array(all) => all.iter().map(in_words).collect::<Vec<_>>().join(", "),
        Value::Object(all) => {
            let parts = all.iter().map(|(name, value)| format!("{name} {}", in_words(value)));
            parts.collect::<Vec<_>>().join(", ")
        }
    }
}

/// What the values of a line are called, as the flags of a bake are.
fn keys(name: &str) -> Vec<String> {
    match name {
        "columns and rows" => vec!["columns".into(), "rows".into()],
        "tiles" => vec!["tiles".into(), "tile_columns".into(), "tile_overlap".into()],
        "masks" => vec!["holes".into(), "surfaces".into()],
        "surfaces" => vec!["surface_names".into()],
        _ => vec![name.replace(' ', "_")],
    }
}

/// The values of a line, `None` where one is not as [`write`] writes it.
fn values(name: &str, text: &str) -> Option<Vec<Value>> {
    if name == "demo props" {
        // A hash, which may happen to look like a number.
        return Some(vec![text.into()]);
    }
    let mut reader = Reader { name, left: text };
    let mut values = vec![reader.value()?];
    while reader.eat(" ") {
        values.push(reader.value()?);
    }
    reader.left.is_empty().then_some(values)
}

/// Reads what `Debug` prints.
struct Reader<'a> {
    name: &'a str,
    left: &'a str,
}

impl<'a> Reader<'a> {
    fn eat(&mut self, what: &str) -> bool {
        let left = self.left.strip_prefix(what);
        self.left = left.unwrap_or(self.left);
        left.is_some()
    }

    /// What comes before the first character that does not belong to it.
    fn take(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        let end = self.left.find(|char| !belongs(char)).unwrap_or(self.left.len());
        let (taken, left) = self.left.split_at(end);
        self.left = left;
        taken
    }

    fn value(&mut self) -> Option<Value> {
        if self.eat("\"") {
            return self.string();
        }
        if self.eat("[") {
            return self.list("]", Self::value).map(Value::Array);
        }
        if self.left.starts_with(|char: char| char == '-' || char.is_ascii_digit()) {
            let number = self.take(|char| char.is_ascii_alphanumeric() || "+-.".contains(char));
            return serde_json::from_str(number).ok();
        }
        let word = self.take(|char| char.is_ascii_alphanumeric());
        if self.eat("(") {
            // `Some` of something, or a word that its kind of value tells: `Height(2.5)`.
            let value = self.value()?;
            return self.eat(")").then_some(value);
        }
        if self.eat(" { ") {
            let fields = self.list(" }", |reader| {
                let name = reader.take(|char| char != ':');
                reader.eat(": ").then_some((name.to_owned(), reader.value()?))
            });
            return fields.map(|fields| Value::Object(fields.into_iter().collect()));
        }
        match word {
            "" => None,
            "None" => Some(Value::Null),
            "true" | "false" => Some((word == "true").into()),
            _ => Some(self.flag_value(word).into()),
        }
    }

    fn list<T>(&mut self, end: &str, one: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let mut all = Vec::new();
        while !self.eat(end) {
            if !all.is_empty() && !self.eat(", ") {
                return None;
            }
            all.push(one(self)?);
        }
        Some(all)
    }

    /// A string, after its first quotation mark.
    fn string(&mut self) -> Option<Value> {
        let mut text = String::new();
        let mut chars = self.left.chars();
        loop {
            text.push(match chars.next()? {
                '"' => break,
                '\\' => match chars.next()? {
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    '0' => '\0',
                    'u' => {
                        let (code, after) = chars.as_str().strip_prefix('{')?.split_once('}')?;
                        chars = after.chars();
                        char::from_u32(u32::from_str_radix(code, 16).ok()?)?
                    }
                    same => same,
                },
                char => char,
            });
        }
        self.left = chars.as_str();
        Some(text.into())
    }

    /// How the flag of this name would say it.
    fn flag_value(&self, word: &str) -> String {
        fn said<T: ValueEnum + std::fmt::Debug>(word: &str) -> Option<String> {
            let one = T::value_variants().iter().find(|one| format!("{one:?}") == word)?;
            Some(one.to_possible_value()?.get_name().to_owned())
        }
        let said = match self.name {
            "format" => said::<Format>(word),
            "endian" => said::<Endian>(word),
            "channel" => said::<Channel>(word),
            "encoding" => said::<Encoding>(word),
            _ => None,
        };
        said.unwrap_or_else(|| word.to_lowercase())
    }
}

#[cfg(test)]
mod tests {
    use marchland_terrain::Grid;
    use marchland_terrain::bake::VoidPolicy;
    use serde_json::json;

    use super::*;
    use crate::import::HeightRange;

    fn written(void: VoidPolicy, options: &ImportOptions, args: &BakeArgs) -> String {
        let grid = Grid::new(2.0, 64.0, 1.0 / 256.0).unwrap();
        let settings = BakeSettings {
            grid,
            spacing: [1.5, 30.0],
            origin: [-32.0, 1e-7],
            void,
            surface_names: 1,
        };
        write(&settings, options, args, Some(1))
    }

    #[test]
    fn the_least_that_is_given_is_read_back() {
        let args = BakeArgs::new("a.png".into(), "a.world".into());
        let text = written(VoidPolicy::Hole, &ImportOptions::default(), &args);
        let expected = json!({
            "cell": 2.0, "sector_size": 64.0, "quantum": 0.00390625, "spacing": [1.5, 30.0],
            "origin": [-32.0, 1e-7], "void": "hole", "heights": null, "nodata": null,
            "flip_y": false, "format": "auto", "endian": null, "channel": null, "encoding": null,
            "columns": null, "rows": null, "tiles": null, "tile_columns": null, "tile_overlap": 1,
            "allow_missing": false, "holes": null, "surfaces": null, "surface_names": null,
        });
        assert_eq!(Value::Object(read(&text)), expected);
    }

    #[test]
    fn everything_that_can_be_given_is_read_back() {
        let names = ["dirt, \"wet\"", "\u{1f33e} \\ \n\u{7}", "rock"].map(str::to_owned);
        let mut args = BakeArgs::new("a.png".into(), "a.world".into());
        args.holes = Some("in/some = folder/ho les.png".into());
        args.surfaces = Some("s.png".into());
        args.surface_names = Some(names.to_vec());
        args.props = vec!["p.toml".into(), "q.toml".into()];
        let mut options = ImportOptions {
            format: Format::R16,
            endian: Some(Endian::Big),
            channel: Some(Channel::Alpha),
            encoding: Some(Encoding::TerrainRgb),
            columns: Some(9),
            rows: Some(7),
            range: Some(HeightRange::MinMax { min: -5.0, max: 1200.5 }),
            flip_y: true,
            nodata: Some(-9999.0),
            tiles: Some("t_{x}_{y}.png".into()),
            tile_columns: Some(3),
            tile_overlap: None,
            allow_missing: true,
        };
        let found = read(&written(VoidPolicy::Height(2.5), &options, &args));
        for (key, value) in [
            ("void", json!(2.5)),
            ("format", json!("r16")),
            ("endian", json!("be")),
            ("channel", json!("a")),
            ("encoding", json!("terrain-rgb")),
            ("columns", json!(9)),
            ("rows", json!(7)),
            ("heights", json!({ "min": -5.0, "max": 1200.5 })),
            ("flip_y", json!(true)),
            ("nodata", json!(-9999.0)),
            ("tiles", json!("t_{x}_{y}.png")),
            ("tile_columns", json!(3)),
            ("holes", json!("ho les.png")),
            ("surfaces", json!("s.png")),
            ("surface_names", json!(names)),
            ("props", json!(["p.toml", "q.toml"])),
        ] {
            assert_eq!(found[key], value, "{key}");
        }
        options.range = Some(HeightRange::ScaleOffset { scale: 0.1, offset: -100.0 });
        let found = read(&written(VoidPolicy::Error, &options, &args));
        assert_eq!(found["heights"], json!({ "scale": 0.1, "offset": -100.0 }));
        assert_eq!(found["void"], json!("error"));
    }

    #[test]
    fn what_others_wrote_is_given_as_it_stands() {
        let text =
            "demo props = 12345678\nby hand\ncell = Some(\nnodata = Some(NaN)\ntiles = None\n";
        let expected = json!({
            "demo_props": "12345678", "by_hand": "", "cell": "Some(", "nodata": "nan", "tiles": "None",
        });
        assert_eq!(Value::Object(read(text)), expected);
    }

    #[test]
    fn settings_are_told_in_words() {
        for (value, words) in [
            (json!(null), "not given"),
            (json!(true), "yes"),
            (json!("hole"), "hole"),
            (json!([1.0, -0.5]), "1, -0.5"),
            (json!(7), "7"),
            (json!({ "min": 0.0, "max": 9.5 }), "min 0, max 9.5"),
        ] {
            assert_eq!(in_words(&value), words);
        }
    }
}
