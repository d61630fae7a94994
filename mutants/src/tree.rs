//! A copy of the workspace that contains the mutants. Those that do not compile are left out, one build after another.

use crate::mutation::{Edit, Instrumented, Mutant, apply};
use crate::test_binary::TestBinary;
use crate::{Outcome, instrument};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Packages whose tests are run.
const TEST_PACKAGES: [&str; 4] = ["trapeza-domain", "trapeza-store", "trapeza-app", "trapeza-tests"];
/// A build leaves out the mutants of its errors; what they hide comes in the next one.
const MAX_BUILDS: usize = 40;
const SWITCH: &str = include_str!("switch.txt");

struct Source {
    text: String,
    edits: Vec<Edit>,
}

pub struct Tree {
    folder: PathBuf,
    pub mutants: Vec<Mutant>,
    sources: BTreeMap<String, Source>,
    /// Mutants that do not compile.
    unviable: BTreeSet<u32>,
    /// The keys of those that no run has to try again.
    unviable_record: PathBuf,
}

fn workspace() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().map_or_else(|| own.to_path_buf(), Path::to_path_buf)
}

/// Where copies and results are.
pub fn folder() -> PathBuf {
    workspace().join("target").join("mutants")
}

fn read(file: &Path) -> Outcome<String> {
    fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))
}

/// Writes a file unless it has this content already: cargo compiles what is newer.
fn write(file: &Path, content: &[u8]) -> Outcome {
    if fs::read(file).is_ok_and(|old| old == content) {
        return Ok(());
    }
    let parent = file.parent().ok_or("a file has a folder")?;
    fs::create_dir_all(parent).map_err(|e| format!("{}: {e}", parent.display()))?;
    fs::write(file, content).map_err(|e| format!("{}: {e}", file.display()))
}

fn is_code_of_a_test(file: &str) -> bool {
    file.contains("/tests/") || file.ends_with("/tests.rs")
}

impl Tree {
    /// Copies what git knows, and finds the mutants of the files in `paths`.
    pub fn copy(paths: &[String]) -> Outcome<Self> {
        let listed = Command::new("git").args(["ls-files", "-z"]).current_dir(workspace()).output();
        let listed = listed.map_err(|e| format!("git: {e}"))?.stdout;
        let listed = String::from_utf8(listed).map_err(|e| e.to_string())?;
        let mut tree = Self {
            folder: folder().join("tree"),
            mutants: Vec::new(),
            sources: BTreeMap::new(),
            unviable: BTreeSet::new(),
            unviable_record: folder().join("unviable.txt"),
        };
        for file in listed.split('\0').filter(|file| !file.is_empty()) {
            let chosen = paths.iter().any(|path| file.starts_with(path.trim_end_matches('/')));
            if chosen && file.ends_with(".rs") && !is_code_of_a_test(file) {
                let text = read(&workspace().join(file))?;
                let edits = instrument::file(file, &text, &mut tree.mutants)?;
                tree.sources.insert(file.to_owned(), Source { text, edits });
            } else if let Ok(content) = fs::read(workspace().join(file)) {
                write(&tree.folder.join(file), &content)?;
            }
        }
        if tree.mutants.is_empty() {
            return Err(
                "no mutants in these paths; expected files or folders such as crates/trapeza-app/src/sca"
                    .to_owned(),
            );
        }
        tree.add_switches()?;
        let known = fs::read_to_string(&tree.unviable_record).unwrap_or_default();
        let known: BTreeSet<&str> = known.lines().collect();
        let unviable = tree.mutants.iter().filter(|mutant| known.contains(mutant.key().as_str()));
        tree.unviable = unviable.map(|mutant| mutant.number).collect();
        Ok(tree)
    }

    /// Every package with mutants gets the module that they read.
    fn add_switches(&self) -> Outcome {
        let packages: BTreeSet<&str> =
            self.sources.keys().filter_map(|file| Some(file.split_once("/src/")?.0)).collect();
        for package in packages {
            let library = self.folder.join(package).join("src").join("lib.rs");
            let text = read(&workspace().join(package).join("src").join("lib.rs"))?;
            write(&library, format!("{text}\n#[doc(hidden)]\npub mod mutant_switch;\n").as_bytes())?;
            write(&library.with_file_name("mutant_switch.rs"), SWITCH.as_bytes())?;
        }
        Ok(())
    }

    pub fn viable(&self) -> impl Iterator<Item = &Mutant> {
        self.mutants.iter().filter(|mutant| !self.unviable.contains(&mutant.number))
    }

