//! Reading a formula, by precedence climbing (Pratt, "Top Down Operator Precedence", POPL 1973).

use super::functions::{self, FUNCTIONS, Rule};
use super::lexer::{Piece, Token, pieces};
use super::{FormulaError, MOST_CHARACTERS, MOST_NESTED, Term};

/// How tightly operators bind.
mod binds {
    pub(super) const OR: u8 = 1;
    pub(super) const AND: u8 = 2;
    pub(super) const NOT: u8 = 3;
    pub(super) const COMPARISON: u8 = 4;
    pub(super) const SUM: u8 = 5;
    pub(super) const PRODUCT: u8 = 6;
    pub(super) const NEGATIVE: u8 = 7;
    pub(super) const POWER: u8 = 8;
}

/// An operator between two operands: how tightly it binds, and what it computes.
type Infix = (u8, fn(f64, f64) -> f64);

const START_OF_TERM: &str = "a number, a name, a function, `-`, `not` or `(`";

/// Names that are near enough to be proposed: similarity by Jaro and Winkler.
const NEAR: f64 = 0.8;

pub(super) fn parse(text: &str, names: &[&str]) -> Result<Term, FormulaError> {
    let characters = text.chars().count();
    if characters > MOST_CHARACTERS {
        return Err(FormulaError {
            column: MOST_CHARACTERS + 1,
            found: format!("{characters} characters"),
            expected: format!("at most {MOST_CHARACTERS}"),
        });
    }
    let mut parser = Parser { pieces: pieces(text)?, next: 0, names, nested: 0 };
    let root = parser.term(binds::OR)?;
    match parser.peek().token {
        Token::End => Ok(root),
        _ => Err(parser.peek().error(after_operand(&parser.peek()))),
    }
}

/// What may follow an operand.
fn after_operand(found: &Piece<'_>) -> &'static str {
    match found.token {
        Token::Sign(")") => "no `)` here, or a `(` before it",
        Token::Sign("<" | "<=" | ">" | ">=" | "==" | "!=") => {
            "one comparison at a time; write a < b and b < c"
        }
        _ => "an operator such as + - * / ^ < or and, or the end",
    }
}

struct Parser<'t, 'n> {
    pieces: Vec<Piece<'t>>,
    next: usize,
    names: &'n [&'n str],
    nested: u32,
}

