//! What is wrong with a trace is said in one line that names the file, the place, what was expected
//! and what was found.

#![allow(clippy::panic, clippy::unwrap_used, clippy::expect_used)]

use std::io::{BufReader, Read};

use plumb_replay::trace::{Format, PlumbWriter, TraceError, TraceItem, read, write_itf};

/// The error that reading `text` ends with.
fn error(text: &[u8], format: Option<Format>) -> TraceError {
    match read(text, "t", format) {
        Err(error) => error,
        Ok(mut reader) => match reader.find_map(Result::err) {
            Some(error) => {
                assert!(reader.next().is_none(), "items after an error");
                error
            }
            None => panic!("read without error: {}", String::from_utf8_lossy(text)),
        },
    }
}

/// One line for each text and what is wrong with it.
fn shown(cases: &[(&str, String)]) -> String {
    let lines = cases.iter().map(|(what, text)| {
        let error = error(text.as_bytes(), None);
        let line = error.to_string();
        assert!(line.starts_with("t: ") && !line.contains('\n'), "{line}");
        format!("{what}\n    {line}\n")
    });
    lines.collect()
}

#[test]
fn what_is_no_trace() {
    let nul = "State 1: <Init>\nx = 1\0\n\n";
    insta::assert_snapshot!(shown(&[
        ("empty", String::new()),
        ("only spaces", " \n\n".into()),
        ("prose", "It was a dark and stormy night.\n".into()),
        ("binary", "\u{1}\u{2}\u{3}".into()),
        ("other JSON", "{\"x\": [1, 2]}\n".into()),
        ("a dump", "State 1:\nx = 1\n\n".into()),
        ("a graph", "strict digraph DiskGraph {\n}\n".into()),
        ("NUL", nul.into()),
        (
            "no error found",
            "TLC2 Version 2.15\nModel checking completed. No error has been found.\n".into()
        ),
    ]));
    let utf16 = error(b"\xff\xfeS\0t\0", None).to_string();
    assert_eq!(utf16, "t: line 1: expected UTF-8 text, found UTF-16 text");
    let missing = plumb_replay::trace::open("no/such/file".as_ref(), None).unwrap_err();
    assert!(
        missing
            .to_string()
            .starts_with("no/such/file: cannot be read: ")
    );
}

/// A state of TLC's text.
fn state(number: u64, body: &str) -> String {
    format!("State {number}: <Up line 1, col 1 to line 1, col 2 of module M>\n{body}\n\n")
}

const INIT: &str = "Error: Invariant I is violated.\nError: The behavior up to this point is:\n\
                    State 1: <Initial predicate>\n/\\ x = 1\n/\\ y = {}\n\n";

#[test]
fn output_of_tlc_that_is_wrong() {
    let then = |rest: &str| format!("{INIT}{rest}");
    let deep = format!("/\\ x = {}1\n/\\ y = 1", "{".repeat(300));
    let cases = [
        ("cut in a state", then("State 2: <Up>\n/\\ x = 1\n")),
        (
            "cut in a value",
            then("State 2: <Up>\n/\\ x = 1\n/\\ y = {1,"),
        ),
        ("cut in a label", then("State 2: <Up line 1, ")),
        (
            "the same number again",
            then(&state(1, "/\\ x = 1\n/\\ y = 1")),
        ),
        (
            "the same number later",
            then(&(state(2, "/\\ x = 1\n/\\ y = 1") + &state(2, "/\\ x = 1\n/\\ y = 1"))),
        ),
        ("a gap", then(&state(3, "/\\ x = 1\n/\\ y = 1"))),
        ("no value", then(&state(2, "/\\ x = ?\n/\\ y = 1"))),
        ("a variable twice", then(&state(2, "/\\ x = 1\n/\\ x = 1"))),
        ("other variables", then(&state(2, "/\\ x = 1\n/\\ z = 1"))),
        ("nested deeply", then(&state(2, &deep))),
        (
            "a state after the end",
            then("State 2: Stuttering\nState 3: Stuttering\n"),
        ),
        ("back to nowhere", then("Back to state 7: <Up>\n")),
        (
            "only a way back",
            "Error: x\nBack to state 1: <Up>\n".into(),
        ),
        ("only stuttering", "Error: x\nState 1: Stuttering\n".into()),
        (
            "two ways back",
            then("Back to state 1: <Up>\n\nBack to state 1: <Up>\n"),
        ),
        (
            "a message without a class",
            "@!@!@STARTMSG 2217 @!@!@\n".into(),
        ),
        (
            "a state without a number",
            "@!@!@STARTMSG 2217:4 @!@!@\nx = 1\n\n@!@!@ENDMSG 2217 @!@!@\n".into(),
        ),
    ];
    insta::assert_snapshot!(shown(&cases));
}

