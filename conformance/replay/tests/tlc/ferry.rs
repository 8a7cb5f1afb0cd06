//! The Rust side of `Ferry.tla`, which can be told to get something wrong.

use plumb_checker::{
    CheckedModel, ConfigurationError, Fairness, Formula, Invariant, ModelEntry, NotAState, Reader,
    Registry, StepProperty, TemporalProperty,
};
use plumb_replay::Sources;
use plumb_tla::{State as TlaState, Value};

/// What the model gets wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Defect {
    None,
    /// Nothing is owed.
    NoFairness,
    /// Boarding and landing are owed weakly, whatever the specification.
    Weaker,
    /// Crossing, boarding and landing are owed strongly and to each, whatever the specification.
    Stronger,
    /// `Visits` looks at the other bank.
    OtherPredicate,
    /// `Visits` asks for the end only: that it is never left again.
    OtherOperators,
    /// The ferry does not come back.
    OneWay,
    /// The initial state is on the other bank.
    OtherInitial,
    /// A moored ferry is no state.
    Unreadable,
    /// A moored ferry is read as one that is not.
    Misread,
}

const DEFECTS: [(&str, Defect); 10] = [
    ("none", Defect::None),
    ("no-fairness", Defect::NoFairness),
    ("weaker", Defect::Weaker),
    ("stronger", Defect::Stronger),
    ("other-predicate", Defect::OtherPredicate),
    ("other-operators", Defect::OtherOperators),
    ("one-way", Defect::OneWay),
    ("other-initial", Defect::OtherInitial),
    ("unreadable", Defect::Unreadable),
    ("misread", Defect::Misread),
];

/// What a specification owes beyond crossing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owed {
    Nothing,
    Weakly,
    Strongly,
    /// Strongly, but only to somebody.
    Shared,
}

const SPECIFICATIONS: [(&str, Owed); 4] = [
    ("UnfairSpec", Owed::Nothing),
    ("WeakSpec", Owed::Weakly),
    ("Spec", Owed::Strongly),
    ("SharedSpec", Owed::Shared),
];

#[derive(Clone, Debug)]
pub(crate) struct Ferry {
    owed: Owed,
    crowd: usize,
    moorable: bool,
    defect: Defect,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Place {
    Left,
    Aboard,
    Right,
}

const PLACES: [(&str, Place); 3] = [
    ("left", Place::Left),
    ("aboard", Place::Aboard),
    ("right", Place::Right),
];

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct State {
    right: bool,
    moored: bool,
    place: Vec<Place>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Cross,
    /// From one place to the next.
    Move(usize, Place),
    Moor,
    Whistle,
}

impl stateright::Model for Ferry {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State {
            right: self.defect == Defect::OtherInitial,
            moored: false,
            place: vec![Place::Left; self.crowd],
        }]
    }

    fn actions(&self, _: &State, actions: &mut Vec<Action>) {
        actions.push(Action::Cross);
        for person in 0..self.crowd {
            let moves = PLACES.map(|(_, from)| Action::Move(person, from));
            actions.extend(moves);
        }
        actions.extend([Action::Moor, Action::Whistle]);
    }

    fn next_state(&self, state: &State, action: Action) -> Option<State> {
        let mut next = state.clone();
        let possible = match action {
            Action::Cross => {
                next.right = !state.right;
                !state.moored && (self.defect != Defect::OneWay || !state.right)
            }
            Action::Move(person, from) => {
                let (to, there) = match from {
                    Place::Left => (Place::Aboard, !state.right),
                    Place::Aboard => (Place::Right, state.right),
                    Place::Right => (Place::Left, true),
                };
                next.place[person] = to;
                there && state.place[person] == from
            }
            Action::Moor => {
                next.moored = true;
                self.moorable
            }
            Action::Whistle => true,
        };
        possible.then_some(next)
    }
}