impl<'t> Parser<'t, '_> {
    fn peek(&self) -> Piece<'t> {
        // The last piece is the end, and is never passed.
        self.pieces[self.next.min(self.pieces.len() - 1)]
    }

    fn take(&mut self) -> Piece<'t> {
        let piece = self.peek();
        self.next += 1;
        piece
    }

    /// A term whose operators bind at least so tightly.
    fn term(&mut self, least: u8) -> Result<Term, FormulaError> {
        if self.nested == MOST_NESTED {
            let expected = format!("at most {MOST_NESTED} parentheses, calls and signs inside one another");
            return Err(self.peek().error(expected));
        }
        self.nested += 1;
        let mut left = self.operand()?;
        while let Some((tightness, compute)) = infix(self.peek().token)
            && tightness >= least
        {
            self.take();
            // A power binds to the right; what is compared is no comparison itself; all others bind to the left.
            let right = self.term(if tightness == binds::POWER { binds::NEGATIVE } else { tightness + 1 })?;
            left = Term::Two(compute, Box::new([left, right]));
            if tightness == binds::COMPARISON
                && infix(self.peek().token).is_some_and(|next| next.0 == tightness)
            {
                return Err(self.peek().error(after_operand(&self.peek())));
            }
        }
        self.nested -= 1;
        Ok(left)
    }

    /// A term without an operator on its left.
    fn operand(&mut self) -> Result<Term, FormulaError> {
        let piece = self.take();
        match piece.token {
            Token::Number(number) => Ok(Term::Number(number)),
            Token::Sign("-") => Ok(Term::One(|a| -a, Box::new(self.term(binds::NEGATIVE)?))),
            Token::Sign("(") => {
                let inside = self.term(binds::OR)?;
                self.close("`)`")?;
                Ok(inside)
            }
            Token::Word("not") => Ok(Term::One(functions::not, Box::new(self.term(binds::NOT)?))),
            Token::Word("and" | "or") => Err(piece.error(START_OF_TERM)),
            Token::Word(word) => self.named(word, &piece),
            _ => Err(piece.error(START_OF_TERM)),
        }
    }

    /// A named number, or a call.
    fn named(&mut self, word: &str, piece: &Piece<'t>) -> Result<Term, FormulaError> {
        let is_call = self.peek().token == Token::Sign("(");
        let function = FUNCTIONS.iter().find(|function| function.name == word);
        let named = self.names.iter().position(|name| *name == word);
        match (function, named) {
            (Some(function), _) if is_call => self.call(function.form, function.rule, piece),
            (Some(function), _) => {
                Err(self.peek().error(format!("`(`: the function is called as {}", function.form)))
            }
            (None, Some(position)) if !is_call => Ok(Term::Named(position)),
            (None, Some(_)) => Err(self.peek().error("an operator: a name is not called")),
            (None, None) if is_call => Err(piece.error(meant(word, "a function", &function_names()))),
            (None, None) => {
                let names: Vec<&str> = self.names.iter().copied().chain(function_names()).collect();
                Err(piece.error(meant(word, "a name", &names)))
            }
        }
    }

    fn call(&mut self, form: &str, rule: Rule, piece: &Piece<'t>) -> Result<Term, FormulaError> {
        self.take();
        let mut given = Vec::new();
        if self.peek().token != Token::Sign(")") {
            given.push(self.term(binds::OR)?);
            while self.peek().token == Token::Sign(",") {
                self.take();
                given.push(self.term(binds::OR)?);
            }
        }
        self.close("`,` or `)`")?;
        let count = given.len();
        let wrong = || FormulaError {
            column: piece.column,
            found: format!("`{}` of {count} {}", piece.text, if count == 1 { "number" } else { "numbers" }),
            expected: form.to_owned(),
        };
        let mut given = given.into_iter();
        let mut one = || given.next().ok_or_else(wrong);
        let term = match rule {
            Rule::One(of) => Term::One(of, Box::new(one()?)),
            Rule::Two(of) => Term::Two(of, Box::new([one()?, one()?])),
            Rule::If => Term::If(Box::new([one()?, one()?, one()?])),
            Rule::Fold(of) => {
                let first = Term::Two(of, Box::new([one()?, one()?]));
                given.by_ref().fold(first, |so_far, next| Term::Two(of, Box::new([so_far, next])))
            }
        };
        if given.next().is_some() { Err(wrong()) } else { Ok(term) }
    }

    fn close(&mut self, expected: &str) -> Result<(), FormulaError> {
        let piece = self.take();
        match piece.token {
            Token::Sign(")") => Ok(()),
            Token::End => Err(piece.error(format!("{expected}: a parenthesis is open"))),
            _ => Err(piece.error(format!("an operator, {expected}"))),
        }
    }
}

fn infix(token: Token<'_>) -> Option<Infix> {
    let infix: Infix = match token {
        Token::Word("or") => (binds::OR, functions::or),
        Token::Word("and") => (binds::AND, functions::and),
        Token::Sign("<") => (binds::COMPARISON, functions::less),
        Token::Sign("<=") => (binds::COMPARISON, functions::at_most),
        Token::Sign(">") => (binds::COMPARISON, functions::more),
        Token::Sign(">=") => (binds::COMPARISON, functions::at_least),
        Token::Sign("==") => (binds::COMPARISON, functions::equal),
        Token::Sign("!=") => (binds::COMPARISON, functions::unequal),
        Token::Sign("+") => (binds::SUM, |a, b| a + b),
        Token::Sign("-") => (binds::SUM, |a, b| a - b),
        Token::Sign("*") => (binds::PRODUCT, |a, b| a * b),
        Token::Sign("/") => (binds::PRODUCT, |a, b| a / b),
        Token::Sign("^") => (binds::POWER, libm::pow),
        _ => return None,
    };
    Some(infix)
}

fn function_names() -> Vec<&'static str> {
    FUNCTIONS.iter().map(|function| function.name).collect()
}

/// What a word that means nothing could have been: one of the words known, which are of a kind.
fn meant(word: &str, kind: &str, known: &[&str]) -> String {
    let word = word.to_lowercase();
    let likeness = |name: &&str| strsim::jaro_winkler(&word, name);
    let nearest = known.iter().copied().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    match nearest.filter(|name| likeness(name) >= NEAR) {
        Some(name) => format!("{kind}; did you mean {name}?"),
        None => format!("{kind}: one of {}", known.join(", ")),
    }
}