/// The last line of a module that TLC wrote.
const ROW: &str = "=================================================";

#[test]
fn simulation_files_that_are_wrong() {
    let with = |rest: &str| {
        format!("---------------- MODULE w -----------------\nSTATE_1 == \nx = 1\n\n{rest}")
    };
    let cases = [
        ("no state", format!("---- MODULE w ----\n{ROW}\n")),
        ("cut after a state", with("")),
        ("cut in a state", with("STATE_2 == \nx = ")),
        (
            "the same number",
            with(&format!("STATE_1 == \nx = 1\n\n{ROW}")),
        ),
        ("a gap", with(&format!("STATE_3 == \nx = 1\n\n{ROW}"))),
        ("no value", with(&format!("STATE_2 == \nx = ?\n\n{ROW}"))),
        (
            "a comment that is no label",
            with(&format!("\\* later\nSTATE_2 == \nx = 2\n\n{ROW}")),
        ),
        (
            "something after the module",
            with(&format!("{ROW}\nSTATE_2 == \nx = 2\n\n{ROW}")),
        ),
        ("cut in the last line", with(&ROW[..17])),
        ("something in the last line", with(&format!("{ROW} x"))),
    ];
    insta::assert_snapshot!(shown(&cases));
}

#[test]
fn json_traces_of_tlc_that_are_wrong() {
    let step = |from: &str, to: &str| format!("[{from},{{\"name\":\"Up\"}},{to}]");
    let with = |actions: &str, states: &str| {
        format!("{{\"counterexample\":{{\"action\":[{actions}],\"state\":[{states}]}}}}")
    };
    let (one, two, three) = ("[1,{\"x\":1}]", "[2,{\"x\":2}]", "[3,{\"x\":3}]");
    let deep = format!("[2,{{\"x\":{}{}}}]", "[".repeat(300), "]".repeat(300));
    let deeper = format!("[2,{{\"x\":{}{}}}]", "[".repeat(9000), "]".repeat(9000));
    let cases = [
        ("no state", with("", "")),
        (
            "cut",
            format!("{{\"counterexample\":{{\"action\":[{}", step(one, two)),
        ),
        ("a gap", with(&step(one, three), "")),
        (
            "a gap between steps",
            with(&format!("{},{}", step(one, two), step(three, three)), ""),
        ),
        ("not from the first", with(&step(two, three), "")),
        (
            "another state of that number",
            with(
                &format!("{},{}", step(one, two), step("[2,{\"x\":9}]", three)),
                "",
            ),
        ),
        (
            "a step after the way back",
            with(&format!("{},{}", step(one, one), step(one, two)), ""),
        ),
        ("fewer states than steps", with(&step(one, two), one)),
        ("numbers of states", with("", &format!("{one},{one}"))),
        ("a fraction", with(&step("[1,{\"x\":1.5}]", two), "")),
        (
            "a big number",
            with(&step("[1,{\"x\":12345678901234567890}]", two), ""),
        ),
        ("null", with(&step("[1,{\"x\":null}]", two), "")),
        (
            "a variable twice",
            with(&step("[1,{\"x\":1,\"x\":2}]", two), ""),
        ),
        ("no variable", with(&step("[1,{}]", two), "")),
        ("no name", with(&format!("[{one},{{}},{two}]"), "")),
        (
            "no second state",
            with(&format!("[{one},{{\"name\":\"Up\"}}]"), ""),
        ),
        ("nested deeply", with(&step(one, &deep), "")),
        ("nested more deeply", with(&step(one, &deeper), "")),
        ("not JSON", "{\"counterexample\": ?}".to_owned()),
        (
            "something after the end",
            with(&step(one, two), &format!("{one},{two}")) + "{}",
        ),
        (
            "a string with NUL",
            with(&step("[1,{\"x\":\"\\u0000\"}]", two), ""),
        ),
    ];
    insta::assert_snapshot!(shown(&cases));
}

