//! The statements of a configuration file.

use std::collections::HashMap;

use super::lexer::{Keyword, Lexer, Token, nearest_keyword};
use super::{Binding, Cfg, CfgError, Constant, Spanned};
use crate::error::Position;
use crate::value::Value;

/// How deep sets may be nested in a constant.
const MAX_DEPTH: u32 = 200;

/// Reads a configuration file. An empty one is valid and says nothing.
///
/// ```
/// use plumb_tla::{Value, parse_cfg, cfg::{Binding, Spanned}};
///
/// let cfg = parse_cfg("SPECIFICATION Spec\nCONSTANTS\n  Workers = {w1, w2}\n  Limit = 3\n")?;
/// let Some(Binding::Value(limit)) = cfg.constant("Limit") else { panic!() };
/// assert_eq!((&limit.value, limit.position.line), (&Value::int(3), 4));
///
/// let error = parse_cfg("CONSTANT Start = <<1, 2>>").unwrap_err();
/// assert_eq!(error.position().column, 18);
/// assert!(error.hint().unwrap().contains("Start <- Operator"));
/// # Ok::<(), plumb_tla::CfgError>(())
/// ```
///
/// # Errors
///
/// The first thing in the file that is not understood, or that is understood and not checked.
pub fn parse_cfg(text: &str) -> Result<Cfg, CfgError> {
    let mut lexer = Lexer::new(text);
    let (token, position) = lexer.next()?;
    let mut parser = Parser {
        lexer,
        token,
        position,
        constants: HashMap::new(),
    };
    let mut cfg = Cfg::default();
    loop {
        let (token, position) = parser.advance()?;
        match token {
            Token::End => return Ok(cfg),
            Token::Keyword(text, keyword) => parser.statement(&mut cfg, text, keyword, position)?,
            other => {
                return Err(CfgError::UnknownKeyword {
                    position,
                    found: other.to_string(),
                });
            }
        }
    }
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    /// The token that comes next, and where.
    token: Token,
    position: Position,
    /// The constants that have a value, and where they got it.
    constants: HashMap<String, Position>,
}

