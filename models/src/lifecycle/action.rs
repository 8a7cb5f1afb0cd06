//! The actions with their parameters, and their candidates in enumeration order.
//!
//! Shared design, models/lifecycle.md, section 5.

use plumb_tla::Value;

use super::constants::{Constants, Defect};
use super::vocabulary::{Disposition, FinishOutcome, Group, Root, Successor};
use crate::actor;
use crate::finite::Finite;

/// The names of the actions, in enumeration order.
pub(super) const NAMES: &[&str] = &[
    "Control",
    "Admit",
    "Grant",
    "Mark",
    "Send",
    "Activate",
    "ConflictingActivation",
    "UnauthenticatedActivation",
    "Finish",
    "Effect",
    "Result",
    "TerminalEvidence",
    "VerifyDelivery",
    "DeliveryFailure",
    "Release",
    "Replace",
    "Successor",
    "Preempt",
    "Repeat",
];

/// What an operator pauses or resumes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Control {
    /// Admission.
    Admission,
    /// Granting and marking.
    Grants,
}

/// An action with its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// An operator flips one of the two pauses; which one is no parameter in the module.
    Control(Control),
    /// The epoch's work is admitted.
    Admit,
    /// Roots are packed into groups, and their slots reserved.
    Grant,
    /// The intent to launch a group goes on record.
    Mark(Group),
    /// A group is launched; whether it worked is not known yet.
    Send(Group),
    /// A checked activation binds the group.
    Activate(Group),
    /// A second authentic activation puts a bound group into conflict.
    ConflictingActivation(Group),
    /// Defect: an unchecked activation binds the group.
    UnauthenticatedActivation(Group),
    /// An authorized root is finished.
    Finish(Root, FinishOutcome),
    /// A completed root has its effect, entered by this attempt.
    Effect(Root, Attempt),
    /// A root's Result is accepted on its receipt.
    Result(Root),
    /// Exact evidence of the group's end arrives.
    TerminalEvidence(Group),
    /// An attempt at verifying a root's delivery, without a Result.
    VerifyDelivery(Root),
    /// A root's delivery is recorded as failed.
    DeliveryFailure(Root),
    /// The group's slot is given back.
    Release(Group),
    /// A failed root is replaced by a new one.
    Replace(Root, Disposition),
    /// A successor becomes ready.
    Successor(Successor),
    /// Defect: the pause of grants cancels a.
    Preempt,
    /// The next epoch begins.
    Repeat,
}

/// The number of an attempt at an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Attempt {
    /// The first, the only one that may enter an effect.
    First,
    /// The second.
    Second,
}

impl Finite for Attempt {
    const ALL: &'static [Self] = &[Self::First, Self::Second];

    fn index(self) -> usize {
        self as usize
    }

    fn to_value(self) -> Value {
        Value::int(match self {
            Self::First => 1,
            Self::Second => 2,
        })
    }
}

impl Action {
    /// Position of the action's name in [`NAMES`].
    pub(super) fn index(self) -> usize {
        match self {
            Self::Control(_) => 0,
            Self::Admit => 1,
            Self::Grant => 2,
            Self::Mark(_) => 3,
            Self::Send(_) => 4,
            Self::Activate(_) => 5,
            Self::ConflictingActivation(_) => 6,
            Self::UnauthenticatedActivation(_) => 7,
            Self::Finish(..) => 8,
            Self::Effect(..) => 9,
            Self::Result(_) => 10,
            Self::TerminalEvidence(_) => 11,
            Self::VerifyDelivery(_) => 12,
            Self::DeliveryFailure(_) => 13,
            Self::Release(_) => 14,
            Self::Replace(..) => 15,
            Self::Successor(_) => 16,
            Self::Preempt => 17,
            Self::Repeat => 18,
        }
    }

    /// The parameters as TLA+ values.
    pub(super) fn parameters(self) -> Vec<Value> {
        match self {
            Self::Control(_) | Self::Admit | Self::Grant | Self::Preempt | Self::Repeat => {
                Vec::new()
            }
            Self::Mark(group)
            | Self::Send(group)
            | Self::Activate(group)
            | Self::ConflictingActivation(group)
            | Self::UnauthenticatedActivation(group)
            | Self::TerminalEvidence(group)
            | Self::Release(group) => vec![group.to_value()],
            Self::Finish(root, outcome) => vec![root.to_value(), outcome.to_value()],
            Self::Effect(root, attempt) => vec![root.to_value(), attempt.to_value()],
            Self::Result(root) | Self::VerifyDelivery(root) | Self::DeliveryFailure(root) => {
                vec![root.to_value()]
            }
            Self::Replace(root, disposition) => vec![root.to_value(), disposition.to_value()],
            Self::Successor(successor) => vec![successor.to_value()],
        }
    }
}

/// Who takes a step, or what it is about: a group, or one of its roots.
pub(super) fn actor(action: &str, parameters: &[Value]) -> Option<String> {
    match action {
        "Control" | "Preempt" => Some("operator".to_owned()),
        "Admit" | "Grant" | "Successor" | "Repeat" => Some("queue".to_owned()),
        "Mark"
        | "Send"
        | "Activate"
        | "ConflictingActivation"
        | "UnauthenticatedActivation"
        | "TerminalEvidence"
        | "Release" => actor::numbered("group", parameters),
        "Finish" | "Effect" | "Result" | "VerifyDelivery" | "DeliveryFailure" | "Replace" => {
            actor::numbered("root", parameters)
        }
        _ => None,
    }
}

/// Every action instance of the specification, in enumeration order.
pub(super) fn candidates(constants: &Constants) -> Vec<Action> {
    let mut all = vec![
        Action::Control(Control::Admission),
        Action::Control(Control::Grants),
        Action::Admit,
        Action::Grant,
    ];
    let each_group = |all: &mut Vec<Action>, action: fn(Group) -> Action| {
        all.extend(Group::ALL.iter().copied().map(action));
    };
    let each_root = |all: &mut Vec<Action>, action: fn(Root) -> Action| {
        all.extend(Root::ALL.iter().copied().map(action));
    };
    each_group(&mut all, Action::Mark);
    each_group(&mut all, Action::Send);
    each_group(&mut all, Action::Activate);
    each_group(&mut all, Action::ConflictingActivation);
    if constants.has(Defect::UnauthenticatedActivation) {
        each_group(&mut all, Action::UnauthenticatedActivation);
    }
    all.extend(pairs(Action::Finish));
    all.extend(pairs(Action::Effect));
    each_root(&mut all, Action::Result);
    each_group(&mut all, Action::TerminalEvidence);
    each_root(&mut all, Action::VerifyDelivery);
    each_root(&mut all, Action::DeliveryFailure);
    each_group(&mut all, Action::Release);
    all.extend(pairs(Action::Replace));
    all.extend(Successor::ALL.iter().copied().map(Action::Successor));
    if constants.has(Defect::PausePreempts) {
        all.push(Action::Preempt);
    }
    all.push(Action::Repeat);
    all
}

/// An action of a root and something else, for all pairs of them.
fn pairs<E: Finite>(action: fn(Root, E) -> Action) -> impl Iterator<Item = Action> {
    let all = move |root: &'static Root| E::ALL.iter().map(move |other| action(*root, *other));
    Root::ALL.iter().flat_map(all)
}