#[test]
fn itf_traces_that_are_wrong() {
    let with = |states: &str| format!("{{\"vars\":[\"x\"],\n\"states\":[{states}]}}");
    let x = |value: &str| with(&format!("{{\"x\":{value}}}"));
    let cases = [
        ("no state", with("")),
        ("no states", "{\"#meta\":{\"states\":1}}".to_owned()),
        ("cut", "{\"vars\":[],\"states\":[{\"x\":1},".to_owned()),
        ("no variable", with("{\"#meta\":{\"index\":0}}")),
        ("a variable twice", with("{\"x\":1,\"x\":1}")),
        ("another index", with("{\"#meta\":{\"index\":1},\"x\":1}")),
        (
            "the same index",
            with("{\"#meta\":{\"index\":0},\"x\":1},{\"#meta\":{\"index\":0},\"x\":1}"),
        ),
        ("an integer that is none", x("{\"#bigint\":\"1.5\"}")),
        (
            "an integer of 70 bits",
            x("{\"#bigint\":\"999999999999999999999\"}"),
        ),
        ("a fraction", x("0.5")),
        ("unserializable", x("{\"#unserializable\":\"Int\"}")),
        ("an unknown form", x("{\"#seq\":[]}")),
        ("two forms", x("{\"#tup\":[],\"#set\":[]}")),
        ("a pair of one", x("{\"#map\":[[1]]}")),
        ("a pair of three", x("{\"#map\":[[1,2,3]]}")),
        ("an argument twice", x("{\"#map\":[[1,2],[1,3]]}")),
        ("a field twice", x("{\"a\":1,\"a\":2}")),
        ("null", x("null")),
        (
            "nested deeply",
            x(&format!("{}{}", "[".repeat(300), "]".repeat(300))),
        ),
        ("sets nested deeply", x(&"{\"#set\":[".repeat(9000))),
        (
            "a loop to nowhere",
            "{\"states\":[{\"x\":1}],\"loop\":1}".to_owned(),
        ),
        (
            "a loop to before",
            "{\"states\":[{\"x\":1}],\"loop\":-1}".to_owned(),
        ),
        (
            "states twice",
            "{\"states\":[{\"x\":1}],\"states\":[{\"x\":1}]}".to_owned(),
        ),
        (
            "two traces",
            "{\"states\":[{\"x\":1}]}\n{\"states\":[{\"x\":1}]}".to_owned(),
        ),
    ];
    insta::assert_snapshot!(shown(&cases));
}

const HEADER: &str = "{\"format\":\"plumb-trace\",\"version\":1}\n";

