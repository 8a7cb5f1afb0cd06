//! From a name or a file to a configured model.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use plumb_checker::specs::{self, Registered, Specs};
use plumb_checker::{ConfiguredModel, ModelEntry, Registry};

use crate::arguments::{Choice, SingleChoice};
use crate::error::{self, CliError};

/// The largest cfg file that is read, in bytes.
const LARGEST_CFG: u64 = 64 << 20;

/// The models of the program and the `specs/` folder in use.
pub(crate) struct Workspace<'r> {
    registry: &'r Registry,
    pub(crate) specs: Specs,
}

/// A configuration, or why it cannot be set up.
pub(crate) type SetUp = Result<Configuration, CliError>;

/// A configuration that is ready to be checked.
pub(crate) struct Configuration {
    /// The registered name, or the stem of the user's cfg file.
    pub(crate) name: String,
    /// The path of the cfg as messages show it.
    pub(crate) path: String,
    /// The cfg's text.
    pub(crate) text: String,
    /// The registry's entry; a user's own cfg has none.
    pub(crate) registered: Option<Registered>,
    /// The model with the cfg's constants and properties.
    pub(crate) model: Box<dyn ConfiguredModel>,
}

impl<'r> Workspace<'r> {
    /// Opens the `specs/` folder that `folder` names, or the nearest, or the built-in one.
    pub(crate) fn open(registry: &'r Registry, folder: Option<&Path>) -> Result<Self, CliError> {
        let working = std::env::current_dir().map_err(|error| {
            CliError::failed(format!("cannot tell the working directory: {error}"), None)
        })?;
        Ok(Self {
            registry,
            specs: Specs::open(folder, &working, registry.specs())?,
        })
    }

    /// The chosen configurations: by filters, or the user's own.
    pub(crate) fn configurations(&self, choice: &Choice) -> Result<Vec<Configuration>, CliError> {
        if let (Some(model), Some(cfg)) = (&choice.model, &choice.cfg) {
            return Ok(vec![self.own(model, cfg)?]);
        }
        let selected = self.specs.select(&choice.filters)?;
        if selected.is_empty() {
            // To check nothing is not to find everything as expected.
            let registry = self.specs.path(specs::REGISTRY);
            return Err(CliError::usage(
                format!("{registry} registers nothing to check without being named"),
                None,
            ));
        }
        selected
            .into_iter()
            .map(|entry| self.registered(entry))
            .collect()
    }

    /// The folder that the folder of specifications lies in; none for the built-in ones.
    pub(crate) fn project(&self) -> Option<PathBuf> {
        let specs = self.specs.folder()?;
        // `specs` alone lies in the working directory; what ends in `..` has to be asked.
        match specs.parent() {
            Some(parent) if specs.file_name().is_some() => Some(match parent {
                parent if parent == Path::new("") => PathBuf::from("."),
                parent => parent.to_owned(),
            }),
            _ => specs.canonicalize().ok()?.parent().map(Path::to_owned),
        }
    }

    /// The registered configurations that are chosen, each with its model or why there is none.
    pub(crate) fn each_registered(
        &self,
        filters: &[String],
    ) -> Result<Vec<(Registered, SetUp)>, CliError> {
        let selected = self.specs.select(filters)?;
        let each = selected.into_iter();
        Ok(each
            .map(|entry| (entry.clone(), self.registered(entry)))
            .collect())
    }

