//! The canonical bytes of a state, component after component.
//!
//! Whatever is read is checked against the constants, and has one form only: bytes that would be
//! written otherwise are refused.

use super::constants::Constants;
use super::fact::{Fact, FactSet, Intent};
use super::sequence::{Element, Sequence};
use super::state::{
    Activation, DispatcherState, MaintenanceState, Part, Proposal, Shared, State, WorkerState,
};
use super::vocabulary::Claim;
use crate::finite::Finite;
use crate::integers::{put_integer, take_integer};
use crate::numbered::{NumberSet, Numbered};

/// Bits of the byte behind a worker's phase.
mod flag {
    pub(super) const FINISH: u8 = 1;
    pub(super) const READY: u8 = 2;
    pub(super) const ADMITTED: u8 = 4;
    pub(super) const NONE: u8 = !(FINISH | READY | ADMITTED);
}

pub(super) fn encode(constants: &Constants, state: &State, bytes: &mut Vec<u8>) {
    for number in 0..constants.parts() {
        encode_part(state, constants.part(number), bytes);
    }
}

pub(super) fn encode_part(state: &State, part: Part, bytes: &mut Vec<u8>) {
    match part {
        Part::Shared => put_shared(&state.shared, bytes),
        Part::Dispatcher(dispatcher) => put_dispatcher(state.dispatcher(dispatcher), bytes),
        Part::Worker(worker) => put_worker(state.worker(worker), bytes),
        Part::Maintenance(kind) => put_maintenance(state.maintenance(kind), bytes),
    }
}

pub(super) fn decode(constants: &Constants, bytes: &[u8]) -> Option<State> {
    let mut state = State::initial(constants);
    let mut source = Source { constants, bytes };
    for number in 0..constants.parts() {
        source.part(constants.part(number), &mut state)?;
    }
    source.bytes.is_empty().then_some(state)
}

pub(super) fn decode_parts(constants: &Constants, parts: &[&[u8]]) -> Option<State> {
    if parts.len() != constants.parts() {
        return None;
    }
    let mut state = State::initial(constants);
    for (number, bytes) in parts.iter().enumerate() {
        let mut source = Source { constants, bytes };
        source.part(constants.part(number), &mut state)?;
        if !source.bytes.is_empty() {
            return None;
        }
    }
    Some(state)
}

fn put_sequence<T>(sequence: &Sequence<T>, bytes: &mut Vec<u8>) {
    put_integer(sequence.len() as i64, bytes);
    bytes.extend(sequence.as_bytes());
}

/// Bits, as the integer that they are in two's complement.
fn put_bits(bits: u64, bytes: &mut Vec<u8>) {
    put_integer(bits as i64, bytes);
}

fn put_shared(shared: &Shared, bytes: &mut Vec<u8>) {
    let Shared {
        log,
        head,
        terminal_history,
        dead_runs,
        authorizations,
        effects,
    } = shared;
    put_sequence(log, bytes);
    put_integer(*head, bytes);
    for history in terminal_history {
        put_bits(history.bits(), bytes);
    }
    put_bits(dead_runs.bits(), bytes);
    put_sequence(authorizations, bytes);
    put_sequence(effects, bytes);
}

fn put_proposal(proposal: &Proposal, bytes: &mut Vec<u8>) {
    let Proposal {
        base,
        source,
        candidate,
        retries,
    } = proposal;
    put_integer(*base, bytes);
    put_sequence(source, bytes);
    put_sequence(candidate, bytes);
    put_integer(*retries, bytes);
}

fn put_dispatcher(dispatcher: &DispatcherState, bytes: &mut Vec<u8>) {
    let DispatcherState {
        phase,
        local,
        proposal,
    } = dispatcher;
    bytes.push(phase.index() as u8);
    put_sequence(local, bytes);
    put_proposal(proposal, bytes);
}

fn put_worker(worker: &WorkerState, bytes: &mut Vec<u8>) {
    let WorkerState {
        phase,
        finish,
        proposal,
        activation,
    } = worker;
    let Activation {
        ready,
        head,
        admitted,
    } = activation;
    let bit = |bit: u8, set: &bool| if *set { bit } else { 0 };
    bytes.push(phase.index() as u8);
    bytes.push(bit(flag::FINISH, finish) | bit(flag::READY, ready) | bit(flag::ADMITTED, admitted));
    put_integer(*head, bytes);
    put_proposal(proposal, bytes);
}

