//! The words, numbers and signs of a formula's text.

use super::FormulaError;

/// The signs there are; of two that begin alike the longer stands first.
const SIGNS: [&str; 14] = ["<=", ">=", "==", "!=", "<", ">", "+", "-", "*", "/", "^", "(", ")", ","];

/// How signs look in text that was typeset.
const TYPESET: [(char, &str); 7] =
    [('−', "-"), ('–', "-"), ('×', "*"), ('·', "*"), ('÷', "/"), ('≤', "<="), ('≥', ">=")];

/// What other languages write, and what is written here.
const FOREIGN: [(&str, &str); 9] = [
    ("**", "`^` for a power"),
    ("&&", "`and`"),
    ("||", "`or`"),
    ("=", "`==` to compare"),
    ("!", "`not`"),
    ("?", "`if(condition, a, b)`"),
    ("%", "`a - b * floor(a / b)` for a remainder"),
    ("{", "`if(condition, a, b)`; formulas have no blocks"),
    (";", "one formula; there are no statements"),
];

/// A piece of a text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Token<'t> {
    Number(f64),
    /// A name, also one of the words `and`, `or` and `not`.
    Word(&'t str),
    Sign(&'static str),
    End,
}

/// A piece and where it stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Piece<'t> {
    pub(super) token: Token<'t>,
    /// In characters from 1.
    pub(super) column: usize,
    pub(super) text: &'t str,
}

impl Piece<'_> {
    /// What it is, in words.
    pub(super) fn found(&self) -> String {
        match self.token {
            Token::End => "the end".to_owned(),
            _ => format!("`{}`", self.text),
        }
    }

    pub(super) fn error(&self, expected: impl Into<String>) -> FormulaError {
        FormulaError { column: self.column, found: self.found(), expected: expected.into() }
    }
}

/// All pieces of a text; the last is its end.
pub(super) fn pieces(text: &str) -> Result<Vec<Piece<'_>>, FormulaError> {
    let mut pieces = Vec::new();
    let (mut rest, mut column) = (text, 1);
    loop {
        let blank = rest.len() - rest.trim_start().len();
        column += rest[..blank].chars().count();
        rest = &rest[blank..];
        let Some(first) = rest.chars().next() else {
            pieces.push(Piece { token: Token::End, column, text: rest });
            return Ok(pieces);
        };
        let (token, length) = next(rest, first, column)?;
        let (of_it, after) = rest.split_at(length);
        pieces.push(Piece { token, column, text: of_it });
        column += of_it.chars().count();
        rest = after;
    }
}

/// The piece that a text begins with, and its length in bytes.
fn next(rest: &str, first: char, column: usize) -> Result<(Token<'_>, usize), FormulaError> {
    let error = |length: usize, expected: String| FormulaError {
        column,
        found: format!("`{}`", &rest[..length]),
        expected,
    };
    if first.is_ascii_digit() || first == '.' {
        let length = number_length(rest);
        let after = rest[length..].chars().next().filter(|c| is_of_word(*c) || *c == '.');
        if let Some(after) = after {
            let expected = if after == '.' {
                "a number with one decimal point"
            } else {
                "a number alone; give a number its unit by writing it out, as in 2 * 3600 for two hours"
            };
            let length = rest.find(|c| !is_of_word(c) && c != '.').unwrap_or(rest.len());
            return Err(error(length, expected.to_owned()));
        }
        return match rest[..length].parse::<f64>() {
            Ok(number) if number.is_finite() => Ok((Token::Number(number), length)),
            _ => Err(error(length, "a number such as 0.5, 36 or 1e3".to_owned())),
        };
    }
    if is_of_word(first) {
        let length = rest.find(|c| !is_of_word(c)).unwrap_or(rest.len());
        return Ok((Token::Word(&rest[..length]), length));
    }
    if let Some((_, sign)) = TYPESET.iter().find(|(typeset, _)| *typeset == first) {
        return Ok((Token::Sign(sign), first.len_utf8()));
    }
    let foreign = FOREIGN.iter().find(|(foreign, _)| rest.starts_with(foreign));
    let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign));
    match (foreign, sign) {
        (Some((foreign, here)), sign) if sign.is_none_or(|sign| foreign.len() > sign.len()) => {
            Err(error(foreign.len(), (*here).to_owned()))
        }
        (_, Some(sign)) => Ok((Token::Sign(sign), sign.len())),
        _ => Err(error(first.len_utf8(), "a number, a name or one of + - * / ^ ( ) , < > == !=".to_owned())),
    }
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Digits, a point, digits, and an exponent.
fn number_length(text: &str) -> usize {
    let digits = |from: usize| text[from..].bytes().take_while(u8::is_ascii_digit).count();
    let mut length = digits(0);
    if text[length..].starts_with('.') {
        length += 1;
        length += digits(length);
    }
    if text[length..].starts_with(['e', 'E']) {
        let sign = usize::from(text[length + 1..].starts_with(['+', '-']));
        let exponent = digits(length + 1 + sign);
        if exponent > 0 {
            length += 1 + sign + exponent;
        }
    }
    length
}
