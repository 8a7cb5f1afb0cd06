//! Temporal formulas as data, and the fragment of them that can be decided.
//!
//! The fragment: conjunctions of `[]<>p`, `<>[]p`, `p ~> q`, and implications between the first
//! two, over state predicates `p` and `q`. Bounded quantification is a conjunction that the model
//! spells out. Each conjunct is turned into what a behaviour that violates it must look like in
//! the long run; everything outside the fragment is refused by name.

use std::fmt;

use crate::model::CheckedModel;

type Holds<M, S> = dyn Fn(&M, &S) -> bool + Send + Sync;

/// A temporal formula over the states of a model.
///
/// ```
/// use plumb_checker::Formula;
/// # use stateright::Model;
/// # fn service<M: plumb_checker::CheckedModel<State = Vec<bool>>>() -> Formula<M> {
/// // \A k \in 1..3 : [](waiting[k] => <>served[k]), if waiting ends by being served
/// Formula::all((0..3).map(|k| {
///     let waiting = Formula::state(format!("waiting[{k}]"), move |_, s: &Vec<bool>| s[k]);
///     let served = Formula::state(format!("served[{k}]"), move |_, s: &Vec<bool>| !s[k]);
///     waiting.leads_to(served)
/// }))
/// # }
/// ```
pub enum Formula<M: CheckedModel> {
    /// A predicate over one state, with the text that stands for it in messages.
    State(String, Box<Holds<M, M::State>>),
    /// `~F`
    Not(Box<Self>),
    /// The conjunction of all.
    All(Vec<Self>),
    /// `F => G`
    Implies(Box<Self>, Box<Self>),
    /// `[]F`
    Always(Box<Self>),
    /// `<>F`
    Eventually(Box<Self>),
    /// `F ~> G`
    LeadsTo(Box<Self>, Box<Self>),
}

impl<M: CheckedModel> Formula<M> {
    /// A state predicate; `text` stands for it in messages.
    pub fn state(
        text: impl Into<String>,
        holds: impl Fn(&M, &M::State) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self::State(text.into(), Box::new(holds))
    }

    /// The conjunction of `conjuncts`.
    pub fn all(conjuncts: impl IntoIterator<Item = Self>) -> Self {
        Self::All(conjuncts.into_iter().collect())
    }

    /// `[]self`
    #[must_use]
    pub fn always(self) -> Self {
        Self::Always(Box::new(self))
    }

    /// `<>self`
    #[must_use]
    pub fn eventually(self) -> Self {
        Self::Eventually(Box::new(self))
    }

    /// `self => conclusion`
    #[must_use]
    pub fn implies(self, conclusion: Self) -> Self {
        Self::Implies(Box::new(self), Box::new(conclusion))
    }

    /// `self ~> goal`
    #[must_use]
    pub fn leads_to(self, goal: Self) -> Self {
        Self::LeadsTo(Box::new(self), Box::new(goal))
    }
}

impl<M: CheckedModel> fmt::Display for Formula<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::State(text, _) => f.write_str(text),
            Self::Not(inner) => write!(f, "~({inner})"),
            Self::All(conjuncts) => {
                for (index, conjunct) in conjuncts.iter().enumerate() {
                    write!(f, "{}({conjunct})", if index == 0 { "" } else { " /\\ " })?;
                }
                if conjuncts.is_empty() {
                    f.write_str("TRUE")
                } else {
                    Ok(())
                }
            }
            Self::Implies(premise, conclusion) => write!(f, "({premise}) => ({conclusion})"),
            Self::Always(inner) => match &**inner {
                nested @ Self::Eventually(_) => write!(f, "[]{nested}"),
                other => write!(f, "[]({other})"),
            },
            Self::Eventually(inner) => match &**inner {
                nested @ Self::Always(_) => write!(f, "<>{nested}"),
                other => write!(f, "<>({other})"),
            },
            Self::LeadsTo(premise, goal) => write!(f, "({premise}) ~> ({goal})"),
        }
    }
}

impl<M: CheckedModel> fmt::Debug for Formula<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Formula({self})")
    }
}

