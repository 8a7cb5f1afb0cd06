//! Links from a page to the files that it speaks of.

use std::path::{Component, Path, PathBuf};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};

/// What may stand in a part of a path as it is: the unreserved characters of RFC 3986.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// The way from the folder of `page` to `folder`, as a relative reference of a URL.
pub(super) fn relative(page: &Path, folder: &Path) -> String {
    let whole = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let folder_of_page = page
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    let from = whole(folder_of_page.unwrap_or(Path::new(".")));
    let to = whole(folder);
    let parts = |path: &Path| -> Vec<PathBuf> {
        let parts = path.components().filter(|part| *part != Component::CurDir);
        parts.map(|part| PathBuf::from(part.as_os_str())).collect()
    };
    let (from, to) = (parts(&from), parts(&to));
    let common = from
        .iter()
        .zip(&to)
        .take_while(|(one, other)| one == other)
        .count();
    let up = from[common..].iter().map(|_| "..".to_owned());
    let down = to[common..]
        .iter()
        .map(|part| percent_encode(part.as_os_str().as_encoded_bytes(), ENCODED).to_string());
    let way: Vec<String> = up.chain(down).collect();
    match way.is_empty() {
        true => ".".to_owned(),
        false => way.join("/"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_leads_from_the_page_to_the_folder_whatever_their_names() {
        for (page, folder, way) in [
            ("report.html", "evidence", "evidence"),
            ("out/report.html", "evidence", "../evidence"),
            ("evidence/report.html", "evidence", "."),
            (
                "report.html",
                "my evidence#1?/50%",
                "my%20evidence%231%3F/50%25",
            ),
            ("report.html", "a:b", "a%3Ab"),
            ("report.html", "ä", "%C3%A4"),
        ] {
            assert_eq!(relative(Path::new(page), Path::new(folder)), way);
        }
    }
}
