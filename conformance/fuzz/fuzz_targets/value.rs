//! Values, lists of values and states: what is read is printed, and read back as the same.

#![no_main]

use libfuzzer_sys::fuzz_target;
use plumb_tla::{Value, parse_state, parse_values};

fuzz_target!(|text: &str| {
    if let Ok(value) = text.parse::<Value>() {
        assert_eq!(value.to_string().parse().as_ref(), Ok(&value));
        assert_eq!(value.pretty(20).to_string().parse().as_ref(), Ok(&value));
    }
    if let Ok(values) = parse_values(text) {
        let texts: Vec<String> = values.iter().map(Value::to_string).collect();
        assert_eq!(parse_values(&texts.join(",")).as_ref(), Ok(&values));
    }
    if let Ok(state) = parse_state(text) {
        assert_eq!(parse_state(&state.to_string()).as_ref(), Ok(&state));
    }
});