impl Parser<'_> {
    /// Takes the next token.
    fn advance(&mut self) -> Result<(Token, Position), CfgError> {
        let (token, position) = self.lexer.next()?;
        Ok((
            std::mem::replace(&mut self.token, token),
            std::mem::replace(&mut self.position, position),
        ))
    }

    /// Takes `symbol` if it comes next.
    fn take(&mut self, symbol: &str) -> Result<bool, CfgError> {
        let found = matches!(self.token, Token::Symbol(text) if text == symbol);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    fn unexpected<T>(&self, expected: impl Into<String>) -> Result<T, CfgError> {
        let (position, found) = (self.position, self.token.to_string());
        Err(CfgError::Unexpected {
            position,
            expected: expected.into(),
            found,
        })
    }

    fn statement(
        &mut self,
        cfg: &mut Cfg,
        text: &'static str,
        keyword: Keyword,
        position: Position,
    ) -> Result<(), CfgError> {
        match keyword {
            Keyword::Specification => {
                if let Some(first) = &cfg.specification {
                    let first = first.position;
                    return Err(CfgError::RepeatedStatement {
                        position,
                        keyword: text,
                        first,
                    });
                }
                cfg.specification = Some(self.name(text)?);
                Ok(())
            }
            Keyword::Constants => self.constants(&mut cfg.constants, text),
            Keyword::Invariants => self.names(&mut cfg.invariants, text),
            Keyword::Properties => self.names(&mut cfg.properties, text),
            Keyword::Constraints => self.names(&mut cfg.constraints, text),
            Keyword::CheckDeadlock => {
                if let Some(first) = &cfg.check_deadlock {
                    let first = first.position;
                    return Err(CfgError::RepeatedStatement {
                        position,
                        keyword: text,
                        first,
                    });
                }
                cfg.check_deadlock = Some(self.truth()?);
                Ok(())
            }
            Keyword::Refused(reason) => Err(CfgError::Refused {
                position,
                found: text.to_owned(),
                reason,
            }),
        }
    }

    fn truth(&mut self) -> Result<Spanned<bool>, CfgError> {
        let value = match &self.token {
            Token::Name(name) if name == "TRUE" => true,
            Token::Name(name) if name == "FALSE" => false,
            _ => return self.unexpected("TRUE or FALSE"),
        };
        let (_, position) = self.advance()?;
        Ok(Spanned { value, position })
    }

    /// The one name after `keyword`.
    fn name(&mut self, keyword: &'static str) -> Result<Spanned<String>, CfgError> {
        if !matches!(self.token, Token::Name(_)) {
            let (position, found) = (self.position, self.token.to_string());
            return Err(CfgError::MissingNames {
                position,
                keyword,
                found,
            });
        }
        self.identifier("a name")
    }

    fn identifier(&mut self, expected: &str) -> Result<Spanned<String>, CfgError> {
        match &self.token {
            Token::Name(name) if name != "TRUE" && name != "FALSE" => {
                let value = name.clone();
                let (_, position) = self.advance()?;
                Ok(Spanned { value, position })
            }
            _ => self.unexpected(expected),
        }
    }

    /// The names after `keyword`, at least one.
    fn names(
        &mut self,
        names: &mut Vec<Spanned<String>>,
        keyword: &'static str,
    ) -> Result<(), CfgError> {
        names.push(self.name(keyword)?);
        while !matches!(self.token, Token::Keyword(..) | Token::End) {
            names.push(self.identifier("a name or a keyword")?);
        }
        Ok(())
    }

    /// The constants after `keyword`, at least one.
    fn constants(
        &mut self,
        constants: &mut Vec<Constant>,
        keyword: &'static str,
    ) -> Result<(), CfgError> {
        let mut name = self.name(keyword)?;
        loop {
            if let Some(first) = self.constants.insert(name.value.clone(), name.position) {
                let Spanned {
                    value: constant,
                    position,
                } = name;
                return Err(CfgError::RepeatedConstant {
                    position,
                    constant,
                    first,
                });
            }
            let binding = self.binding(&name)?;
            constants.push(Constant { name, binding });
            if matches!(self.token, Token::Keyword(..) | Token::End) {
                return Ok(());
            }
            name = self.identifier("another constant or a keyword")?;
        }
    }

    fn binding(&mut self, name: &Spanned<String>) -> Result<Binding, CfgError> {
        if self.take("=")? {
            return self.constant(&name.value).map(Binding::Value);
        }
        if self.take("<-")? {
            if matches!(self.token, Token::Symbol("[")) {
                let (position, found) = (self.position, "a module override `[Module]`".to_owned());
                let reason = "which replaces a definition within another module";
                return Err(CfgError::Refused {
                    position,
                    found,
                    reason,
                });
            }
            return self
                .identifier("the name of an operator")
                .map(Binding::Operator);
        }
        if nearest_keyword(&name.value).is_some() && !matches!(self.token, Token::Symbol(_)) {
            let found = format!("`{}`", name.value);
            return Err(CfgError::UnknownKeyword {
                position: name.position,
                found,
            });
        }
        self.unexpected(format!("`=` or `<-` after the constant `{}`", name.value))
    }

    /// The value of `constant`.
    fn constant(&mut self, constant: &str) -> Result<Spanned<Value>, CfgError> {
        let position = self.position;
        let value = self.value(constant, 0)?;
        if matches!(self.token, Token::Symbol(".." | ":>" | "@@")) {
            let found = match self.token {
                Token::Symbol("..") => "an interval",
                _ => "a function",
            };
            return Err(no_value(position, constant, found));
        }
        Ok(Spanned { value, position })
    }

    fn value(&mut self, constant: &str, depth: u32) -> Result<Value, CfgError> {
        let position = self.position;
        let found = match &self.token {
            Token::Symbol("<<") => "a tuple",
            Token::Symbol("[") => "a record or function",
            Token::Symbol("(") => "a function",
            Token::Symbol("{") if depth == MAX_DEPTH => {
                return self.unexpected(format!("sets nested at most {MAX_DEPTH} deep"));
            }
            Token::Symbol("{") => return self.set(constant, depth),
            Token::Symbol(_) | Token::Keyword(..) | Token::End => {
                return self.unexpected(format!("a value for the constant `{constant}`"));
            }
            Token::Integer(_) | Token::Str(_) | Token::Name(_) => {
                return Ok(match self.advance()?.0 {
                    Token::Integer(number) => Value::Int(number),
                    Token::Str(text) => Value::Str(text),
                    Token::Name(name) if name == "TRUE" => Value::Bool(true),
                    Token::Name(name) if name == "FALSE" => Value::Bool(false),
                    Token::Name(name) => Value::Model(name),
                    other => return Err(no_value(position, constant, &other.to_string())),
                });
            }
        };
        Err(no_value(position, constant, found))
    }

    fn set(&mut self, constant: &str, depth: u32) -> Result<Value, CfgError> {
        self.advance()?;
        let mut items = Vec::new();
        if self.take("}")? {
            return Ok(Value::set(items));
        }
        loop {
            items.push(self.value(constant, depth + 1)?);
            if self.take("}")? {
                return Ok(Value::set(items));
            }
            if matches!(self.token, Token::Symbol("..")) {
                return Err(no_value(self.position, constant, "an interval"));
            }
            if !self.take(",")? {
                return self.unexpected(format!("`,` or `}}` in the set for `{constant}`"));
            }
        }
    }
}

fn no_value(position: Position, constant: &str, found: &str) -> CfgError {
    CfgError::NoConstantValue {
        position,
        constant: constant.to_owned(),
        found: found.to_owned(),
    }
}
