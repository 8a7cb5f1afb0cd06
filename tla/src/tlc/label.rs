//! What TLC says about how a state was reached.

/// How a step of a trace came about.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum StepLabel {
    /// The state satisfies the initial predicate.
    Initial,
    /// An action led there.
    Action {
        /// The name of the definition, or the literal `Action` for a disjunct without a name.
        name: String,
        /// The arguments as TLC prints them, without the parentheses; not printed by TLC 2.15.
        parameters: Option<String>,
    },
    /// The behaviour stays in the state before for ever.
    Stuttering,
    /// The behaviour goes on from the state of that number, which is reached as the label says.
    BackTo(u64, Box<StepLabel>),
    /// TLC does not say.
    Unlabelled,
}

impl StepLabel {
    /// The name of the action, of the one that closes the lasso for [`StepLabel::BackTo`].
    #[must_use]
    pub fn action(&self) -> Option<&str> {
        match self {
            StepLabel::Action { name, .. } => Some(name),
            StepLabel::BackTo(_, label) => label.action(),
            StepLabel::Initial | StepLabel::Stuttering | StepLabel::Unlabelled => None,
        }
    }

    /// Reads what stands in angle brackets: `<Take(p1) line 18, col 12 to line 21, col 38 of module
    /// Courier>`.
    pub(super) fn read(text: &str) -> Option<StepLabel> {
        if text.is_empty() {
            return Some(StepLabel::Unlabelled);
        }
        let inner = text.strip_prefix('<')?.strip_suffix('>')?;
        if inner == "Initial predicate" {
            return Some(StepLabel::Initial);
        }
        let action = without_location(inner);
        // The first state of a simulated behaviour carries the name of the initial predicate;
        // nothing but its place in the file tells it from an action.
        let (name, parameters) = split_arguments(action);
        Some(StepLabel::Action {
            name: name.to_owned(),
            parameters: parameters.map(str::to_owned),
        })
    }
}

/// Cuts ` line L, col C to line L, col C of module M` off the end. Arguments may contain anything,
/// even such a text, but nothing may follow the location.
fn without_location(label: &str) -> &str {
    let start = label
        .rfind(" to line ")
        .and_then(|to| label[..to].rfind(" line "));
    match start {
        Some(start) if is_location(&label[start..]) => &label[..start],
        _ => label,
    }
}

/// Whether `text` reads ` line L, col C to line L, col C of module M`.
fn is_location(text: &str) -> bool {
    // `#` stands for a number, `*` for any word.
    const FORM: &str = "line # col # to line # col # of module *";
    let mut words = text.split_ascii_whitespace();
    let fits = FORM.split(' ').all(|form| {
        words.next().is_some_and(|word| match form {
            "#" => word.trim_end_matches(',').parse::<u64>().is_ok(),
            "*" => true,
            _ => word == form,
        })
    });
    fits && words.next().is_none()
}

/// Splits `Name(arguments)`.
pub(super) fn split_arguments(action: &str) -> (&str, Option<&str>) {
    match action
        .split_once('(')
        .and_then(|(name, rest)| Some((name, rest.strip_suffix(')')?)))
    {
        Some((name, arguments)) => (name, Some(arguments)),
        None => (action, None),
    }
}
