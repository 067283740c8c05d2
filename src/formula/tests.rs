use super::*;

const NAMES: [&str; 4] = ["a", "b", "wait_s", "duration_s"];
const VALUES: [f64; 4] = [2.0, 5.0, 60.0, 120.0];

fn value(text: &str) -> f64 {
    let formula = Formula::parse(text, &NAMES).unwrap_or_else(|error| panic!("{text}: {error}"));
    formula.value(&|position| VALUES[position])
}

fn error(text: &str) -> FormulaError {
    Formula::parse(text, &NAMES).expect_err(text)
}

#[test]
fn operators_bind_as_in_mathematics() {
    for (text, expected) in [
        ("1 + 2 * 3", 7.0),
        ("(1 + 2) * 3", 9.0),
        ("7 - 2 - 1", 4.0),
        ("8 / 2 / 2", 2.0),
        ("7 / 2", 3.5),
        ("2 ^ 3 ^ 2", 512.0),
        ("-2 ^ 2", -4.0),
        ("2 ^ -1", 0.5),
        ("2 * -a + b", 1.0),
        ("--a", 2.0),
        ("1 + 1 < 3 and 2 * 2 == 4", 1.0),
        ("1 > 2 or 2 > 1 and 0 > 1", 0.0),
        ("(1 > 2 or 2 > 1) and 3 >= 3", 1.0),
        ("not a == b", 1.0),
        ("not 0 + not 7", 1.0),
        ("(a < b) + (a <= 2) + (a != b) + (b > a) + (5 >= b)", 5.0),
        ("1e3 + .5 + 2. + 1.5E-1", 1002.65),
        ("if(a < b, 10, 20) + if(0, 1, 2)", 12.0),
        ("-(wait_s / duration_s) ^ 3 * b", -0.625),
        ("max(a, b, 3) - min(a, b, 3)", 3.0),
        ("abs(-3) + ceil(1.2) + floor(-1.2) + sqrt(9)", 6.0),
        ("ln(exp(2)) + log2(8) + log10(1000) + pow(2, 3)", 16.0),
        ("3 − 1 × 2 ÷ 4", 2.5),
        (" a\n\t+ b ", 7.0),
    ] {
        assert!((value(text) - expected).abs() < 1e-12, "{text} = {}", value(text));
    }
}

#[test]
fn what_cannot_be_calculated_stays_undefined_until_it_is_left_out() {
    for text in [
        "0 / 0",
        "sqrt(-1)",
        "ln(-1) + 1",
        "(0 / 0) ^ 1",
        "min(1, 0 / 0)",
        "min(0 / 0, 1)",
        "max(1, 0 / 0)",
        "0 / 0 < 1",
        "0 / 0 != 0 / 0",
        "not (0 / 0)",
        "1 or 0 / 0",
        "if(0 / 0, 1, 2)",
        "1e308 * 10 - 1e308 * 10",
    ] {
        assert!(value(text).is_nan(), "{text} = {}", value(text));
    }
    assert!((value("if(a > 0, 1, 0 / 0)") - 1.0).abs() < 1e-12);
    assert!(value("1 / 0") > f64::MAX && value("-1 / 0") < f64::MIN);
}

#[test]
fn a_formula_says_what_it_names() {
    let formula = Formula::parse("if(b > 1, max(wait_s, 2), -b)", &NAMES).unwrap();
    assert_eq!([0, 1, 2, 3].map(|position| formula.names(position)), [false, true, true, false]);
}

