//! Panics of a model's own code, turned into a verdict.
//!
//! A model is somebody's program, and a defect in it must not take the checker down: the search
//! catches the panic and reports it with the state that was being expanded.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, Location, catch_unwind};

thread_local! {
    static IN_MODEL: Cell<bool> = const { Cell::new(false) };
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs a piece of a model's code; a panic comes back as a sentence with its message and place.
///
/// Nothing of the checker's own is left half-done by a panic inside: the tables that the closure
/// touches are updated by calls that do not run model code.
///
/// # Errors
///
/// The message and place of a panic.
pub fn catch<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    let outer = IN_MODEL.replace(true);
    let result = catch_unwind(AssertUnwindSafe(run));
    IN_MODEL.set(outer);
    result.map_err(|payload| {
        let message = message(payload.as_ref());
        match PLACE.take() {
            Some(place) => format!("the model panicked: {message} ({place})"),
            None => format!("the model panicked: {message}"),
        }
    })
}

/// Makes panics inside a model silent on standard error, since the verdict reports them, and
/// remembers where they happened. Panics anywhere else go to the hook that was there before.
///
/// A program calls this once, at its start. Without it all works the same, noisily.
pub fn install_hook() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if IN_MODEL.get() {
            PLACE.replace(info.location().map(Location::to_string));
        } else {
            before(info);
        }
    }));
}

fn message(payload: &(dyn Any + Send)) -> String {
    if let Some(text) = payload.downcast_ref::<&str>() {
        (*text).to_owned()
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text.clone()
    } else {
        "a panic without a message".to_owned()
    }
}
