//! The constants of the model, the facts that there can be, and the specifications.
//!
//! Shared design, models/work-queue.md, sections 1, 2, 3.1, 3.7 and 4.6.

use plumb_checker::{ConfigurationError, Reader};

use super::fact::{Fact, FactSet, Intent, MOST_FACTS};
use super::vocabulary::{Claim, Dispatcher, Kind, Work, Worker};
use crate::numbered::{MOST_NUMBERS, Numbered};

/// The specifications of the module: the sound one, and one for each defect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Specification {
    Spec,
    BrokenCas,
    BrokenTerminal,
    BrokenQueueSelection,
}

const SPECIFICATIONS: &[(&str, Specification)] = &[
    ("Spec", Specification::Spec),
    ("BrokenCASSpec", Specification::BrokenCas),
    ("BrokenTerminalSpec", Specification::BrokenTerminal),
    (
        "BrokenQueueSelectionSpec",
        Specification::BrokenQueueSelection,
    ),
];

/// Reads the specification from a cfg.
pub(super) fn specification(cfg: &mut Reader<'_>) -> Result<Specification, ConfigurationError> {
    cfg.specification(SPECIFICATIONS)
}

/// What a fact says, field by field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Description {
    /// Its kind. Facts are ordered by kind first, then by the other fields as they stand here.
    pub kind: Kind,
    /// The work that it is about.
    pub work: Work,
    /// The Claim that it is about, if it is about one.
    pub claim: Option<Claim>,
    /// The worker whose attempt it is about, if it is about one.
    pub attempt: Option<Worker>,
}

/// The facts about one work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct About {
    all: FactSet,
    claims: FactSet,
    completions: FactSet,
    terminal: FactSet,
}

/// The constants of the module and what follows from them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constants {
    /// How many works there are.
    pub works: usize,
    /// How many Claims there are.
    pub claims: usize,
    /// How many workers there are.
    pub workers: usize,
    /// How many dispatchers there are.
    pub dispatchers: usize,
    /// How often anyone tries again after a conflict.
    pub retry_limit: i64,
    /// The highest version of the log that is searched on from.
    pub max_head: i64,
    /// The longest log that is searched on from.
    pub max_log: i64,
    /// What each fact says.
    facts: Vec<Description>,
    /// The facts about each work.
    about: Vec<About>,
    /// The Claim fact of each Claim.
    claim_facts: Vec<Fact>,
    /// The Completion of each worker.
    completions: Vec<Fact>,
}

