//! Absences, expectations and separation that are wrong.

use super::*;

#[test]
fn wrong_absences_and_expectations_are_refused_with_line_and_key() {
    check(&[
        ("", "[[not_resident]]\nsector = [0, 0]\nfrom = 5", 1, &["[[not_resident]] has no `to`"]),
        ("", "[[not_resident]]\nto = 5", 1, &["[[not_resident]] has no `sector`"]),
        ("", "[[not_resident]]\nsector = [0, 0]", 1, &["[[not_resident]] has no `from`"]),
        (GONE, "from = 5\nto = 5", 2, &["`to` is 5", "after `from`, which is 5"]),
        (GONE, "from = 5\nto = 3", 2, &["`to` is 3"]),
        ("", "[[not_resident]]\nsector = [0]\nfrom = 0\nto = 1", 2, &["`sector` is [0]"]),
        (GONE, "until = 5", 1, &["unknown key `until` in [[not_resident]]"]),
        (EXPECT, "where = 1", 1, &["unknown key `where` in [[expect]]"]),
        ("", "[[expect]]\ntick = 5", 1, &["[[expect]] has no `unit`"]),
        (EXPECT, "[[expect]]\nunit = \"b\"", 2, &["`unit` is \"b\"", "a unit: \"a\""]),
        (EXPECT, "tick = 101", 1, &["`tick` is 101", "at most `ticks`, which is 100"]),
        (EXPECT, "tick = -1", 1, &["`tick` is -1"]),
        (EXPECT, "tick = 5\nevery = [1, 2]", 2, &["`every` together with `tick`"]),
        (EXPECT, "every = [1, 2]\ntick = 5", 2, &["`tick` together with `every`"]),
        (EXPECT, "every = 5", 1, &["`every` is 5", "[from, to] or [from, to, step]"]),
        (EXPECT, "every = [5]", 1, &["`every` is [5]"]),
        (EXPECT, "every = [5, 5]", 1, &["`every` is [5, 5]", "the first is below the second"]),
        (EXPECT, "every = [5, 101]", 1, &["`every[1]` is 101", "`ticks`, which is 100"]),
        (EXPECT, "every = [1, 9, 0]", 1, &["`every[2]` is 0", "a divisor of the 8 ticks"]),
        (EXPECT, "every = [1, 9, 3]", 1, &["`every[2]` is 3", "a divisor of the 8 ticks"]),
        (EXPECT, "at = []", 1, &["`at` is []", "at least one"]),
        (EXPECT, "at = [5]", 1, &["`at[0]` is 5"]),
        (EXPECT, "at = [{ at = [] }]", 1, &["unknown key `at` in at[0]"]),
        (EXPECT, "at = [{ tick = 5 },\n{ tick = 101 }]", 2, &["`at[1].tick` is 101"]),
        (EXPECT, "at = [{ tick = 5, every = [1, 2] }]", 1, &["together with"]),
        (EXPECT, "tick = 5\nevery = [1, 2]\nat = [{ tick = 5 }]", 2, &["`every` together with"]),
        (EXPECT, "min = [1, 1, 1]\nat = [{ max = [2, 0, 2] }]", 2, &["`at[0].max` is", "in `min`"]),
        ("", "[[expect]]\nat = [{ tick = 5 }]", 2, &["at[0] has no `unit`"]),
        ("", "[[expect]]\nunit = []", 2, &["`unit` is []", "one name of a unit, or several"]),
        (
            "",
            "[[units]]\nname = \"a\"\nposition = [0,0,0]\n[[expect]]\nunit = [\"a\", \"b\"]",
            5,
            &["`unit[1]` is \"b\""],
        ),
        (EXPECT, "position = [1, 2]", 1, &["`position` is [1, 2]", "\"any\""]),
        (EXPECT, "position = [1, \"all\", 2]", 1, &["`position[1]` is \"all\"", "\"any\""]),
        (EXPECT, "position = \"any\"", 1, &["`position` is \"any\""]),
        (EXPECT, "tolerance = 0", 1, &["`tolerance` is 0", "above 0"]),
        (EXPECT, "tolerance = -0.1", 1, &["`tolerance` is -0.1"]),
        (EXPECT, "mode = \"flying\"", 1, &["`mode` is \"flying\"", "\"held\" or \"overloaded\""]),
        (EXPECT, "min = [0, 0, inf]", 1, &["`min[2]` is inf"]),
        (EXPECT, "min = [0, 1, 0]\nmax = [\"any\", 0, 5]", 2, &["`max` is", "in `min`"]),
        (EXPECT, "speed = -5", 1, &["`speed` is -5", "at least 0"]),
        (EXPECT, "speed_tolerance = 0", 1, &["`speed_tolerance` is 0"]),
    ]);
}

#[test]
fn wrong_separation_is_refused_with_line_and_key() {
    check(&[
        ("", "separation = true", 1, &["`separation` is true", "{ rate, push_max, rest }"]),
        ("[separation]\n", "radius = 1", 1, &["unknown key `radius` in separation"]),
        ("[separation]\n", "rate = -1", 1, &["`separation.rate` is -1", "0 to 1000 per second"]),
        ("[separation]\n", "push_max = 65", 1, &["`separation.push_max` is 65", "0 to 64 m/s"]),
        ("[separation]\n", "rest = nan", 1, &["`separation.rest` is nan"]),
    ]);
}
