//! Lines that a CI service shows beside the files of a change.

use clap::ValueEnum;

use crate::error::CliError;
use crate::exit::Status;
use crate::output;

/// Whose form annotations have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Annotations {
    /// Workflow commands of GitHub Actions
    Github,
}

/// Something that is not as it should be.
pub(crate) struct Annotation {
    pub(crate) status: Status,
    /// The file, and the line in it if there is one.
    pub(crate) file: Option<String>,
    pub(crate) line: Option<u64>,
    pub(crate) title: String,
    pub(crate) message: String,
}

/// Prints what is not as expected: after the text on standard output, or beside JSON, which stands
/// there alone, on standard error. The runner reads both.
pub(crate) fn print(annotations: &[Annotation], beside_json: bool) -> Result<(), CliError> {
    let lines: Vec<String> = annotations
        .iter()
        .filter(|annotation| annotation.status != Status::Expected)
        .map(github)
        .collect();
    if lines.is_empty() {
        return Ok(());
    }
    let text = lines.join("\n");
    if beside_json {
        output::note(&text);
        Ok(())
    } else {
        output::print(&format!("{text}\n"))
    }
}

fn github(annotation: &Annotation) -> String {
    let command = match annotation.status {
        Status::Inconclusive => "warning",
        _ => "error",
    };
    let mut properties = Vec::new();
    if let Some(file) = &annotation.file {
        properties.push(format!("file={}", property(file)));
    }
    if let Some(line) = annotation.line {
        properties.push(format!("line={line}"));
    }
    properties.push(format!("title={}", property(&annotation.title)));
    let message = data(&annotation.message);
    format!("::{command} {}::{message}", properties.join(","))
}

/// The text of a command on one line.
fn data(text: &str) -> String {
    let text = text.replace('%', "%25");
    text.replace('\r', "%0D").replace('\n', "%0A")
}

/// The same for a property, which a colon or comma would end.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_annotation_is_one_line_whatever_it_says() {
        let annotation = Annotation {
            status: Status::Different,
            file: Some("a,b:c%.txt".to_owned()),
            line: Some(7),
            title: "t".to_owned(),
            message: "100%\nof: it, all".to_owned(),
        };
        let expected = "::error file=a%2Cb%3Ac%25.txt,line=7,title=t::100%25%0Aof: it, all";
        assert_eq!(github(&annotation), expected);
    }

    #[test]
    fn what_is_undecided_is_a_warning() {
        let annotation = Annotation {
            status: Status::Inconclusive,
            file: None,
            line: None,
            title: "t".to_owned(),
            message: "m".to_owned(),
        };
        assert_eq!(github(&annotation), "::warning title=t::m");
    }
}