impl Constants {
    /// Reads the constants from a cfg.
    pub(super) fn read(cfg: &mut Reader<'_>) -> Result<Self, ConfigurationError> {
        // A bound of this implementation. A work takes two facts, a Claim two, a worker one.
        let mut left = MOST_FACTS as i64;
        let mut count = |cfg: &mut Reader<'_>, name, facts_of_each, still_to_come| {
            let number = cfg.integer(name)?;
            let most = (left - still_to_come) / facts_of_each;
            if number < 1 || number > most {
                let expected = format!(
                    "a number from 1 to {most}, so that there are at most {MOST_FACTS} facts"
                );
                return Err(cfg.refuse(name, expected));
            }
            left -= number * facts_of_each;
            // At most MOST_FACTS.
            Ok(number as usize)
        };
        let works = count(cfg, "WorkCount", 2, 3)?;
        let claims = count(cfg, "ClaimCount", 2, 1)?;
        let workers = count(cfg, "WorkerCount", 1, 0)?;
        let dispatchers = cfg.integer("DispatcherCount")?;
        if dispatchers < 1 || dispatchers > MOST_NUMBERS as i64 {
            let expected = format!("a number from 1 to {MOST_NUMBERS}");
            return Err(cfg.refuse("DispatcherCount", expected));
        }
        let retry_limit = natural(cfg, "RetryLimit")?;
        let max_head = natural(cfg, "MaxHead")?;
        let max_log = natural(cfg, "MaxLog")?;
        let facts = all_facts(works, claims, workers);
        let position = |kind, number: usize, of: fn(&Description) -> Option<usize>| {
            let found = facts
                .iter()
                .position(|fact| fact.kind == kind && of(fact) == Some(number));
            // There is one: all_facts has made it.
            Fact(found.unwrap_or_default() as u8)
        };
        let claim_facts = (0..claims)
            .map(|claim| position(Kind::Claim, claim, |fact| fact.claim.map(Claim::index)))
            .collect();
        let completions = (0..workers)
            .map(|worker| {
                position(Kind::Completion, worker, |fact| {
                    fact.attempt.map(Worker::index)
                })
            })
            .collect();
        Ok(Self {
            works,
            claims,
            workers,
            // At most MOST_NUMBERS.
            dispatchers: dispatchers as usize,
            retry_limit,
            max_head,
            max_log,
            about: about(&facts, works),
            facts,
            claim_facts,
            completions,
        })
    }

    /// The works.
    pub fn all_works(&self) -> impl Iterator<Item = Work> + use<> {
        Work::first(self.works)
    }

    /// The Claims.
    pub fn all_claims(&self) -> impl Iterator<Item = Claim> + use<> {
        Claim::first(self.claims)
    }

    /// The workers.
    pub fn all_workers(&self) -> impl Iterator<Item = Worker> + use<> {
        Worker::first(self.workers)
    }

    /// The dispatchers.
    pub fn all_dispatchers(&self) -> impl Iterator<Item = Dispatcher> + use<> {
        Dispatcher::first(self.dispatchers)
    }

    /// The facts, in the canonical order.
    pub fn all_facts(&self) -> impl DoubleEndedIterator<Item = Fact> + use<> {
        (0..self.facts.len()).map(|index| Fact(index as u8))
    }

    /// What may be staged, in the canonical order, resubmissions last: neither cancellations of
    /// Claims nor Completions.
    pub fn all_intents(&self) -> impl Iterator<Item = Intent> {
        let count = self.facts.len() + self.works;
        let all = (0..count).map(|index| Intent(index as u8));
        all.filter(|intent| self.is_intent(*intent))
    }

    /// Whether it is one of these.
    pub(super) fn is_intent(&self, intent: Intent) -> bool {
        match self.fact_of(intent) {
            Some(fact) => matches!(
                self.describe(fact).kind,
                Kind::Work | Kind::Claim | Kind::WorkCancellation
            ),
            None => self.resubmitted(intent).is_some(),
        }
    }

    /// Whether it is a fact at all, and a Completion.
    pub(super) fn is_completion(&self, fact: Fact) -> bool {
        let description = self.facts.get(fact.index());
        description.is_some_and(|description| description.kind == Kind::Completion)
    }

    /// The work that a Claim is on.
    #[must_use]
    pub fn work_of(&self, claim: Claim) -> Work {
        work_of(claim, self.works)
    }

    /// The Claim that a worker works for.
    #[must_use]
    pub fn inbound(&self, worker: Worker) -> Claim {
        inbound(worker, self.claims)
    }

    /// The dispatcher that may stage a Claim.
    #[must_use]
    pub fn owner(&self, claim: Claim) -> Dispatcher {
        Dispatcher::at(claim.index() % self.dispatchers)
    }

    /// The dispatcher of the highest number: the owner of no Claim, as TLA+'s modulus has it.
    #[must_use]
    pub fn last_dispatcher(&self) -> Dispatcher {
        Dispatcher::at(self.dispatchers - 1)
    }

    /// What a fact says.
    #[must_use]
    pub fn describe(&self, fact: Fact) -> Description {
        self.facts[fact.index()]
    }

    /// How many facts there are.
    #[must_use]
    pub fn fact_count(&self) -> usize {
        self.facts.len()
    }

    /// The fact that there is a work.
    #[must_use]
    pub fn work(&self, work: Work) -> Fact {
        Fact(work.index() as u8)
    }

    /// The fact that a Claim was made.
    #[must_use]
    pub fn claim(&self, claim: Claim) -> Fact {
        self.claim_facts[claim.index()]
    }

    /// The fact that a Claim was given up.
    #[must_use]
    pub fn claim_cancellation(&self, claim: Claim) -> Fact {
        // Both kinds are ordered in the same way.
        Fact(self.claim(claim).0 + self.claims as u8)
    }

    /// The fact that a work was given up.
    #[must_use]
    pub fn work_cancellation(&self, work: Work) -> Fact {
        Fact((self.works + 2 * self.claims + work.index()) as u8)
    }

    /// The fact that a worker has done its work.
    #[must_use]
    pub fn completion(&self, worker: Worker) -> Fact {
        self.completions[worker.index()]
    }

    /// The intent to submit a work that is there already.
    #[must_use]
    pub fn resubmission(&self, work: Work) -> Intent {
        Intent((self.facts.len() + work.index()) as u8)
    }

    /// The fact that an intent is, unless it is a resubmission.
    #[must_use]
    pub fn fact_of(&self, intent: Intent) -> Option<Fact> {
        let is_fact = usize::from(intent.0) < self.facts.len();
        is_fact.then_some(Fact(intent.0))
    }

    /// The work that an intent submits again, if it is a resubmission.
    #[must_use]
    pub fn resubmitted(&self, intent: Intent) -> Option<Work> {
        let index = usize::from(intent.0).checked_sub(self.facts.len())?;
        (index < self.works).then(|| Work::at(index))
    }

    /// The Claim that an intent makes, if it makes one.
    #[must_use]
    pub fn claimed(&self, intent: Intent) -> Option<Claim> {
        let Description { kind, claim, .. } = self.describe(self.fact_of(intent)?);
        claim.filter(|_| kind == Kind::Claim)
    }

    /// All facts about a work.
    #[must_use]
    pub fn about(&self, work: Work) -> FactSet {
        self.about[work.index()].all
    }

    /// The Claims on a work.
    #[must_use]
    pub fn claims_on(&self, work: Work) -> FactSet {
        self.about[work.index()].claims
    }

    /// The Completions of a work.
    #[must_use]
    pub fn completions_of(&self, work: Work) -> FactSet {
        self.about[work.index()].completions
    }

    /// The facts after which nothing happens to a work any more.
    #[must_use]
    pub fn terminal_of(&self, work: Work) -> FactSet {
        self.about[work.index()].terminal
    }
}

