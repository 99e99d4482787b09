//! How `marchland run` ends.

use crate::fixtures::*;

#[test]
fn a_run_whose_expectations_hold_ends_with_0_and_a_line_for_each_unit() {
    let folder = Folder::with(&format!("{FLAT}{TWO}"));
    let ran = folder.run("run.toml").ended(0, &[]);
    assert_eq!(ran.err, "");
    assert_eq!(
        ran.out,
        "a: (4.000, 2.000, -4.000) walking 5.000 m/s\n\
         b: (9.000, 5.095, 0.000) falling 9.810 m/s\n"
    );
}

#[test]
fn a_run_with_failed_expectations_ends_with_1_and_a_sentence_for_each() {
    let failing = TWO.replace("[4, 2, -4]", "[4.5, 2, -4]").replace("\"falling\"", "\"sliding\"");
    let folder = Folder::with(&format!("{FLAT}{failing}"));
    let ran = folder.run("run.toml").ended(1, &["run.toml: 2 expectations do not hold"]);
    let failures = [
        "unit a at tick 60: x is 4, expected 4.5 ± 0.01",
        "unit b at tick 30: mode is falling, expected sliding",
    ];
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(lines.len(), 4, "{}", ran.out);
    assert_eq!(lines[2..], failures);
    // For programs the same, on standard output alone.
    let ran = folder.run("run.toml --json").ended(1, &["2 expectations do not hold"]);
    assert_eq!(ran.json()["failures"], serde_json::json!(failures));
    let one = TWO.replace("[4, 2, -4]", "[4.5, 2, -4]");
    let folder = Folder::with(&format!("{FLAT}{one}"));
    folder.run("run.toml").ended(1, &["run.toml: 1 expectation does not hold"]);
}

#[test]
fn a_wrong_file_or_wrong_words_end_with_2_and_say_where() {
    let folder = Folder::with(&format!("{FLAT}{TWO}"));
    folder.file("key.toml", &format!("{FLAT}[[units]]\nname = \"a\"\npositoin = [0, 0, 0]\n"));
    let ran = folder.run("key.toml --json").ended(2, &["key.toml, line 8", "`positoin`"]);
    assert_eq!(ran.out, "");
    folder.file("half.toml", "version = 1\nname = ");
    folder.run("half.toml").ended(2, &["half.toml, line 2", "not TOML"]);
    folder.file("value.toml", &format!("{FLAT}gravity = 1\n").replace("ticks = 60", "ticks = -1"));
    folder.run("value.toml").ended(2, &["value.toml, line 3", "`ticks` is -1"]);
    folder.file("world.toml", "version = 1\nname = \"n\"\nticks = 1\n[terrain]\nworld = \"no\"\n");
    folder.run("world.toml").ended(2, &["world.toml, line 5", "`world`", "no: does not exist"]);
    folder.run("run.toml --rate 8").ended(0, &[]);
    folder.run("run.toml --rate 7.5").ended(2, &["run.toml, line 3", "`ticks`", "7.5", "hint"]);
    folder.run("run.toml --rate -60").ended(2, &["-60 Hz", "4 to 100000 Hz"]);
    folder.run("run.toml --rate nan").ended(2, &["4 to 100000 Hz"]);
    folder.run("run.toml --path sideways").ended(2, &["auto", "full"]);
    folder.run("run.toml --threads 0").ended(2, &["threads"]);
    folder.run("").ended(2, &["FILE.toml"]);
}

#[test]
fn what_cannot_be_read_or_written_ends_with_3() {
    let folder = Folder::with(&format!("{FLAT}{TWO}"));
    folder.run("gone.toml").ended(3, &["gone.toml"]);
    let ran = folder.run("run.toml --json --trace gone/out.csv").ended(3, &["gone/out.csv"]);
    assert_eq!(ran.out, "");
    folder.run("run.toml --trace .").ended(3, &[".: "]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_trace_that_does_not_fit_ends_with_3() {
    let folder = Folder::with(&format!("{FLAT}{TWO}"));
    folder.run("run.toml --trace /dev/full").ended(3, &["/dev/full"]);
    let units = TWO.split("[[expect]]").next().unwrap();
    let longer = format!("{FLAT}{units}").replace("ticks = 60", "ticks = 6000");
    folder.file("longer.toml", &longer);
    folder.run("longer.toml --trace /dev/full").ended(3, &["/dev/full"]);
}

#[test]
fn what_was_decided_on_the_way_is_a_note_beside_the_results() {
    let leaf = "[meshes.leaf]\nfile = \"leaf.obj\"\n\
                [[props]]\nmesh = \"leaf\"\nposition = [50, 0, 0]\n";
    let folder = Folder::with(&format!("{FLAT}{leaf}{TWO}"));
    folder.file("leaf.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nl 1 2\n");
    let ran = folder
        .run("run.toml --json")
        .ended(0, &["note: mesh \"leaf\": ignored lines, points and curves: 1"]);
    assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);
    ran.json();
}

#[test]
fn a_trace_is_not_written_over_what_the_run_reads() {
    let toml = format!("{FLAT}{TWO}[meshes.leaf]\nfile = \"leaf.obj\"\n");
    let folder = Folder::with(&toml);
    folder.file("leaf.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    for out in ["run.toml", "./run.toml", "leaf.obj"] {
        let words = format!("run.toml --trace {out}");
        folder.run(&words).ended(2, &[out, "this command reads it", "hint: ", "--trace"]);
    }
    assert_eq!(folder.read("run.toml"), toml);
    folder.run("run.toml --trace leaf.csv").ended(0, &[]);
    assert_eq!(std::fs::read_dir(folder.path("")).unwrap().count(), 3);
}

#[cfg(target_os = "linux")]
#[test]
fn a_trace_that_fails_hides_no_verdict() {
    let failing = TWO.replace("[4, 2, -4]", "[4.5, 2, -4]");
    let toml = format!("{FLAT}{failing}").replace("ticks = 60", "ticks = 600");
    let folder = Folder::with(&toml);
    let says = ["error: /dev/full: ", "do not hold"];
    let ran = folder.run("run.toml --trace /dev/full").ended(1, &says);
    assert!(ran.out.contains("expected 4.5"), "{}", ran.out);
    // A pipe is written straight on.
    let folder = Folder::with(&format!("{FLAT}{TWO}"));
    let ran = folder.run("run.toml --trace /dev/stdout").ended(0, &[]);
    assert_eq!(ran.out.lines().count(), 1 + 61 * 2 + 2, "{}", ran.out);
}
