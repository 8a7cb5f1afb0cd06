//! The rules of the projection and of the scheduler once more: slow, obvious, and written from the
//! document's text alone. Everything is a plain number or word, as the document prints it.
//!
//! Shared design, models/fair-work-queue.md, sections 1 to 5.

use std::collections::{BTreeMap, BTreeSet};

use plumb_models::fair_work_queue::{Numbered, Projection};
use plumb_models::finite::{Finite, Map, Subset};

use crate::setting::Setting;

/// The numbers and choices of a configuration.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    pub(crate) works: i64,
    pub(crate) groups: i64,
    pub(crate) claim_limit: i64,
    pub(crate) run_limit: i64,
    pub(crate) key_limit: i64,
    pub(crate) mode: &'static str,
    edges: &'static str,
    external: &'static str,
}

/// An operation, as far as it changes anything but a group's run.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    Claim { group: i64, claim: i64 },
    Run { group: i64, to: &'static str },
    Close { claim: i64, completed: bool },
    Result { claim: i64 },
    Observe { resource: i64, raw: &'static str },
}

/// The projection, field by field as in the table of section 2. Works, groups, Claims and so on
/// are the keys of maps.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Picture {
    pub(crate) ws: BTreeMap<i64, &'static str>,
    pub(crate) pos: BTreeMap<i64, i64>,
    pub(crate) owner: BTreeMap<i64, i64>,
    pub(crate) cs: BTreeMap<i64, &'static str>,
    pub(crate) members: BTreeMap<i64, Vec<i64>>,
    pub(crate) run: BTreeMap<i64, &'static str>,
    pub(crate) cp: BTreeMap<i64, i64>,
    pub(crate) kp: BTreeMap<(i64, i64), i64>,
    pub(crate) cv: i64,
    pub(crate) kv: BTreeMap<i64, i64>,
    pub(crate) ca: BTreeSet<i64>,
    pub(crate) ka: BTreeMap<i64, BTreeSet<i64>>,
    pub(crate) charges: BTreeMap<i64, i64>,
    pub(crate) results: BTreeSet<i64>,
    pub(crate) external: BTreeMap<i64, &'static str>,
    pub(crate) raw: BTreeMap<i64, &'static str>,
    pub(crate) reads: BTreeMap<i64, i64>,
}

/// "stride(x) = 1 if x = 1, else 2, used both for classes and keys"
fn stride(x: i64) -> i64 {
    if x == 1 { 1 } else { 2 }
}

impl Rules {
    pub(crate) fn of(setting: &Setting) -> Self {
        let numbers = setting.numbers;
        Self {
            works: numbers[0],
            groups: numbers[1],
            claim_limit: numbers[3],
            run_limit: numbers[4],
            key_limit: numbers[5],
            mode: setting.mode,
            edges: setting.edges,
            external: setting.external,
        }
    }

    fn deps(&self, w: i64) -> BTreeSet<i64> {
        let needed: &[i64] = match self.edges {
            "Independent" => &[],
            "Chain" if w > 1 => return BTreeSet::from([w - 1]),
            "Forward" if w == 1 => &[2],
            "Fork" if w > 1 => &[1],
            "Diamond" if w == 4 => &[2, 3],
            "Diamond" if w > 1 => &[1],
            "Cyclic" if w == 1 => &[2],
            "Cyclic" => &[1],
            _ => &[],
        };
        needed.iter().copied().collect()
    }

    fn ext(&self, w: i64) -> BTreeSet<i64> {
        match self.external {
            "GitHub" => BTreeSet::from([1, 2]),
            "GitHubChild" if w == self.works => BTreeSet::from([1, 2]),
            _ => BTreeSet::new(),
        }
    }

    fn class(&self, w: i64) -> i64 {
        if self.mode == "default" || w == 1 {
            1
        } else {
            2
        }
    }

    fn key(&self, w: i64) -> i64 {
        if self.mode == "default" || w % 2 == 1 {
            1
        } else {
            2
        }
    }

    fn claim_of(&self, g: i64, w: i64) -> i64 {
        (g - 1) * self.works + w
    }

    fn work_of(&self, c: i64) -> i64 {
        1 + (c - 1) % self.works
    }