    /// The name of a model's TLA+ module; nothing if the program has no such model.
    pub(crate) fn module_name(&self, model: &str) -> Option<&'static str> {
        Some(self.registry.find(model)?.module)
    }

    /// The one chosen configuration.
    pub(crate) fn configuration(&self, choice: &SingleChoice) -> Result<Configuration, CliError> {
        match (&choice.name, &choice.model, &choice.cfg) {
            (_, Some(model), Some(cfg)) => self.own(model, cfg),
            (Some(name), ..) => match self.specs.find(name) {
                Ok(entry) => self.registered(entry),
                Err(_) if self.registry.find(name).is_some() => Err(CliError::usage(
                    format!("{name} is a model: expected the name of one configuration"),
                    Some(format!("`plumb list {name}` shows its configurations")),
                )),
                Err(_) => {
                    let entries = self.specs.configurations().iter();
                    let known = entries.map(|entry| entry.name.as_str());
                    Err(CliError::usage(
                        format!("there is no configuration {name:?}"),
                        Some(error::suggestion(name, known)),
                    ))
                }
            },
            _ => Err(CliError::usage("no configuration is named", None)),
        }
    }

    /// The text of a model's TLA+ module.
    pub(crate) fn module(&self, model: &dyn ConfiguredModel) -> Result<String, CliError> {
        Ok(self
            .specs
            .text(&format!("{}/{}.tla", model.name(), model.module()))?)
    }

    pub(crate) fn registered(&self, entry: &Registered) -> Result<Configuration, CliError> {
        let relative = format!("{}/{}.cfg", entry.model, entry.name);
        let model = self.model(&entry.model).map_err(|fault| {
            let registry = self.specs.path(specs::REGISTRY);
            CliError::usage(
                format!("{registry}: configuration {}: {fault}", entry.name),
                None,
            )
        })?;
        let text = self.specs.text(&relative)?;
        let configuration = configure(
            model,
            entry.name.clone(),
            self.specs.path(&relative),
            text,
            Some(entry.clone()),
        )?;
        let actions = configuration.model.actions();
        let mut listed = entry.never_taken.iter();
        match listed.find(|listed| !actions.contains(&listed.action.as_str())) {
            None => Ok(configuration),
            Some(unknown) => Err(CliError::usage(
                format!(
                    "{}: configuration {}: unknown action {} in never_taken: expected one of {}",
                    self.specs.path(specs::REGISTRY),
                    entry.name,
                    unknown.action,
                    actions.join(", ")
                ),
                None,
            )),
        }
    }

    fn own(&self, model: &str, cfg: &Path) -> Result<Configuration, CliError> {
        let model = self.model(model)?;
        let mut bytes = Vec::new();
        // A bound, since a special file may have no end.
        let read =
            File::open(cfg).and_then(|file| file.take(LARGEST_CFG + 1).read_to_end(&mut bytes));
        read.map_err(|error| CliError::unreadable(cfg, &error))?;
        if bytes.len() as u64 > LARGEST_CFG {
            let limit = LARGEST_CFG >> 20;
            let message = format!("{} is larger than {limit} MiB: no cfg is", cfg.display());
            return Err(CliError::usage(message, None));
        }
        let text = String::from_utf8(bytes).map_err(|error| CliError::not_text(cfg, &error))?;
        let name = cfg
            .file_stem()
            .unwrap_or(cfg.as_os_str())
            .to_string_lossy()
            .into_owned();
        configure(model, name, cfg.display().to_string(), text, None)
    }

    fn model(&self, name: &str) -> Result<&ModelEntry, CliError> {
        self.registry.find(name).ok_or_else(|| {
            let known: Vec<&str> = self
                .registry
                .models()
                .iter()
                .map(|model| model.name)
                .collect();
            CliError::usage(
                format!(
                    "unknown model {name:?}: expected one of {}",
                    known.join(", ")
                ),
                None,
            )
        })
    }
}

fn configure(
    model: &ModelEntry,
    name: String,
    path: String,
    text: String,
    registered: Option<Registered>,
) -> Result<Configuration, CliError> {
    let configured = plumb_tla::parse_cfg(&text)
        .map_err(Into::into)
        .and_then(|cfg| model.configure(&cfg))
        .map_err(|error| CliError::configuration(&path, &text, &error))?;
    Ok(Configuration {
        name,
        path,
        text,
        registered,
        model: configured,
    })
}