fn work_of(claim: Claim, works: usize) -> Work {
    Work::at(claim.index() % works)
}

fn inbound(worker: Worker, claims: usize) -> Claim {
    Claim::at(worker.index() % claims)
}

/// Every fact, in the canonical order: by kind, then by work, Claim and attempt.
fn all_facts(works: usize, claims: usize, workers: usize) -> Vec<Description> {
    let mut facts = Vec::new();
    for kind in [Kind::Work, Kind::WorkCancellation] {
        facts.extend(Work::first(works).map(|work| Description {
            kind,
            work,
            claim: None,
            attempt: None,
        }));
    }
    for kind in [Kind::Claim, Kind::ClaimCancellation] {
        facts.extend(Claim::first(claims).map(|claim| Description {
            kind,
            work: work_of(claim, works),
            claim: Some(claim),
            attempt: None,
        }));
    }
    facts.extend(Worker::first(workers).map(|worker| {
        let claim = inbound(worker, claims);
        Description {
            kind: Kind::Completion,
            work: work_of(claim, works),
            claim: Some(claim),
            attempt: Some(worker),
        }
    }));
    facts.sort_unstable();
    facts
}

fn about(facts: &[Description], works: usize) -> Vec<About> {
    let mut about = vec![About::default(); works];
    for (index, description) in facts.iter().enumerate() {
        let fact = Fact(index as u8);
        let about = &mut about[description.work.index()];
        about.all.insert(fact);
        match description.kind {
            Kind::Work | Kind::ClaimCancellation => {}
            Kind::Claim => about.claims.insert(fact),
            Kind::WorkCancellation => about.terminal.insert(fact),
            Kind::Completion => {
                about.completions.insert(fact);
                about.terminal.insert(fact);
            }
        }
    }
    about
}

/// A limit: with zero of them there is little to search, but it can be said.
fn natural(cfg: &mut Reader<'_>, name: &str) -> Result<i64, ConfigurationError> {
    match cfg.integer(name)? {
        number if number >= 0 => Ok(number),
        _ => Err(cfg.refuse(name, "a number from 0")),
    }
}