    /// The projection of the initial log.
    pub(crate) fn initial(&self) -> Picture {
        let (works, groups) = (1..=self.works, 1..=self.groups);
        let claims = 1..=self.works * self.groups;
        let two = [1, 2];
        Picture {
            ws: works.clone().map(|w| (w, "available")).collect(),
            // "so pos[w] = W + w for good"
            pos: works.clone().map(|w| (w, self.works + w)).collect(),
            owner: works.map(|w| (w, 0)).collect(),
            cs: claims.map(|c| (c, "absent")).collect(),
            members: groups.clone().map(|g| (g, Vec::new())).collect(),
            run: groups.map(|g| (g, "absent")).collect(),
            cp: two.map(|p| (p, 0)).into(),
            kp: [((1, 1), 0), ((1, 2), 0), ((2, 1), 0), ((2, 2), 0)].into(),
            cv: 0,
            kv: two.map(|p| (p, 0)).into(),
            ca: BTreeSet::new(),
            ka: two.map(|p| (p, BTreeSet::new())).into(),
            charges: two.map(|k| (k, 0)).into(),
            results: BTreeSet::new(),
            external: two.map(|e| (e, "unknown")).into(),
            raw: two.map(|e| (e, "unavailable")).into(),
            reads: two.map(|e| (e, 0)).into(),
        }
    }

    fn open_claims(&self, s: &Picture) -> Vec<i64> {
        let open = s.cs.iter().filter(|(_, status)| **status == "open");
        open.map(|(c, _)| *c).collect()
    }

    fn key_open(&self, s: &Picture, k: i64) -> i64 {
        let open = self.open_claims(s).into_iter();
        open.filter(|c| self.key(self.work_of(*c)) == k).count() as i64
    }

    pub(crate) fn eligible(&self, s: &Picture) -> BTreeSet<i64> {
        let is_eligible = |w: &i64| {
            s.ws[w] == "available"
                && self.deps(*w).is_subset(&s.results)
                && self.ext(*w).iter().all(|e| s.external[e] == "ready")
                && (self.open_claims(s).len() as i64) < self.claim_limit
                && self.key_open(s, self.key(*w)) < self.key_limit
        };
        (1..=self.works).filter(is_eligible).collect()
    }

    fn active_classes(&self, s: &Picture) -> BTreeSet<i64> {
        self.eligible(s)
            .into_iter()
            .map(|w| self.class(w))
            .collect()
    }

    fn active_keys(&self, s: &Picture, p: i64) -> BTreeSet<i64> {
        let of_class = self.eligible(s).into_iter().filter(|w| self.class(*w) == p);
        of_class.map(|w| self.key(w)).collect()
    }

    pub(crate) fn normalize(&self, s: &Picture) -> Picture {
        let mut n = s.clone();
        for p in self.active_classes(s) {
            if !s.ca.contains(&p) {
                n.cp.insert(p, s.cp[&p].max(s.cv + stride(p)));
            }
        }
        for p in [1, 2] {
            for k in self.active_keys(s, p) {
                if !s.ka[&p].contains(&k) {
                    n.kp.insert((p, k), s.kp[&(p, k)].max(s.kv[&p] + stride(k)));
                }
            }
        }
        n.ca = self.active_classes(s);
        for p in [1, 2] {
            n.ka.insert(p, self.active_keys(s, p));
        }
        n
    }

    /// The next work, or 0.
    pub(crate) fn next_work(&self, s: &Picture) -> i64 {
        let eligible = self.eligible(s);
        if eligible.is_empty() {
            return 0;
        }
        let least_pos = |works: Vec<i64>| {
            let mut best = works[0];
            for w in works {
                if s.pos[&w] < s.pos[&best] {
                    best = w;
                }
            }
            best
        };
        if self.mode == "default" {
            return least_pos(eligible.into_iter().collect());
        }
        let n = self.normalize(s);
        let mut class = 0;
        for p in [1, 2] {
            if !self.active_classes(s).contains(&p) {
                continue;
            }
            // Strict: the least number. Weighted: a smaller pass, or the same and a smaller number.
            if class == 0 || self.mode == "weighted" && n.cp[&p] < n.cp[&class] {
                class = p;
            }
        }
        let mut key = 0;
        for k in [1, 2] {
            if self.active_keys(s, class).contains(&k)
                && (key == 0 || n.kp[&(class, k)] < n.kp[&(class, key)])
            {
                key = k;
            }
        }
        let of_both = |w: &i64| self.class(*w) == class && self.key(*w) == key;
        least_pos(eligible.into_iter().filter(of_both).collect())
    }

    fn held_slots(&self, s: &Picture) -> i64 {
        let holding = ["reserved", "started", "bound", "terminal"];
        s.run.values().filter(|run| holding.contains(run)).count() as i64
    }

    /// The Claims of a plan.
    pub(crate) fn plan(&self, s: &Picture, g: i64, n: i64) -> Vec<i64> {
        let mut made = Vec::new();
        let mut evolving = s.clone();
        loop {
            if made.len() as i64 == n {
                return made;
            }
            let w = self.next_work(&evolving);
            if w == 0 {
                return made;
            }
            if evolving.run[&g] == "absent" && self.held_slots(&evolving) >= self.run_limit {
                return made;
            }
            let claim = self.claim_of(g, w);
            evolving = self.after(&evolving, Step::Claim { group: g, claim });
            made.push(claim);
        }
    }