/// A named temporal property of a model.
#[derive(Debug)]
pub struct TemporalProperty<M: CheckedModel> {
    /// The name of the property in the TLA+ module.
    pub name: &'static str,
    /// What it says, in words.
    pub meaning: &'static str,
    /// The formula, for the constants of the model.
    pub formula: fn(&M) -> Formula<M>,
}

/// A state predicate or its negation.
pub(crate) struct Literal<M: CheckedModel> {
    holds: Box<Holds<M, M::State>>,
    wanted: bool,
}

impl<M: CheckedModel> Literal<M> {
    pub(crate) fn holds(&self, model: &M, state: &M::State) -> bool {
        (self.holds)(model, state) == self.wanted
    }
}

/// How a behaviour that violates one conjunct looks: from some point on it stays in `stay`, visits
/// each of `visit` again and again, and is fair. For `p ~> q` it also is in `trigger` at some
/// state, and in `stay` from there on.
pub(crate) struct Violating<M: CheckedModel> {
    /// The conjunct, in TLA+ notation.
    pub(crate) conjunct: String,
    pub(crate) trigger: Option<Literal<M>>,
    pub(crate) stay: Vec<Literal<M>>,
    pub(crate) visit: Vec<Literal<M>>,
}

/// A part of a formula that is outside the fragment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Undecidable(pub(crate) String);

/// `[]<>p` or `<>[]p`, or the negation of one, which is one of the other kind.
struct LongRun<M: CheckedModel> {
    always_in_the_end: bool,
    literal: Literal<M>,
}

/// The violating behaviours of each conjunct of `formula`, in its order.
pub(crate) fn violating<M: CheckedModel>(
    formula: Formula<M>,
) -> Result<Vec<Violating<M>>, Undecidable> {
    let mut found = Vec::new();
    collect(formula, &mut found)?;
    Ok(found)
}

fn collect<M: CheckedModel>(
    formula: Formula<M>,
    found: &mut Vec<Violating<M>>,
) -> Result<(), Undecidable> {
    let conjunct = formula.to_string();
    let mut violating = Violating {
        conjunct: conjunct.clone(),
        trigger: None,
        stay: Vec::new(),
        visit: Vec::new(),
    };
    match formula {
        Formula::All(conjuncts) => {
            return conjuncts
                .into_iter()
                .try_for_each(|conjunct| collect(conjunct, found));
        }
        Formula::LeadsTo(premise, goal) => {
            violating.trigger = Some(literal(*premise, true)?);
            violating.stay.push(literal(*goal, false)?);
        }
        Formula::Implies(premise, conclusion) => {
            // The premise holds and the conclusion does not. A conclusion that is a conjunction
            // would need one search for each conjunct: the model writes those out.
            violating.require(long_run(*premise, true)?);
            violating.require(long_run(*conclusion, false)?);
        }
        other => violating.require(long_run(other, false)?),
    }
    found.push(violating);
    Ok(())
}

impl<M: CheckedModel> Violating<M> {
    fn require(&mut self, wanted: LongRun<M>) {
        let place = if wanted.always_in_the_end {
            &mut self.stay
        } else {
            &mut self.visit
        };
        place.push(wanted.literal);
    }
}

/// Reads `[]<>p` or `<>[]p`; negated if it is not `wanted`.
fn long_run<M: CheckedModel>(formula: Formula<M>, wanted: bool) -> Result<LongRun<M>, Undecidable> {
    let text = formula.to_string();
    let (always_in_the_end, inner) = match formula {
        Formula::Not(inner) => return long_run(*inner, !wanted),
        Formula::Always(inner) => match *inner {
            Formula::Eventually(inner) => (false, inner),
            _ => return Err(Undecidable(text)),
        },
        Formula::Eventually(inner) => match *inner {
            Formula::Always(inner) => (true, inner),
            _ => return Err(Undecidable(text)),
        },
        _ => return Err(Undecidable(text)),
    };
    let literal = literal(*inner, wanted)?;
    Ok(LongRun {
        always_in_the_end: always_in_the_end == wanted,
        literal,
    })
}

fn literal<M: CheckedModel>(formula: Formula<M>, wanted: bool) -> Result<Literal<M>, Undecidable> {
    match formula {
        Formula::State(_, holds) => Ok(Literal { holds, wanted }),
        Formula::Not(inner) => literal(*inner, !wanted),
        other => Err(Undecidable(other.to_string())),
    }
}
