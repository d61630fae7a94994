//! The licences of the third-party components: a table, then every text that a component ships. A text that several components ship in
//! the same words is printed once.

use super::component::Component;
use crate::process::Outcome;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;

/// How the files begin that a licence requires to be passed on, in lower case.
const FILES: [&str; 5] = ["licen", "copying", "copyright", "notice", "unlicense"];

/// The fonts that are embedded in documents, and their licence.
const FONTS: (&str, &str, &str) =
    ("Noto Sans 2.004", "OFL-1.1", include_str!("../../../crates/trapeza-pdf/fonts/OFL.txt"));

const RULE: &str = "────────────────────────────────────────────────────────────────────────────────";

pub fn list(components: &[Component]) -> Outcome<String> {
    let mut list = String::from("Trapeza contains these components. Their licence texts follow.\n\n");
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for component in components.iter().filter(|component| component.is_third_party()) {
        let label = format!("{} {}", component.name, component.version);
        // Writing to a String cannot fail.
        let _ = writeln!(list, "{label:<40} {}", component.licence);
        for text in component_texts(component)? {
            texts.entry(text).or_default().push(label.clone());
        }
    }
    let (label, licence, text) = FONTS;
    let _ = writeln!(list, "{label:<40} {licence}");
    texts.entry(text.trim().to_owned()).or_default().push(label.to_owned());
    let mut texts: Vec<_> = texts.into_iter().collect();
    texts.sort_by(|(_, one), (_, other)| one.cmp(other));
    for (text, labels) in texts {
        let _ = write!(list, "\n{RULE}\n{}\n\n{text}\n", labels.join(", "));
    }
    Ok(list)
}

/// The texts in a component's directory, without trailing spaces, so that equal ones are recognised.
fn component_texts(component: &Component) -> Outcome<Vec<String>> {
    let shown = component.directory.display();
    let mut files = Vec::new();
    for entry in fs::read_dir(&component.directory).map_err(|e| format!("{shown}: {e}"))? {
        let entry = entry.map_err(|e| format!("{shown}: {e}"))?;
        let name = entry.file_name().to_string_lossy().to_lowercase();
        if FILES.iter().any(|start| name.starts_with(start)) && entry.path().is_file() {
            files.push(entry.path());
        }
    }
    files.sort();
    let mut texts = Vec::new();
    for file in files {
        let bytes = fs::read(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<&str> = text.trim().lines().map(str::trim_end).collect();
        texts.push(lines.join("\n"));
    }
    Ok(texts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn component(name: &str, checksum: Option<&str>, directory: &Path) -> Component {
        Component {
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
            licence: "MIT".to_owned(),
            description: String::new(),
            repository: String::new(),
            directory: directory.to_path_buf(),
            checksum: checksum.map(str::to_owned),
            dependencies: Vec::new(),
        }
    }

    #[test]
    fn list_prints_an_equal_text_once_and_leaves_out_own_crates() {
        let place = std::env::temp_dir().join(format!("trapeza-licence-{}", std::process::id()));
        for (name, text) in [("one", "Permission is granted \n"), ("two", "Permission is granted\r\n")] {
            fs::create_dir_all(place.join(name)).unwrap();
            fs::write(place.join(name).join("LICENSE-MIT"), text).unwrap();
        }
        let components = [
            component("one", Some("ab"), &place.join("one")),
            component("trapeza", None, &place.join("absent")),
            component("two", Some("cd"), &place.join("two")),
        ];
        let list = list(&components).unwrap();
        fs::remove_dir_all(&place).unwrap();
        assert_eq!(list.matches("Permission is granted").count(), 1, "{list}");
        assert!(list.contains("\none 1.0.0, two 1.0.0\n"), "{list}");
        assert!(!list.contains("trapeza 1.0.0"), "{list}");
    }
}
