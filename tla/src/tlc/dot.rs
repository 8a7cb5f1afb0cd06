//! State graphs as TLC draws them for Graphviz.

use std::io::BufRead;

use super::TlcOutputError;
use super::label::split_arguments;
use super::lines::Lines;
use crate::error::Position;
use crate::state::{State, StateReader};

/// One line of a state graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DotItem {
    /// A distinct state. TLC writes each one once.
    Node {
        /// TLC's fingerprint of the state, by which edges refer to it.
        id: i64,
        /// The state.
        state: State,
        /// Whether it is an initial state.
        initial: bool,
    },
    /// A way from one state to another. TLC writes one for each generated successor inside the
    /// constraint, repeats and self-loops included, and mostly before the node that it leads to.
    Edge {
        /// The state it starts from.
        from: i64,
        /// The state it leads to.
        to: i64,
        /// The name of the action; empty if the graph was dumped without action labels.
        label: String,
        /// The arguments of the action as TLC prints them, if it does.
        parameters: Option<String>,
    },
}

/// Reads a graph that TLC dumped with `-dump dot,actionlabels`, item by item in the order of the
/// file and in constant memory. After an error there are no further items.
///
/// ```
/// use plumb_tla::tlc::{DotItem, read_dot};
///
/// let graph = r#"strict digraph DiskGraph {
/// subgraph cluster_graph {
/// 7 [label="/\\ x = 1\n/\\ y = \"a\"",style = filled]
/// 7 -> -8 [label="Step(2)",color="black",fontcolor="black"];
/// -8 [label="/\\ x = 2\n/\\ y = \"b\""];
/// }
/// }"#;
/// let items: Vec<DotItem> = read_dot(graph.as_bytes()).collect::<Result<_, _>>()?;
/// let DotItem::Edge { from, to, label, parameters } = &items[1] else { panic!() };
/// assert_eq!((*from, *to, label.as_str(), parameters.as_deref()), (7, -8, "Step", Some("2")));
/// # Ok::<(), plumb_tla::tlc::TlcOutputError>(())
/// ```
pub fn read_dot<R: BufRead>(input: R) -> DotItems<R> {
    DotItems {
        lines: Lines::new(input),
        parser: LineParser {
            states: StateReader::default(),
            text: String::new(),
        },
        part: Part::Before,
    }
}

/// The items of a state graph; made by [`read_dot`].
pub struct DotItems<R> {
    lines: Lines<R>,
    parser: LineParser,
    part: Part,
}

impl<R> std::fmt::Debug for DotItems<R> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("DotItems").finish_non_exhaustive()
    }
}

/// How far the file has been read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Before,
    /// Within the graph.
    Graph,
    /// Within the part that holds states and edges.
    States,
    /// Within the explanation of the colours.
    Legend,
    After,
    /// Past an error or the end of the file.
    Done,
}

impl<R: BufRead> Iterator for DotItems<R> {
    type Item = Result<DotItem, TlcOutputError>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.part != Part::Done {
            match self.read_line() {
                Ok(None) => {}
                Ok(Some(item)) => return Some(Ok(item)),
                Err(error) => {
                    self.part = Part::Done;
                    return Some(Err(error));
                }
            }
        }
        None
    }
}

impl<R: BufRead> DotItems<R> {
    /// Reads one line, which may hold an item, or the end of the file.
    fn read_line(&mut self) -> Result<Option<DotItem>, TlcOutputError> {
        let number = self.lines.number() + 1;
        let part = self.part;
        let Some(line) = self.lines.next()? else {
            if part != Part::After {
                let (expected, found) = match part {
                    Part::Before => ("a graph that begins with `digraph`", "the end of the file"),
                    _ => ("the closing `}` of the graph", "the end of the file"),
                };
                return Err(TlcOutputError::line_of(number, expected, found));
            }
            self.part = Part::Done;
            return Ok(None);
        };
        let trimmed = line.trim_start();
        let item = matches!(trimmed.as_bytes().first(), Some(b'-' | b'0'..=b'9'));
        if item && matches!(part, Part::Graph | Part::States) {
            return self.parser.item(number, line).map(Some);
        }
        let heading = |word: &str| trimmed.starts_with(word);
        self.part = match part {
            _ if trimmed.is_empty() => part,
            Part::Before if heading("strict digraph ") || heading("digraph ") => Part::Graph,
            Part::Graph if heading("subgraph cluster_graph ") => Part::States,
            Part::Graph if heading("subgraph cluster_legend ") => Part::Legend,
            Part::Graph if trimmed == "}" => Part::After,
            Part::States | Part::Legend if trimmed == "}" => Part::Graph,
            Part::Legend => part,
            Part::Graph | Part::States if SETTINGS.iter().any(|word| heading(word)) => part,
            Part::Before => {
                let expected = "a graph that begins with `digraph`";
                return Err(TlcOutputError::at(number, line, 0, expected));
            }
            Part::After => {
                return Err(TlcOutputError::at(
                    number,
                    line,
                    0,
                    "nothing after the graph",
                ));
            }
            Part::Graph | Part::States | Part::Done => {
                let at = line.len() - trimmed.len();
                return Err(TlcOutputError::at(
                    number,
                    line,
                    at,
                    "a node, an edge or a setting",
                ));
            }
        };
        Ok(None)
    }
}

