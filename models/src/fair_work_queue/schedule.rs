//! The scheduler: who is eligible, whose turn it is, what a Claim is charged, what a group plans.
//!
//! Shared design, models/fair-work-queue.md, sections 4 and 5. These are pure functions of a
//! projection.
//!
//! Two levels share by clocks: classes, and the keys within a class. A Claim advances the clocks
//! of its work's class and key by their strides, and the least clock is next. What was not
//! competing when the last Claim was made is woken up: its clock is set forward to one stride
//! after the time of the last charge, so that it has no credit for the time in which it was away.

use super::constants::{Constants, Mode};
use super::log::Operation;
use super::projection::{Clocks, Projection};
use super::vocabulary::{Claim, ClaimStatus, Class, Group, Key, Readiness, Run, Work, WorkStatus};
use crate::finite::{Finite, Subset};
use crate::numbered::{NumberSet, Numbered};

/// The works that could be claimed now, if there were a native slot.
#[must_use]
pub fn eligible(constants: &Constants, projection: &Projection) -> NumberSet<Work> {
    if projection.open_claims() >= constants.claim_limit {
        return NumberSet::EMPTY;
    }
    let below_limit = Key::ALL
        .iter()
        .copied()
        .filter(|key| projection.open_with_key(constants, *key) < constants.key_limit);
    let below_limit = Subset::of(below_limit);
    let is_ready = |resource| projection.resources[resource].readiness == Readiness::Ready;
    let is_eligible = |work: &Work| {
        projection.work(*work).status == WorkStatus::Available
            && constants.predecessors(*work).is_subset(projection.results)
            && constants.waits_for(*work).iter().all(is_ready)
            && below_limit.contains(constants.key(*work))
    };
    constants.all_works().filter(is_eligible).collect()
}

/// The classes of some works.
fn classes(constants: &Constants, works: NumberSet<Work>) -> Subset<Class> {
    Subset::of(works.iter().map(|work| constants.class(work)))
}

/// The keys of those works that are of a class.
fn keys(constants: &Constants, works: NumberSet<Work>, class: Class) -> Subset<Key> {
    let of_class = works.iter().filter(|work| constants.class(*work) == class);
    Subset::of(of_class.map(|work| constants.key(work)))
}

/// The clocks once everything that competes is woken up.
#[must_use]
pub fn normalize(constants: &Constants, projection: &Projection) -> Clocks {
    woken(
        constants,
        &projection.clocks,
        eligible(constants, projection),
    )
}

/// The clocks once the classes and keys of these works are woken up.
fn woken(constants: &Constants, clocks: &Clocks, competing: NumberSet<Work>) -> Clocks {
    let mut woken = *clocks;
    woken.active_classes = classes(constants, competing);
    for class in woken.active_classes.minus(clocks.active_classes).iter() {
        let earliest = clocks.class_time.saturating_add(class.stride());
        let pass = &mut woken.class_passes[class];
        *pass = (*pass).max(earliest);
    }
    for class in Class::ALL.iter().copied() {
        let active = keys(constants, competing, class);
        woken.active_keys[class] = active;
        for key in active.minus(clocks.active_keys[class]).iter() {
            let earliest = clocks.key_times[class].saturating_add(key.stride());
            let pass = &mut woken.key_passes[class][key];
            *pass = (*pass).max(earliest);
        }
    }
    woken
}

/// The work whose turn it is, if any is eligible.
#[must_use]
pub fn next_work(constants: &Constants, projection: &Projection) -> Option<Work> {
    next_among(constants, projection, eligible(constants, projection))
}

/// The work whose turn it is among the eligible ones.
pub(super) fn next_among(
    constants: &Constants,
    projection: &Projection,
    eligible: NumberSet<Work>,
) -> Option<Work> {
    let longest_waiting = |works: &mut dyn Iterator<Item = Work>| {
        works.min_by_key(|work| projection.work(*work).position)
    };
    if constants.mode == Mode::Default {
        return longest_waiting(&mut eligible.iter());
    }
    let clocks = woken(constants, &projection.clocks, eligible);
    // Of equal clocks the first is the least, so that ties go to the smaller number.
    let class = match constants.mode {
        Mode::Strict => clocks.active_classes.first()?,
        Mode::Weighted | Mode::Default => clocks
            .active_classes
            .iter()
            .min_by_key(|class| clocks.class_passes[*class])?,
    };
    let key = clocks.active_keys[class]
        .iter()
        .min_by_key(|key| clocks.key_passes[class][*key])?;
    longest_waiting(
        &mut eligible
            .iter()
            .filter(|work| constants.class(*work) == class && constants.key(*work) == key),
    )
}

/// A group claims a work: the effect of a Claim operation.
///
/// Everything that competed before it, its own work included, is woken up first. In strict mode
/// classes are charged, too.
pub fn charge(constants: &Constants, projection: &mut Projection, group: Group, claim: Claim) {
    let competing = eligible(constants, projection);
    charge_among(constants, projection, competing, (group, claim));
}

/// Charges a Claim when these works are the eligible ones.
pub(super) fn charge_among(
    constants: &Constants,
    projection: &mut Projection,
    eligible: NumberSet<Work>,
    (group, claim): (Group, Claim),
) {
    let work = constants.work_of(claim);
    let (class, key) = (constants.class(work), constants.key(work));
    let mut clocks = woken(constants, &projection.clocks, eligible);
    clocks.class_time = clocks.class_passes[class];
    clocks.class_passes[class] = clocks.class_time.saturating_add(class.stride());
    clocks.key_times[class] = clocks.key_passes[class][key];
    clocks.key_passes[class][key] = clocks.key_times[class].saturating_add(key.stride());
    projection.clocks = clocks;

    let entry = &mut projection.works[work.index()];
    entry.status = WorkStatus::Claimed;
    entry.owner = Some(claim);
    projection.claims.set(claim, ClaimStatus::Open);
    projection.members.add(group, claim);
    projection.runs[group.index()] = Run::Reserved;
    projection.charges[key] = projection.charges[key].saturating_add(1);
}

/// The Claim that a group would make next, if it can make one: a work must be eligible, and for
/// its first Claim there must be a free native slot.
#[must_use]
pub fn next_claim(constants: &Constants, projection: &Projection, group: Group) -> Option<Claim> {
    let needs_slot = projection.run(group) == Run::Absent;
    if needs_slot && projection.held_slots() >= constants.run_limit {
        return None;
    }
    let work = next_work(constants, projection)?;
    Some(constants.claim_of(group, work))
}

/// Up to `limit` Claims that a group makes one after the other.
#[must_use]
pub fn plan(
    constants: &Constants,
    projection: &Projection,
    group: Group,
    limit: i64,
) -> Vec<Operation> {
    let mut planned = Vec::new();
    let mut evolving = None;
    while (planned.len() as i64) < limit {
        let now = evolving.as_ref().unwrap_or(projection);
        let Some(claim) = next_claim(constants, now, group) else {
            break;
        };
        planned.push(Operation::Claim(group, claim));
        if (planned.len() as i64) < limit {
            let after = evolving.get_or_insert_with(|| projection.clone());
            charge(constants, after, group, claim);
        }
    }
    planned
}