#[test]
fn errors_have_a_column_what_was_found_and_what_to_write() {
    for (text, column, found, expected) in [
        ("", 1, "the end", "a number, a name"),
        ("a +", 4, "the end", "a number, a name"),
        ("a + * b", 5, "`*`", "a number, a name"),
        ("a b", 3, "`b`", "an operator"),
        ("(a + b", 7, "the end", "`)`: a parenthesis is open"),
        ("a + b)", 6, "`)`", "a `(` before it"),
        ("2 + waits", 5, "`waits`", "did you mean wait_s?"),
        ("Wait_S", 1, "`Wait_S`", "did you mean wait_s?"),
        ("duration", 1, "`duration`", "did you mean duration_s?"),
        ("xyzzy", 1, "`xyzzy`", "one of a, b, wait_s, duration_s, abs"),
        ("log(a)", 1, "`log`", "did you mean log"),
        ("sqr(a)", 1, "`sqr`", "did you mean sqrt?"),
        ("sqrt a", 6, "`a`", "sqrt(a)"),
        ("a(2)", 2, "`(`", "not called"),
        ("pow(a)", 1, "`pow` of 1 number", "pow(a, b)"),
        ("if(a, b)", 1, "`if` of 2 numbers", "if(condition, a, b)"),
        ("min()", 1, "`min` of 0 numbers", "min(a, b, …)"),
        ("abs(a, b)", 1, "`abs` of 2 numbers", "abs(a)"),
        ("a ** 2", 3, "`**`", "`^` for a power"),
        ("a && b", 3, "`&&`", "`and`"),
        ("a = b", 3, "`=`", "`==`"),
        ("!a", 1, "`!`", "`not`"),
        ("a > 1 ? 2 : 3", 7, "`?`", "if(condition, a, b)"),
        ("a % 2", 3, "`%`", "floor(a / b)"),
        ("1 < a < 3", 7, "`<`", "a < b and b < c"),
        ("2h", 1, "`2h`", "2 * 3600"),
        ("1.2.3", 1, "`1.2.3`", "one decimal point"),
        ("a + 1e999", 5, "`1e999`", "a number such as"),
        ("a + .", 5, "`.`", "a number such as"),
        ("äöü + a", 1, "`äöü`", "one of"),
        ("a × 'b'", 5, "`'`", "a number, a name or one of"),
        ("and", 1, "`and`", "a number, a name"),
    ] {
        let error = error(text);
        assert_eq!((error.column, error.found.as_str()), (column, found), "{text}");
        assert!(error.expected.contains(expected), "{text}: {error}");
    }
}

#[test]
fn texts_are_bounded() {
    let sum = |terms: usize| vec!["1"; terms].join("+");
    assert!((value(&sum(1000)) - 1000.0).abs() < 1e-9, "a long sum is not nested");
    let long = error(&sum(1001));
    assert_eq!((long.column, long.expected.as_str()), (2001, "at most 2000"));
    let nested = |depth: usize| format!("{}1{}", "(".repeat(depth), ")".repeat(depth));
    assert!((value(&nested(63)) - 1.0).abs() < 1e-12);
    for text in [nested(64), "-".repeat(64) + "1", vec!["1"; 66].join("^"), "not ".repeat(64) + "1"] {
        assert!(error(&text).expected.contains("at most 64"), "{text}");
    }
}

#[test]
fn every_function_is_called_as_it_says() {
    for function in FUNCTIONS {
        let form = function.form.replace('…', "1").replace("condition", "1");
        assert!(Formula::parse(&form, &NAMES).is_ok(), "{form}");
        assert!(form.starts_with(function.name));
    }
    assert!(FUNCTIONS.is_sorted_by_key(|function| function.name));
}

#[cfg(not(target_arch = "wasm32"))]
mod generated {
    use proptest::prelude::*;

    use super::*;

    /// A formula in parentheses throughout, and its value.
    fn formulas() -> impl Strategy<Value = (String, f64)> {
        let number = (0u32..1000).prop_map(|n| (format!("{}", f64::from(n) / 8.0), f64::from(n) / 8.0));
        let named = (0usize..4).prop_map(|at| (NAMES[at].to_owned(), VALUES[at]));
        prop_oneof![number, named].prop_recursive(5, 40, 2, |inner| {
            let two = (inner.clone(), inner.clone(), 0usize..5).prop_map(|((l, a), (r, b), which)| {
                let (sign, value) =
                    [("+", a + b), ("-", a - b), ("*", a * b), ("/", a / b), ("^", libm::pow(a, b))][which];
                (format!("({l} {sign} {r})"), value)
            });
            let one = inner.prop_map(|(text, a)| (format!("(-{text})"), -a));
            prop_oneof![two, one]
        })
    }

    proptest! {
        #[test]
        fn the_value_is_that_of_the_arithmetic((text, expected) in formulas()) {
            let value = value(&text);
            prop_assert!(value.total_cmp(&expected).is_eq() || (value.is_nan() && expected.is_nan()), "{text}");
        }

        #[test]
        fn any_text_is_a_formula_or_an_error_at_a_place_of_its(
            words in prop::collection::vec(
                prop::sample::select(vec![
                    "a", "wait_s", "nobody", "1", "2.5e1", "+", "-", "*", "/", "^", "(", ")", ",", "<", "==", "!",
                    "and", "not", "if", "min", "sqrt", " ", "é", "≤", "1e", "..",
                ]),
                0..30,
            ),
            noise in ".{0,12}",
        ) {
            for text in [words.concat(), words.join(" "), noise] {
                match Formula::parse(&text, &NAMES) {
                    Ok(formula) => {
                        let _ = formula.value(&|position| VALUES[position]);
                    }
                    Err(error) => {
                        prop_assert!((1..=text.chars().count() + 1).contains(&error.column), "{text:?}: {error}");
                        prop_assert!(!error.found.is_empty() && !error.expected.is_empty());
                    }
                }
            }
        }
    }
}