/// How lines begin that say only how the graph is drawn.
const SETTINGS: [&str; 10] = [
    "color", "edge", "fontsize", "graph", "label", "margin", "node", "rank", "style", "{rank",
];

/// Reads lines that hold a node or an edge.
struct LineParser {
    states: StateReader,
    /// The label of the line, without escapes.
    text: String,
}

impl LineParser {
    fn item(&mut self, number: u64, line: &str) -> Result<DotItem, TlcOutputError> {
        let error = |at, expected| TlcOutputError::at(number, line, at, expected);
        let start = line.len() - line.trim_start().len();
        let (id, at) = read_id(line, start).ok_or_else(|| error(start, "a 64-bit number"))?;
        let rest = &line[at..];
        if let Some(label) = rest.strip_prefix(" [label=\"") {
            let at = line.len() - label.len();
            let end = self.unescape(number, line, at)?;
            let state = self.states.read(&self.text).map_err(|failure| {
                let wrong = raw_offset(&line[at..], failure.at);
                let Position { column, .. } = Position::locate(line, at + wrong);
                TlcOutputError::Format {
                    line: number,
                    column: Some(column),
                    expected: failure.expected.into_owned(),
                    found: failure.found,
                }
            })?;
            let options = &line[end..];
            let initial = options.starts_with(",style = filled")
                || options.trim_end_matches(';').ends_with(",style = filled]");
            return Ok(DotItem::Node { id, state, initial });
        }
        let Some(rest) = rest.strip_prefix(" -> ") else {
            return Err(error(at, "` [label=\"` or ` -> `"));
        };
        let at = line.len() - rest.len();
        let (to, at) = read_id(line, at).ok_or_else(|| error(at, "a 64-bit number"))?;
        let rest = &line[at..];
        let Some(label) = rest.strip_prefix(" [label=\"") else {
            if rest.starts_with(';') || rest.starts_with(" [") {
                return Ok(DotItem::Edge {
                    from: id,
                    to,
                    label: String::new(),
                    parameters: None,
                });
            }
            return Err(error(at, "` [label=\"`"));
        };
        let start = line.len() - label.len();
        match label.rfind("\",color=") {
            // Quotes within the arguments may or may not be escaped, so the label is what stands
            // before the next attribute.
            Some(end) if !label[..end].contains('\\') => {
                self.text.clear();
                self.text.push_str(&label[..end]);
            }
            _ => {
                self.unescape(number, line, start)?;
            }
        }
        let (label, parameters) = split_arguments(&self.text);
        let (label, parameters) = (label.to_owned(), parameters.map(str::to_owned));
        Ok(DotItem::Edge {
            from: id,
            to,
            label,
            parameters,
        })
    }

    /// Puts the quoted text that begins at `at` into `self.text`, without its escapes. Gives the
    /// place behind the closing quote.
    fn unescape(&mut self, number: u64, line: &str, at: usize) -> Result<usize, TlcOutputError> {
        self.text.clear();
        let mut plain = at;
        loop {
            let rest = &line.as_bytes()[plain..];
            let Some(length) = rest.iter().position(|byte| matches!(byte, b'"' | b'\\')) else {
                let expected = "the closing `\"` of the label";
                return Err(TlcOutputError::at(number, line, line.len(), expected));
            };
            let special = plain + length;
            self.text.push_str(&line[plain..special]);
            if line.as_bytes()[special] == b'"' {
                return Ok(special + 1);
            }
            self.text.push(match line.as_bytes().get(special + 1) {
                Some(b'n') => '\n',
                Some(b'"') => '"',
                Some(b'\\') => '\\',
                _ => {
                    let expected = "one of n \" \\ after the backslash";
                    return Err(TlcOutputError::at(number, line, special + 1, expected));
                }
            });
            plain = special + 2;
        }
    }
}

/// The number that begins at `at`, and the place behind it.
fn read_id(line: &str, at: usize) -> Option<(i64, usize)> {
    let rest = &line[at..];
    let is_part = |byte: &u8| byte.is_ascii_digit() || *byte == b'-';
    let length = rest
        .bytes()
        .position(|byte| !is_part(&byte))
        .unwrap_or(rest.len());
    rest[..length].parse().ok().map(|id| (id, at + length))
}

/// The place in a label with escapes of the byte `at` of the label without them.
fn raw_offset(label: &str, at: usize) -> usize {
    let bytes = label.as_bytes();
    let mut raw = 0;
    for _ in 0..at {
        raw += if bytes.get(raw) == Some(&b'\\') { 2 } else { 1 };
    }
    raw.min(bytes.len())
}
