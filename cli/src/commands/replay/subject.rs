//! Whose behaviour a trace is said to be.

use std::collections::BTreeMap;
use std::rc::Rc;

use plumb_replay::replay::digest;
use plumb_replay::trace::{Format, Header};

use super::arguments::ReplayArguments;
use super::files::TraceFile;
use crate::arguments::SingleChoice;
use crate::error::CliError;
use crate::workspace::{Configuration, Workspace};

/// Finds the configuration of each trace; each configuration is read once.
pub(super) struct Subjects<'w> {
    workspace: &'w Workspace<'w>,
    /// What the command line names.
    named: Option<Rc<Configuration>>,
    known: BTreeMap<String, Rc<Configuration>>,
}

/// The configuration that a trace is held against.
#[derive(Clone)]
pub(super) struct Subject {
    pub(super) configuration: Rc<Configuration>,
    /// Why the recording is not of what lies there now, in sentences.
    pub(super) stale: Vec<String>,
}

impl<'w> Subjects<'w> {
    /// With the configuration that the arguments name, if they do.
    pub(super) fn new(
        workspace: &'w Workspace<'w>,
        arguments: &ReplayArguments,
    ) -> Result<Self, CliError> {
        let choice = match (&arguments.model, &arguments.config, &arguments.cfg) {
            (None, None, None) => None,
            (Some(_), None, None) => {
                let hint = "add `--config CONFIG` or `--cfg FILE`".to_owned();
                return Err(CliError::usage(
                    "--model alone names no configuration",
                    Some(hint),
                ));
            }
            (_, Some(config), _) => Some(SingleChoice {
                name: Some(config.clone()),
                model: None,
                cfg: None,
            }),
            (model, None, cfg) => Some(SingleChoice {
                name: None,
                model: model.clone(),
                cfg: cfg.clone(),
            }),
        };
        let named = choice.map(|choice| workspace.configuration(&choice));
        let named = named.transpose()?.map(Rc::new);
        if let (Some(named), Some(model)) = (&named, &arguments.model)
            && named.model.name() != model
        {
            let (name, of) = (&named.name, named.model.name());
            let message = format!("{name} is a configuration of {of}, not of {model}");
            return Err(CliError::usage(message, None));
        }
        Ok(Self {
            workspace,
            named,
            known: BTreeMap::new(),
        })
    }

    /// The configuration of a trace: the one that the command line names, or else the trace itself,
    /// or else its folder. What they say must not contradict.
    ///
    /// # Errors
    ///
    /// In a sentence, why there is none.
    pub(super) fn of(
        &mut self,
        file: &TraceFile,
        format: Format,
        header: &Header,
    ) -> Result<Subject, String> {
        let configuration = match (&self.named, &header.configuration, file.by_folder()) {
            (Some(named), ..) => Rc::clone(named),
            (None, Some(name), _) if self.workspace.specs.find(name).is_ok() => self.known(name)?,
            (None, _, Some((model, name))) if self.is_registered(&model, &name) => {
                self.known(&name)?
            }
            (None, Some(name), _) => {
                return Err(format!(
                    "it is a trace of {name}, which is not registered: name the model and the cfg \
                     with --model and --cfg"
                ));
            }
            _ => {
                return Err(
                    "it does not say whose it is: name the configuration with --config, or the \
                     model and a cfg with --model and --cfg"
                        .to_owned(),
                );
            }
        };
        let stale = self.contradictions(&configuration, file, format, header)?;
        Ok(Subject {
            configuration,
            stale,
        })
    }

    fn is_registered(&self, model: &str, name: &str) -> bool {
        let entry = self.workspace.specs.find(name);
        entry.is_ok_and(|entry| entry.model == model)
    }

    fn known(&mut self, name: &str) -> Result<Rc<Configuration>, String> {
        if let Some(known) = self.known.get(name) {
            return Ok(Rc::clone(known));
        }
        let choice = SingleChoice {
            name: Some(name.to_owned()),
            model: None,
            cfg: None,
        };
        let read = self.workspace.configuration(&choice);
        let read = Rc::new(read.map_err(|error| error.to_string())?);
        self.known.insert(name.to_owned(), Rc::clone(&read));
        Ok(read)
    }

    /// What the trace says of itself that is not so: an error if it is another's, or else why it is
    /// stale.
    fn contradictions(
        &self,
        configuration: &Configuration,
        file: &TraceFile,
        format: Format,
        header: &Header,
    ) -> Result<Vec<String>, String> {
        let model = configuration.model.as_ref();
        let (name, module) = (model.name(), model.module());
        if let Some(other) = header.model.as_deref().filter(|other| *other != name) {
            return Err(format!("it is a trace of the model {other}, not of {name}"));
        }
        // TLC names the module that it was run on, which may only extend the model's.
        if format == Format::Plumb
            && let Some(other) = header.module.as_deref().filter(|other| *other != module)
        {
            return Err(format!(
                "it is a trace of the module {other}, not of {module}"
            ));
        }
        let same_cfg =
            header.cfg_digest.as_deref() == Some(&*digest(configuration.text.as_bytes()));
        if let Some(other) = &header.configuration
            && *other != configuration.name
            && !same_cfg
        {
            let name = &configuration.name;
            return Err(format!(
                "it is a trace of the configuration {other}, not of {name}"
            ));
        }
        let mut stale = Vec::new();
        if header.cfg_digest.is_some() && !same_cfg {
            stale.push("the cfg has changed since it was recorded".to_owned());
        }
        if let Some(recorded) = &header.module_digest {
            let text = self
                .workspace
                .module(model)
                .map_err(|error| error.to_string())?;
            if *recorded != digest(text.as_bytes()) {
                stale.push("the module has changed since it was recorded".to_owned());
            }
        }
        let cfg = configuration.registered.as_ref().map(|entry| &*entry.name);
        stale.extend(file.stale(&self.workspace.specs, name, module, cfg));
        Ok(stale)
    }
}