#[test]
fn plumb_traces_that_are_wrong() {
    let with = |lines: &str| format!("{HEADER}{{\"step\":1,\"state\":{{\"x\":\"1\"}}}}\n{lines}");
    let end = "{\"end\":\"open\",\"steps\":1}\n";
    let deep = format!(
        "{{\"step\":2,\"state\":{{\"x\":\"{}\"}}}}",
        "<<".repeat(9000)
    );
    let cases = [
        (
            "another version",
            "{\"format\":\"plumb-trace\",\"version\":2,\"more\":1}\n".to_owned(),
        ),
        (
            "another format",
            "{\"format\":\"x\",\"version\":1}\n".to_owned(),
        ),
        ("no version", "{\"format\":\"plumb-trace\"}\n".to_owned()),
        (
            "an unknown member",
            "{\"format\":\"plumb-trace\",\"version\":1,\"more\":1}\n".to_owned(),
        ),
        (
            "a property of no kind",
            "{\"format\":\"plumb-trace\",\"version\":1,\"violation\":{\"kind\":\"x\"}}\n"
                .to_owned(),
        ),
        (
            "no step",
            format!("{HEADER}{{\"end\":\"open\",\"steps\":0}}\n"),
        ),
        ("only a header", HEADER.to_owned()),
        ("no end", with("")),
        ("cut in a line", with("{\"step\":2,\"state\":{\"x\"")),
        (
            "the same number",
            with("{\"step\":1,\"state\":{\"x\":\"1\"}}\n"),
        ),
        ("a gap", with("{\"step\":3,\"state\":{\"x\":\"1\"}}\n")),
        ("no state", with("{\"step\":2}\n")),
        ("no value", with("{\"step\":2,\"state\":{\"x\":\"?\"}}\n")),
        (
            "a value that is no string",
            with("{\"step\":2,\"state\":{\"x\":1}}\n"),
        ),
        (
            "a variable twice",
            with("{\"step\":2,\"state\":{\"x\":\"1\",\"x\":\"2\"}}\n"),
        ),
        (
            "a parameter that is no value",
            with("{\"step\":2,\"action\":\"A\",\"parameters\":[\"?\"],\"state\":{\"x\":\"1\"}}\n"),
        ),
        (
            "parameters of nothing",
            with("{\"step\":2,\"parameters\":[\"1\"],\"state\":{\"x\":\"1\"}}\n"),
        ),
        ("a wrong count", with("{\"end\":\"open\",\"steps\":2}\n")),
        ("no count", with("{\"end\":\"open\"}\n")),
        (
            "a way back to nowhere",
            with("{\"end\":\"lasso\",\"back_to\":2,\"steps\":1}\n"),
        ),
        (
            "a lasso without a way back",
            with("{\"end\":\"lasso\",\"steps\":1}\n"),
        ),
        (
            "a step after the end",
            with(end) + "{\"step\":2,\"state\":{\"x\":\"1\"}}\n",
        ),
        ("nested deeply", with(&deep)),
        ("JSON nested deeply", with(&"[".repeat(9000))),
        ("NUL", with("\0\n")),
    ];
    insta::assert_snapshot!(shown(&cases));
    let version = error(b"{\"format\":\"plumb-trace\",\"version\":2}\n", None);
    assert!(matches!(version, TraceError::Version { found: 2, .. }));
}

/// The same byte again and again: no file on the disk is that long.
fn endless(begin: &str, again: u8) -> impl Read {
    std::io::Cursor::new(begin.as_bytes().to_vec()).chain(std::io::repeat(again))
}

/// An endless line is refused, and before it has filled the memory.
#[test]
fn what_is_too_long_is_refused() {
    for (begin, again) in [
        ("Error: x\nState 1: <Init>\nx = \"", b'a'),
        ("Error: x\nState 1: <Init>\nx = 1\ny", b'\t'),
        ("---- MODULE w ----\nSTATE_1 ==\nx = {", b'{'),
        ("{\"format\":\"plumb-trace\",\"version\":1", b' '),
        (
            "{\"format\":\"plumb-trace\",\"version\":1}\n{\"step\":1,\"x\":\"",
            b'a',
        ),
        ("{\"states\":[{\"x\":\"", b'a'),
        ("{\"states\":[", b' '),
        ("{\"counterexample\":{\"action\":[[[1,{\"x\":\"", b'a'),
        ("{\"counterexample\":{\"action\":[[[1,{\"x\":1", b'1'),
    ] {
        let input = BufReader::new(endless(begin, again));
        let mut reader = read(input, "t", None).unwrap();
        let error = reader.find_map(Result::err).unwrap().to_string();
        let known = error.contains("found a longer one") || error.contains("a larger number");
        assert!(known, "{begin}: {error}");
    }
    let begin = format!("{INIT}State 2: <Up>\n");
    let lines = BufReader::new(std::io::Cursor::new(begin).chain(Lines(0)));
    let error = read(lines, "t", None)
        .unwrap()
        .find_map(Result::err)
        .unwrap();
    assert!(error.to_string().contains("found a longer one"), "{error}");
}

