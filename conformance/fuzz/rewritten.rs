//! What holds of every input of every reader of traces.

use plumb_replay::trace::{
    Ending, Format, PlumbWriter, RecordedStep, TraceItem, read, recognise, write_itf,
    write_tlc_text,
};

/// Reads `bytes`: behaviours come out in order or there is one error, and what was read is read
/// again from whatever it is written in.
pub fn check(bytes: &[u8], format: Format) {
    let _ = recognise(bytes, "input");
    let Ok(reader) = read(bytes, "input", Some(format)) else {
        return;
    };
    let mut items = Vec::new();
    for item in reader {
        match item {
            Ok(TraceItem::Step(step)) => {
                items.push(TraceItem::Step(RecordedStep { line: 0, ..step }));
            }
            Ok(item) => items.push(item),
            Err(error) => {
                let text = error.to_string();
                assert!(
                    text.starts_with("input: ") && !text.contains('\n'),
                    "{text}"
                );
                return;
            }
        }
    }
    assert!(matches!(items.first(), Some(TraceItem::Header(_))));
    assert!(matches!(items.last(), Some(TraceItem::End(_))));

    let mut writer = PlumbWriter::new(Vec::new());
    for item in &items {
        writer.write(item).expect("what was read is a behaviour");
    }
    let text = writer.finish().expect("the last behaviour has an end");
    assert_eq!(again(&text, Format::Plumb), items);

    // Names may be such that these formats cannot tell them; then states need not come back.
    if let Ok(text) = write_itf(Vec::new(), &items) {
        assert_eq!(shape(&again(&text, Format::Itf)), shape(&items));
    }
    let _ = write_tlc_text(Vec::new(), &items);
}

fn again(text: &[u8], format: Format) -> Vec<TraceItem> {
    let reader = read(text, "again", None).expect("what was written is recognised");
    assert_eq!(reader.format(), format);
    reader
        .map(|item| match item.expect("what was written is read") {
            TraceItem::Step(step) => TraceItem::Step(RecordedStep { line: 0, ..step }),
            other => other,
        })
        .collect()
}

/// How many steps there are, and where the behaviour goes on.
fn shape(items: &[TraceItem]) -> Vec<(usize, Option<u64>)> {
    let mut shape = Vec::new();
    let mut steps = 0;
    for item in items {
        match item {
            TraceItem::Header(_) => steps = 0,
            TraceItem::Step(_) => steps += 1,
            TraceItem::End(ending) => shape.push((
                steps,
                match ending {
                    Ending::Open => None,
                    Ending::Stuttering => Some(steps as u64),
                    Ending::BackTo(state, _) => Some(*state),
                },
            )),
        }
    }
    shape
}