fn put_maintenance(maintenance: &MaintenanceState, bytes: &mut Vec<u8>) {
    let MaintenanceState {
        phase,
        proposal,
        observed_runs,
    } = maintenance;
    bytes.push(phase.index() as u8);
    put_bits(observed_runs.bits(), bytes);
    put_proposal(proposal, bytes);
}

/// Reads from canonical bytes.
#[derive(Debug)]
struct Source<'a> {
    constants: &'a Constants,
    bytes: &'a [u8],
}

impl Source<'_> {
    /// Reads a component into a state.
    fn part(&mut self, part: Part, state: &mut State) -> Option<()> {
        match part {
            Part::Shared => state.shared = self.shared()?,
            Part::Dispatcher(id) => state.dispatchers[id.index()] = self.dispatcher()?,
            Part::Worker(id) => state.workers[id.index()] = self.worker()?,
            Part::Maintenance(kind) => *state.maintenance_mut(kind) = self.maintenance()?,
        }
        Some(())
    }

    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(*first)
    }

    fn integer(&mut self) -> Option<i64> {
        take_integer(&mut self.bytes)
    }

    fn finite<E: Finite>(&mut self) -> Option<E> {
        E::at(usize::from(self.byte()?))
    }

    /// Bits of which only the first `count` may be set.
    fn bits(&mut self, count: usize) -> Option<u64> {
        let bits = self.integer()? as u64;
        (u128::from(bits) >> count == 0).then_some(bits)
    }

    fn claims(&mut self) -> Option<NumberSet<Claim>> {
        self.bits(self.constants.claims).map(NumberSet::from_bits)
    }

    fn sequence<T: Element>(&mut self, is_element: impl Fn(T) -> bool) -> Option<Sequence<T>> {
        let length = usize::try_from(self.integer()?).ok()?;
        let (sequence, rest) = self.bytes.split_at_checked(length)?;
        self.bytes = rest;
        let mut elements = sequence.iter().map(|byte| T::of_byte(*byte));
        let all_are = elements.all(is_element);
        all_are.then(|| Sequence::from_bytes(sequence))
    }

    fn log(&mut self) -> Option<Sequence<Fact>> {
        let count = self.constants.fact_count();
        self.sequence(|fact: Fact| fact.index() < count)
    }

    fn completions(&mut self) -> Option<Sequence<Fact>> {
        let constants = self.constants;
        self.sequence(|fact| constants.is_completion(fact))
    }

    fn batch(&mut self) -> Option<Sequence<Intent>> {
        let constants = self.constants;
        self.sequence(|intent| constants.is_intent(intent))
    }

    fn shared(&mut self) -> Option<Shared> {
        let constants = self.constants;
        let (log, head) = (self.log()?, self.integer()?);
        let mut terminal_history = Vec::with_capacity(constants.works);
        for _ in constants.all_works() {
            let bits = self.bits(constants.fact_count())?;
            terminal_history.push(FactSet::from_bits(bits));
        }
        Some(Shared {
            log,
            head,
            terminal_history,
            dead_runs: self.claims()?,
            authorizations: self.completions()?,
            effects: self.completions()?,
        })
    }

    fn proposal(&mut self) -> Option<Proposal> {
        Some(Proposal {
            base: self.integer()?,
            source: self.log()?,
            candidate: self.log()?,
            retries: self.integer()?,
        })
    }

    fn dispatcher(&mut self) -> Option<DispatcherState> {
        Some(DispatcherState {
            phase: self.finite()?,
            local: self.batch()?,
            proposal: self.proposal()?,
        })
    }

    fn worker(&mut self) -> Option<WorkerState> {
        let phase = self.finite()?;
        let flags = self.byte()?;
        if flags & flag::NONE != 0 {
            return None;
        }
        let activation = Activation {
            ready: flags & flag::READY != 0,
            head: self.integer()?,
            admitted: flags & flag::ADMITTED != 0,
        };
        Some(WorkerState {
            phase,
            finish: flags & flag::FINISH != 0,
            proposal: self.proposal()?,
            activation,
        })
    }

    fn maintenance(&mut self) -> Option<MaintenanceState> {
        let phase = self.finite()?;
        let observed_runs = self.claims()?;
        Some(MaintenanceState {
            phase,
            proposal: self.proposal()?,
            observed_runs,
        })
    }
}