    fn charge(&self, s: &Picture, g: i64, c: i64) -> Picture {
        let w = self.work_of(c);
        let (p, k) = (self.class(w), self.key(w));
        let n = self.normalize(s);
        let mut next = n.clone();
        next.ws.insert(w, "claimed");
        next.owner.insert(w, c);
        next.cs.insert(c, "open");
        next.members.get_mut(&g).unwrap().push(c);
        next.run.insert(g, "reserved");
        next.cv = n.cp[&p];
        next.cp.insert(p, n.cp[&p] + stride(p));
        next.kv.insert(p, n.kp[&(p, k)]);
        next.kp.insert((p, k), n.kp[&(p, k)] + stride(k));
        next.charges.insert(k, n.charges[&k] + 1);
        next
    }

    /// The projection after an operation.
    pub(crate) fn after(&self, s: &Picture, step: Step) -> Picture {
        let mut next = s.clone();
        match step {
            Step::Claim { group, claim } => return self.charge(s, group, claim),
            Step::Run { group, to } => {
                next.run.insert(group, to);
            }
            Step::Close { claim, completed } => {
                let w = self.work_of(claim);
                let (status, work, owner) = if completed {
                    ("completed", "completed", claim)
                } else {
                    ("cancelled", "available", 0)
                };
                next.cs.insert(claim, status);
                next.ws.insert(w, work);
                next.owner.insert(w, owner);
            }
            Step::Result { claim } => {
                next.results.insert(self.work_of(claim));
            }
            Step::Observe { resource, raw } => {
                next.raw.insert(resource, raw);
                *next.reads.get_mut(&resource).unwrap() += 1;
                let normalized = match (resource, raw) {
                    (1, "closed_completed") | (2, "merged") => "ready",
                    (_, "unavailable") => "unknown",
                    (_, "open") => "waiting",
                    _ => "failed",
                };
                next.external.insert(resource, normalized);
            }
        }
        next
    }
}

fn numbers<E: Finite>(set: Subset<E>) -> BTreeSet<i64> {
    set.iter()
        .map(|element| element.index() as i64 + 1)
        .collect()
}

fn by_number<E: Finite, V: Copy, T>(
    map: &Map<E, V, 2>,
    value: impl Fn(V) -> T,
) -> BTreeMap<i64, T> {
    map.iter()
        .map(|(element, of_element)| (element.index() as i64 + 1, value(of_element)))
        .collect()
}

/// The model's projection, put as the reference puts it.
pub(crate) fn picture(rules: &Rules, s: &Projection) -> Picture {
    let works = || (1..).zip(&s.works);
    let claim = |number: &i64| plumb_models::fair_work_queue::Claim::numbered(*number).unwrap();
    let group = |number: &i64| plumb_models::fair_work_queue::Group::numbered(*number).unwrap();
    let claims = 1..=rules.works * rules.groups;
    let passes = by_number(&s.clocks.key_passes, |keys| by_number(&keys, |pass| pass));
    let passes = passes
        .into_iter()
        .flat_map(|(p, keys)| keys.into_iter().map(move |(k, pass)| ((p, k), pass)));
    Picture {
        ws: works().map(|(w, work)| (w, work.status.name())).collect(),
        pos: works().map(|(w, work)| (w, work.position)).collect(),
        owner: works()
            .map(|(w, work)| (w, work.owner.map_or(0, Numbered::number)))
            .collect(),
        cs: claims.map(|c| (c, s.claim(claim(&c)).name())).collect(),
        members: (1..=rules.groups)
            .map(|g| (g, s.members(group(&g)).map(Numbered::number).collect()))
            .collect(),
        run: (1..=rules.groups)
            .map(|g| (g, s.run(group(&g)).name()))
            .collect(),
        cp: by_number(&s.clocks.class_passes, |pass| pass),
        kp: passes.collect(),
        cv: s.clocks.class_time,
        kv: by_number(&s.clocks.key_times, |time| time),
        ca: numbers(s.clocks.active_classes),
        ka: by_number(&s.clocks.active_keys, numbers),
        charges: by_number(&s.charges, |charges| charges),
        results: s.results.iter().map(Numbered::number).collect(),
        external: by_number(&s.resources, |entry| entry.readiness.name()),
        raw: by_number(&s.resources, |entry| entry.raw.name()),
        reads: by_number(&s.resources, |entry| entry.reads),
    }
}
