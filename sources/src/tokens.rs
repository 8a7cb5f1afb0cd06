//! One file of Rust as a row of tokens.

use std::str::FromStr;

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};
use sha2::{Digest, Sha256};

use crate::tree::hex;

/// A text that is not made of Rust's tokens.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: expected Rust, found no token")]
pub struct NotRust {
    /// The line at fault, counted from 1.
    pub line: usize,
    /// The column at fault, counted from 1.
    pub column: usize,
}

/// The SHA-256 of a Rust file's tokens, in lower-case hexadecimal.
///
/// White space and comments, documentation included, are no tokens. Two texts have the same digest
/// exactly if they have the same tokens in the same groups. That leaves apart what only looks like
/// formatting: a comma before a closing bracket is a token.
///
/// # Errors
///
/// The text is no Rust: brackets that do not match, for example.
pub fn token_digest(text: &str) -> Result<String, NotRust> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let stream = TokenStream::from_str(text).map_err(|error| {
        let start = error.span().start();
        NotRust {
            line: start.line,
            column: start.column + 1,
        }
    })?;
    let mut digest = Sha256::new();
    let mut add = |token: &str| {
        // The length first, so that no token can pass for two.
        digest.update((token.len() as u64).to_le_bytes());
        digest.update(token.as_bytes());
    };
    // An own stack: sources may be nested deeply.
    let mut open = vec![(Row::of(stream), "")];
    while let Some((row, close)) = open.last_mut() {
        match row.next() {
            Some(Token::Text(token)) => add(&token),
            Some(Token::Group(delimiter, inside)) => {
                let (begin, end) = match delimiter {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                add(begin);
                open.push((Row::of(inside), end));
            }
            None => {
                add(close);
                open.pop();
            }
        }
    }
    Ok(hex(&digest.finalize()))
}

/// What a row is made of.
enum Token {
    Text(String),
    Group(Delimiter, TokenStream),
}

/// The operators of several characters, longer ones first: where they touch, characters belong
/// together in the way in which the language reads them, and not in any other.
const OPERATORS: [&str; 25] = [
    "<<=", ">>=", "...", "..=", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=",
    "/=", "%=", "^=", "&=", "|=", "->", "=>", "::", "..", "<-",
];

/// The tokens of one group.
struct Row {
    trees: std::vec::IntoIter<TokenTree>,
    /// Characters that touch each other and have not been told apart yet.
    run: String,
}

impl Row {
    fn of(stream: TokenStream) -> Self {
        let trees: Vec<TokenTree> = stream.into_iter().collect();
        Self {
            trees: without_documentation(&trees).into_iter(),
            run: String::new(),
        }
    }

    fn next(&mut self) -> Option<Token> {
        if self.run.is_empty() {
            match self.trees.next()? {
                TokenTree::Group(group) => {
                    return Some(Token::Group(group.delimiter(), group.stream()));
                }
                TokenTree::Ident(ident) => return Some(Token::Text(ident.to_string())),
                TokenTree::Literal(literal) => return Some(Token::Text(literal.to_string())),
                TokenTree::Punct(first) => {
                    self.run.push(first.as_char());
                    let mut touching = first.spacing() == Spacing::Joint;
                    while touching
                        && let Some(TokenTree::Punct(next)) = self.trees.as_slice().first()
                    {
                        self.run.push(next.as_char());
                        touching = next.spacing() == Spacing::Joint;
                        self.trees.next();
                    }
                }
            }
        }
        let operator = OPERATORS.into_iter().find(|op| self.run.starts_with(op));
        let length = match (operator, self.run.chars().next()) {
            (Some(operator), _) => operator.len(),
            (None, first) => first.map_or(0, char::len_utf8),
        };
        Some(Token::Text(self.run.drain(..length).collect()))
    }
}

/// The trees without the attributes that documentation comments are read as: `#[doc = "…"]` and
/// `#![doc = "…"]`.
fn without_documentation(trees: &[TokenTree]) -> Vec<TokenTree> {
    let punct = |tree: Option<&TokenTree>, wanted: char| matches!(tree, Some(TokenTree::Punct(punct)) if punct.as_char() == wanted);
    let mut kept = Vec::with_capacity(trees.len());
    let mut rest = trees;
    while let Some((first, after)) = rest.split_first() {
        if punct(Some(first), '#') {
            let inner = usize::from(punct(after.first(), '!'));
            if after.get(inner).is_some_and(is_documentation) {
                rest = &after[inner + 1..];
                continue;
            }
        }
        kept.push(first.clone());
        rest = after;
    }
    kept
}

fn is_documentation(tree: &TokenTree) -> bool {
    let TokenTree::Group(group) = tree else {
        return false;
    };
    let inside: Vec<TokenTree> = group.stream().into_iter().collect();
    group.delimiter() == Delimiter::Bracket
        && matches!(
            inside.as_slice(),
            [TokenTree::Ident(doc), TokenTree::Punct(equals), TokenTree::Literal(_)]
                if doc == "doc" && equals.as_char() == '='
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(one: &str, other: &str) -> bool {
        token_digest(one).unwrap() == token_digest(other).unwrap()
    }

    #[test]
    fn comments_documentation_and_white_space_mean_nothing() {
        let plain = "pub fn f<'a>(x: &'a [u8]) -> Vec<Vec<u8>> { g(|y| !y & x >= 'c', -1..=2) }";
        let dressed = "//! A file.\n\n/** block */\n/// Doc.\npub fn f<'a>(\n    x: &'a [u8] /* in */) \
                       -> Vec<Vec<u8>>\n{\n\tg(|y| ! y&x>='c', - 1 ..= 2)\r\n}\n// end";
        assert!(same(plain, dressed));
        assert!(same("", "#![doc = \"nothing\"]"));
        assert!(same("", "\u{feff}// nothing"));
    }

    #[test]
    fn whatever_else_differs_means_something() {
        let pairs = [
            ("a && b", "a & &b"),
            ("1 + 1", "1 + 2"),
            ("f(a)", "f[a]"),
            ("f((a), b)", "f(a, (b))"),
            ("\"a b\"", "\"ab\""),
            ("\"ab\"", "\"a\" \"b\""),
            ("a .. = b", "a ..= b"),
            ("1u8", "1 u8"),
            ("\"// no comment\"", "\"\""),
            ("#[doc(hidden)] struct A;", "struct A;"),
            ("#[doc = concat!(a)] struct A;", "struct A;"),
            ("r\"a\"", "\"a\""),
        ];
        for (one, other) in pairs {
            assert!(!same(one, other), "{one} and {other}");
        }
    }

    #[test]
    fn what_is_no_rust_is_refused_with_its_place() {
        let error = token_digest("fn f() {\n  )\n}").unwrap_err();
        assert_eq!((error.line, error.column), (2, 3));
        assert!(token_digest("\"open").is_err());
    }

    #[test]
    fn deep_nesting_is_read() {
        let depth = 10_000;
        let text = "(".repeat(depth) + &")".repeat(depth);
        // The library's own tree is taken apart recursively where it ends: that is its business,
        // on a stack of its own.
        let thread = std::thread::Builder::new().stack_size(256 << 20);
        let digest = thread.spawn(move || token_digest(&text)).unwrap();
        assert!(digest.join().unwrap().is_ok());
    }
}