/// Short lines without end.
struct Lines(usize);

impl Read for Lines {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        for byte in buffer.iter_mut() {
            *byte = b"/\\ x = 1\n"[self.0 % 9];
            self.0 += 1;
        }
        Ok(buffer.len())
    }
}

/// A byte order mark and the line ends of Windows change nothing.
#[test]
fn marks_and_line_ends_of_windows_are_accepted() {
    let root = env!("CARGO_MANIFEST_DIR");
    for name in [
        "../../tla/tests/samples/courier/tlc-2.15/stutter.txt",
        "../../tla/tests/samples/courier/tlc-2026/lasso.tool.txt",
        "../../tla/tests/samples/courier/tlc-2026/walk_0_0",
        "../../tla/tests/samples/courier/tlc-2026/lasso.json",
        "tests/samples/quint/walk.itf.json",
    ] {
        let text = std::fs::read_to_string(format!("{root}/{name}")).unwrap();
        let items = |text: &str| {
            let reader = read(text.as_bytes(), "t", None).unwrap();
            reader.collect::<Result<Vec<_>, _>>().unwrap()
        };
        let windows = format!("\u{feff}{}", text.replace('\n', "\r\n"));
        assert_eq!(items(&windows), items(&text), "{name}");
        // So does a format that is given instead of found out.
        let format = read(text.as_bytes(), "t", None).unwrap().format();
        let given = read(windows.as_bytes(), "t", Some(format)).unwrap();
        assert_eq!(given.collect::<Result<Vec<_>, _>>().unwrap(), items(&text));
    }
}

/// The order in which items come is the writers' business, too.
#[test]
fn writers_refuse_what_is_no_behaviour() {
    let text = format!(
        "{HEADER}{{\"step\":1,\"state\":{{\"x\":\"1\"}}}}\n{{\"end\":\"open\",\"steps\":1}}\n"
    );
    let items = read(text.as_bytes(), "t", None).unwrap();
    let items: Vec<TraceItem> = items.map(Result::unwrap).collect();
    let refused = |items: &[&TraceItem]| {
        let mut writer = PlumbWriter::new(Vec::new());
        let plumb = items.iter().find_map(|item| writer.write(item).err());
        let plumb = plumb.or_else(|| writer.finish().err());
        let itf = write_itf(Vec::new(), items.iter().copied());
        let text = plumb_replay::trace::write_tlc_text(Vec::new(), items.iter().copied());
        assert!(plumb.is_some() && itf.is_err() && text.is_err());
        plumb.unwrap().to_string()
    };
    let [header, step, end] = &items[..] else {
        panic!("{items:?}")
    };
    assert_eq!(
        refused(&[header, step, step]),
        "the trace cannot be written: expected state 2 or the end, found state 1"
    );
    for wrong in [
        &[step][..],
        &[header, end],
        &[header, header],
        &[header, step],
        &[end],
    ] {
        refused(wrong);
    }
    let twice = [&items[..], &items[..]].concat();
    let twice = write_itf(Vec::new(), &twice).unwrap_err().to_string();
    assert!(twice.contains("one behaviour in an ITF trace"), "{twice}");
}