impl CheckedModel for Ferry {
    const NAME: &'static str = "ferry";
    const MODULE: &'static str = "Ferry";
    const VARIABLES: &'static [&'static str] = &["side", "moored", "place"];
    const ACTIONS: &'static [&'static str] =
        &["Cross", "Board", "Land", "Return", "Moor", "Whistle"];

    fn configure(cfg: &mut Reader<'_>) -> Result<Self, ConfigurationError> {
        Ok(Self {
            owed: cfg.specification(&SPECIFICATIONS)?,
            crowd: cfg.count("Crowd", 1)? as usize,
            moorable: cfg.boolean("Moorable")?,
            defect: cfg.choice("Defect", &DEFECTS)?,
        })
    }

    fn action_index(&self, action: &Action) -> usize {
        match action {
            Action::Cross => 0,
            Action::Move(_, Place::Left) => 1,
            Action::Move(_, Place::Aboard) => 2,
            Action::Move(_, Place::Right) => 3,
            Action::Moor => 4,
            Action::Whistle => 5,
        }
    }

    fn action_parameters(&self, action: &Action) -> Vec<Value> {
        match action {
            Action::Move(person, _) => vec![Value::int(*person as i64 + 1)],
            Action::Cross | Action::Moor | Action::Whistle => Vec::new(),
        }
    }

    fn invariants() -> Vec<Invariant<Self>> {
        vec![
            Invariant::state("Afloat", "the ferry is somewhere", |_, _| true),
            Invariant::state("Together", "nobody got across", |_, state: &State| {
                !state.place.contains(&Place::Right)
            }),
        ]
    }

    fn step_properties() -> Vec<StepProperty<Self>> {
        vec![StepProperty::step(
            "Staying",
            "a moored ferry stays",
            |_, state: &State, next: &State| !state.moored || state.right == next.right,
        )]
    }

    fn temporal_properties() -> Vec<TemporalProperty<Self>> {
        vec![
            TemporalProperty {
                name: "Carried",
                meaning: "who waits gets across",
                formula: |ferry| {
                    let people = 0..ferry.crowd;
                    Formula::all(people.map(|p| at(p, Place::Left).leads_to(at(p, Place::Right))))
                },
            },
            TemporalProperty {
                name: "Met",
                meaning: "whom the ferry meets again and again does not wait for ever",
                formula: |ferry| {
                    Formula::all((0..ferry.crowd).map(|p| {
                        let meets = on_the_right(false).eventually().always();
                        let leaves = Formula::Not(Box::new(at(p, Place::Left)));
                        meets.implies(leaves.eventually().always())
                    }))
                },
            },
            TemporalProperty {
                name: "Visits",
                meaning: "the ferry is on the right again and again",
                formula: |ferry| {
                    let there = on_the_right(ferry.defect != Defect::OtherPredicate);
                    if ferry.defect == Defect::OtherOperators {
                        there.always().eventually()
                    } else {
                        there.eventually().always()
                    }
                },
            },
            TemporalProperty {
                name: "Moors",
                meaning: "the ferry is moored in the end",
                formula: |_| {
                    let moored = Formula::state("moored", |_, state: &State| state.moored);
                    moored.always().eventually()
                },
            },
        ]
    }

    fn fairness(&self) -> Vec<Fairness> {
        let owed = match self.defect {
            Defect::NoFairness => Owed::Nothing,
            Defect::Weaker => Owed::Weakly,
            Defect::Stronger => Owed::Strongly,
            _ => self.owed,
        };
        let of_each = |fairness: fn([&'static str; 1]) -> Fairness| {
            ["Board", "Land"].map(|action| fairness([action]).for_each())
        };
        let beyond = match owed {
            Owed::Nothing => return Vec::new(),
            Owed::Weakly => of_each(Fairness::weak),
            Owed::Strongly => of_each(Fairness::strong),
            Owed::Shared => ["Board", "Land"].map(|action| Fairness::strong([action])),
        };
        let crossing = [Fairness::weak(["Cross"]), Fairness::weak(["Whistle"])];
        crossing.into_iter().chain(beyond).collect()
    }

    fn encode(&self, state: &State, bytes: &mut Vec<u8>) {
        bytes.extend([u8::from(state.right), u8::from(state.moored)]);
        bytes.extend(state.place.iter().map(|place| *place as u8));
    }

    fn decode(&self, bytes: &[u8]) -> Option<State> {
        let [right, moored, places @ ..] = bytes else {
            return None;
        };
        let place = |place: &u8| Some(PLACES.get(usize::from(*place))?.1);
        Some(State {
            right: *right == 1,
            moored: *moored == 1,
            place: places.iter().map(place).collect::<Option<_>>()?,
        })
    }

    fn to_tla(&self, state: &State) -> TlaState {
        let name = |place: &Place| {
            let named = PLACES.iter().find(|(_, known)| known == place);
            Value::str(named.map_or("", |(name, _)| name))
        };
        let side = if state.right { "right" } else { "left" };
        TlaState::new([
            ("side", Value::str(side)),
            ("moored", Value::bool(state.moored)),
            ("place", Value::tuple(state.place.iter().map(name))),
        ])
    }

    fn parse_tla(&self, state: &TlaState) -> Result<State, NotAState> {
        let wrong = |name: &str, expected: &str| NotAState::new(name, expected, state.get(name));
        let moored = state.get("moored").and_then(Value::as_bool);
        let moored = moored.filter(|moored| self.defect != Defect::Unreadable || !moored);
        let moored = moored.ok_or_else(|| wrong("moored", "a ferry that is not moored"))?;
        let side = state.get("side").and_then(Value::as_str);
        let Some(Value::Tuple(places)) = state.get("place") else {
            return Err(wrong("place", "a place for each person"));
        };
        let place = |place: &Value| {
            let known = PLACES
                .iter()
                .find(|(name, _)| Some(*name) == place.as_str());
            known.map(|(_, place)| *place)
        };
        let places: Option<_> = places.iter().map(place).collect();
        Ok(State {
            right: side.ok_or_else(|| wrong("side", "a bank"))? == "right",
            moored: moored && self.defect != Defect::Misread,
            place: places.ok_or_else(|| wrong("place", "places"))?,
        })
    }
}

/// `place[p] = …`
fn at(person: usize, place: Place) -> Formula<Ferry> {
    let name = PLACES[place as usize].0;
    Formula::state(
        format!("place[{}] = \"{name}\"", person + 1),
        move |_, state: &State| state.place[person] == place,
    )
}

/// `side = …`
fn on_the_right(right: bool) -> Formula<Ferry> {
    let name = if right { "right" } else { "left" };
    Formula::state(format!("side = \"{name}\""), move |_, state: &State| {
        state.right == right
    })
}

/// The model, and what TLC gets for this specification with two people.
pub(crate) fn ferry(
    specification: &str,
    moorable: bool,
    defect: &str,
    further: &str,
) -> (ModelEntry, Sources) {
    let moorable = if moorable { "TRUE" } else { "FALSE" };
    let registry = Registry::new().with::<Ferry>();
    let sources = Sources {
        module: "Ferry".to_owned(),
        text: include_str!("Ferry.tla").to_owned(),
        cfg: format!(
            "SPECIFICATION {specification}\n\
             CONSTANTS Crowd = 2 Moorable = {moorable} Defect = \"{defect}\"\n{further}\n"
        ),
        others: Vec::new(),
    };
    (*registry.find("ferry").unwrap(), sources)
}
