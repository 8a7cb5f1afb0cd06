//! `plumb evidence report`: the page that a reviewer reads.

mod links;
mod page;

use std::path::Path;

use plumb_checker::Registry;

use self::links::relative;
use self::page::{PAGE, Page, SUMMARY};
use super::repetition::repeat_all;
use super::verify;
use crate::arguments::ReportArguments;
use crate::error::CliError;
use crate::exit::Status;
use crate::output;
use crate::workspace::Workspace;

/// Audits the bundles and writes what may be said of them.
pub(super) fn run(
    registry: &Registry,
    specs: Option<&Path>,
    arguments: &ReportArguments,
) -> Result<Status, CliError> {
    let workspace = Workspace::open(registry, specs)?;
    let folder = super::folder(&workspace, arguments.folder.as_deref())?;
    let given = arguments.folder.as_deref();
    let mut audited = verify::audit(registry, &workspace, given, &arguments.public_key)?;
    let mut status = Status::Expected;
    if let Some(limit) = arguments.repeat {
        let repetition = repeat_all(&workspace, &mut audited, limit)?;
        if repetition.interrupted {
            output::note("interrupted: what was not run again is told as it was before");
            status = Status::Inconclusive;
        }
    }
    let status = status.and(verify::exit_status(&audited.report, false));
    verify::note_on_program(&audited.built_from_others);
    if let Some(path) = &arguments.html {
        let place = relative(path, &folder);
        let page = Page::of(registry, &workspace, &audited, &place);
        output::write_file(path, page.render("report.html", PAGE)?.as_bytes())?;
    }
    // What is printed is seen from where it was asked for.
    let here = arguments
        .markdown
        .as_deref()
        .unwrap_or(Path::new("summary.md"));
    let page = Page::of(registry, &workspace, &audited, &relative(here, &folder));
    if let Some(path) = &arguments.markdown {
        output::write_file(path, page.render("report.md", SUMMARY)?.as_bytes())?;
    } else if arguments.html.is_none() {
        output::print(&page.render("report.md", SUMMARY)?)?;
    }
    Ok(status)
}
