//! Fairness of actions: which infinite behaviours count.

/// How much an action is owed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Strength {
    /// `WF`: an action that stays enabled is taken.
    Weak,
    /// `SF`: an action that is enabled again and again is taken.
    Strong,
}

/// A fairness condition of the configured specification: `WF_vars(A)` or `SF_vars(A)`.
///
/// As in TLA+ only steps that change the state count, for being enabled and for being taken.
///
/// ```
/// use plumb_checker::Fairness;
/// let owed = [Fairness::weak(["Grant"]), Fairness::strong(["Deliver"]).for_each()];
/// assert_eq!(owed[1].to_string(), "SF_vars(Deliver) for each of its parameters");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fairness {
    /// Weak or strong.
    pub strength: Strength,
    /// The actions whose disjunction is owed.
    pub actions: Vec<&'static str>,
    /// Whether each choice of parameters is owed by itself (`\A p : WF_vars(A(p))`), or the
    /// action whatever its parameters (`WF_vars(\E p : A(p))`).
    pub each: bool,
}

impl Fairness {
    /// Weak fairness of the disjunction of `actions`, over all their parameters.
    #[must_use]
    pub fn weak(actions: impl IntoIterator<Item = &'static str>) -> Self {
        let actions = actions.into_iter().collect();
        Self {
            strength: Strength::Weak,
            actions,
            each: false,
        }
    }

    /// Strong fairness of the disjunction of `actions`, over all their parameters.
    #[must_use]
    pub fn strong(actions: impl IntoIterator<Item = &'static str>) -> Self {
        Self {
            strength: Strength::Strong,
            ..Self::weak(actions)
        }
    }

    /// The same for each choice of parameters by itself.
    #[must_use]
    pub fn for_each(self) -> Self {
        Self { each: true, ..self }
    }
}

impl std::fmt::Display for Fairness {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = match self.strength {
            Strength::Weak => "WF",
            Strength::Strong => "SF",
        };
        write!(f, "{name}_vars({})", self.actions.join(" \\/ "))?;
        if self.each {
            f.write_str(" for each of its parameters")
        } else {
            Ok(())
        }
    }
}