    /// Builds the tests until all mutants that are left compile.
    pub fn build(mut self) -> Outcome<(Self, Vec<TestBinary>)> {
        for _ in 0..MAX_BUILDS {
            let instrumented = self.write_sources()?;
            let messages = self.compile()?;
            let errors: Vec<&Value> = messages
                .iter()
                .filter(|message| {
                    message["reason"] == "compiler-message" && message["message"]["level"] == "error"
                })
                .map(|message| &message["message"])
                .collect();
            self.record_unviable()?;
            if errors.is_empty() {
                return Ok((self, messages.iter().filter_map(TestBinary::of_message).collect()));
            }
            let before = self.unviable.len();
            for error in &errors {
                self.unviable.extend(blamed(error, &instrumented));
            }
            println!("── {} errors, {} mutants do not compile", errors.len(), self.unviable.len());
            if self.unviable.len() == before {
                return Err(format!("no mutant is to blame for: {}", errors[0]["rendered"]));
            }
        }
        Err("the mutants do not compile".to_owned())
    }

    fn record_unviable(&self) -> Outcome {
        let unviable = self.mutants.iter().filter(|mutant| self.unviable.contains(&mutant.number));
        let keys: Vec<String> = unviable.map(|mutant| mutant.key() + "\n").collect();
        write(&self.unviable_record, keys.concat().as_bytes())
    }

    fn write_sources(&self) -> Outcome<BTreeMap<String, Instrumented>> {
        let mut all = BTreeMap::new();
        for (file, source) in &self.sources {
            let instrumented = apply(&source.text, &source.edits, |number| !self.unviable.contains(&number));
            if !file.ends_with("/src/lib.rs") {
                write(&self.folder.join(file), instrumented.text.as_bytes())?;
            }
            all.insert(file.clone(), instrumented);
        }
        Ok(all)
    }

    fn compile(&self) -> Outcome<Vec<Value>> {
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command
            .args(["test", "--no-run", "--message-format=json", "--target-dir"])
            .arg(folder().join("build"));
        for package in TEST_PACKAGES {
            command.args(["--package", package]);
        }
        // Mutants have unused code.
        command.env("RUSTFLAGS", "--cap-lints=allow").current_dir(&self.folder);
        let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output();
        let output = output.map_err(|e| format!("cargo: {e}"))?.stdout;
        let lines = output.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        lines.map(|line| serde_json::from_slice(line).map_err(|e| format!("cargo: {e}"))).collect()
    }
}

/// The mutants in which an error is: those whose text it points to, otherwise the smallest one around it.
fn blamed(error: &Value, sources: &BTreeMap<String, Instrumented>) -> BTreeSet<u32> {
    let own = error["spans"].as_array().into_iter().flatten();
    let children = error["children"].as_array().into_iter().flatten();
    let notes = children.filter_map(|child| child["spans"].as_array()).flatten();
    let mut primary: Vec<&Value> = own.clone().filter(|span| span["is_primary"] == true).collect();
    let others: Vec<&Value> = own.chain(notes).collect();
    for spans in [std::mem::take(&mut primary), others] {
        let found: BTreeSet<u32> = spans.iter().flat_map(|span| mutants_at(span, sources)).collect();
        if !found.is_empty() {
            return found;
        }
    }
    BTreeSet::new()
}

fn mutants_at(span: &Value, sources: &BTreeMap<String, Instrumented>) -> Vec<u32> {
    let offset = |name: &str| span[name].as_u64().and_then(|number| usize::try_from(number).ok());
    let source = span["file_name"].as_str().and_then(|file| sources.get(file));
    let (Some(start), Some(end), Some(source)) = (offset("byte_start"), offset("byte_end"), source) else {
        return Vec::new();
    };
    let exact: Vec<u32> = source
        .pieces
        .iter()
        .filter(|(piece, _)| piece.start <= start && start < piece.end)
        .map(|(_, number)| *number)
        .collect();
    if !exact.is_empty() {
        return exact;
    }
    let mut extents: BTreeMap<u32, (usize, usize)> = BTreeMap::new();
    for (piece, number) in &source.pieces {
        let extent = extents.entry(*number).or_insert((piece.start, piece.end));
        extent.1 = piece.end;
    }
    let around = extents.into_iter().filter(|(_, extent)| extent.0 <= start && end <= extent.1);
    around.min_by_key(|(_, extent)| extent.1 - extent.0).map(|(number, _)| number).into_iter().collect()
}
