//! Rust source as words and punctuation: no comments, no numbers, no characters, no lifetimes.

/// A word, a piece of punctuation or a string literal (which keeps its quotes).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    pub text: &'a str,
    /// Counted from 1.
    pub line: usize,
}

impl Token<'_> {
    pub fn is_word(&self) -> bool {
        self.text.starts_with(begins_word)
    }
}

fn begins_word(c: char) -> bool {
    c == '_' || c.is_alphabetic()
}

fn in_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

/// The tokens of a file. `::` and `..` are one token each, all other punctuation is single characters.
pub fn tokens(source: &str) -> Vec<Token<'_>> {
    let mut list = Vec::new();
    let mut at = 0;
    let mut line = 1;
    while at < source.len() {
        let rest = &source[at..];
        let (len, kept) = next(rest);
        if kept {
            let text = &rest[..len];
            let text = match text.find('"') {
                Some(quote) => &text[quote..], // without the prefix, which looks like a word
                None => text.trim_start_matches("r#"),
            };
            list.push(Token { text, line });
        }
        line += rest[..len].matches('\n').count();
        at += len;
    }
    list
}

/// The length in bytes of what `rest` begins with, and whether it is a token that is kept.
fn next(rest: &str) -> (usize, bool) {
    let first = rest.chars().next().unwrap_or(' ');
    if rest.starts_with("//") {
        return (rest.find('\n').unwrap_or(rest.len()), false);
    }
    if rest.starts_with("/*") {
        return (block_comment(rest), false);
    }
    if let Some(len) = string(rest) {
        return (len, true);
    }
    if first == '\'' {
        return (quoted_or_lifetime(rest), false);
    }
    if rest.starts_with("b'") {
        return (1 + quoted_or_lifetime(&rest[1..]), false);
    }
    if begins_word(first) {
        let prefix = if rest.starts_with("r#") { 2 } else { 0 };
        let len = rest[prefix..].find(|c| !in_word(c)).unwrap_or(rest.len() - prefix);
        return (prefix + len, true);
    }
    if first.is_ascii_digit() {
        return (rest.find(|c| !in_word(c)).unwrap_or(rest.len()), false);
    }
    if rest.starts_with("::") || rest.starts_with("..") {
        return (2, true);
    }
    (first.len_utf8(), !first.is_whitespace())
}

/// Block comments nest.
fn block_comment(rest: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < rest.len() {
        let here = &rest.as_bytes()[at..];
        if here.starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if here.starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    rest.len()
}

/// The length of the string literal that `rest` begins with: plain, of bytes, of C, raw or both.
fn string(rest: &str) -> Option<usize> {
    let prefix = ["br", "cr", "b", "c", "r", ""].into_iter().find(|&prefix| {
        rest.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(['"', '#']))
    })?;
    let after = &rest[prefix.len()..];
    if prefix.ends_with('r') {
        let hashes = after.len() - after.trim_start_matches('#').len();
        let body = after[hashes..].strip_prefix('"')?; // or a raw word
        let end = format!("\"{}", "#".repeat(hashes));
        let len = body.find(&end).map_or(body.len(), |found| found + end.len());
        return Some(prefix.len() + hashes + 1 + len);
    }
    let body = after.strip_prefix('"')?;
    let mut escaped = false;
    let end = body.find(|c| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    });
    Some(end.map_or(rest.len(), |end| prefix.len() + 1 + end + 1))
}

/// The length of a character such as 'x' or '\u{1F}', or of a lifetime such as 'x.
fn quoted_or_lifetime(rest: &str) -> usize {
    let body = &rest[1..];
    if let Some(escape) = body.strip_prefix('\\') {
        let kind = escape.chars().next().map_or(0, char::len_utf8);
        let end = escape[kind..].find('\'').map_or(escape.len(), |found| kind + found + 1);
        return 2 + end;
    }
    let first = body.chars().next().map_or(0, char::len_utf8);
    if body[first..].starts_with('\'') {
        return 1 + first + 1;
    }
    1 + body.find(|c| !in_word(c)).unwrap_or(body.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str) -> Vec<&str> {
        tokens(source).into_iter().map(|token| token.text).collect()
    }

    #[test]
    fn comments_strings_and_characters_hold_no_words() {
        assert_eq!(texts("a /* crate::x /* b */ c */ // crate::y\nd"), ["a", "d"]);
        assert_eq!(texts(r#"f("crate::x \" }")"#), ["f", "(", r#""crate::x \" }""#, ")"]);
        assert_eq!(
            texts(r##"f(r#"a " b"#, b"c")"##),
            ["f", "(", r##""a " b"#"##, ",", "\"c\"", ")"]
        );
        assert_eq!(texts("'{' '\\'' '\\u{1F}' b'}' x"), ["x"]);
        assert_eq!(texts("&'a str"), ["&", "str"]);
        assert_eq!(texts("'outer: loop"), [":", "loop"]);
    }

    #[test]
    fn numbers_and_ranges_do_not_hide_the_word_behind_them() {
        assert_eq!(texts("0..crate::X"), ["..", "crate", "::", "X"]);
        assert_eq!(texts("1.5e3_f32 1.max(x)"), [".", ".", "max", "(", "x", ")"]);
    }

    #[test]
    fn raw_words_lose_their_mark() {
        assert_eq!(texts("r#type r::x"), ["type", "r", "::", "x"]);
    }

    #[test]
    fn lines_are_counted_through_comments_and_strings() {
        let source = "a\n/*\n*/ \"\n\" b";
        assert_eq!(tokens(source).last(), Some(&Token { text: "b", line: 4 }));
    }
}
