//! `cargo xtask dist`: what is delivered of a version, in `target/package`: the program, a Debian package, a list of its components
//! (SBOM), their licences, and checksums.
//!
//! The same commit gives the same files when it is built by the same toolchain in the same directory: every time in them is that of the
//! commit.

mod component;
mod debian;
mod install_test;
mod licence;
mod machine;
mod sbom;
mod settings;

pub use install_test::run_all as install_test;

use crate::process::{Outcome, capture_stdout, cargo, on_path, root, run, step};
use component::Component;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Which build is packaged.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// The profile of the build. Packages of `dev` are for tests: they do not name their commit.
    #[arg(long, default_value = "dist")]
    pub profile: String,
}

/// What all files of a version have in common.
struct Release {
    version: String,
    /// The Debian name of the architecture.
    architecture: String,
    commit: String,
    /// The time of the commit, in seconds since 1970.
    epoch: String,
    /// Where the files are written.
    directory: PathBuf,
    /// How `dpkg-deb` compresses the package.
    compression: &'static str,
}

pub fn run_all(options: &Options) -> Outcome {
    // Before the build, which takes minutes: all files must name the same commit.
    let release = Release::of_workspace("target/package")?;
    let program = step("build", || build(&options.profile, &release.commit))?;
    fs::remove_dir_all(&release.directory).ok();
    let files = step("package", || make(&release, &program))?;
    println!("{} of {}:", release.version, release.commit);
    for file in files {
        let bytes = fs::metadata(&file).map_err(|e| format!("{}: {e}", file.display()))?.len();
        println!("{bytes:>12}  {}", file.display());
    }
    Ok(())
}

impl Release {
    fn of_workspace(directory: &str) -> Outcome<Self> {
        for (program, package) in
            [("dpkg-deb", "dpkg"), ("objdump", "binutils"), ("gzip", "gzip"), ("sha256sum", "coreutils")]
        {
            if on_path(program).is_none() {
                return Err(format!("{program} is required; install Debian's package {package}"));
            }
        }
        Ok(Self {
            version: component::program_version()?,
            architecture: capture_stdout(Command::new("dpkg").arg("--print-architecture"))?.trim().to_owned(),
            commit: commit(),
            epoch: git(&["log", "-1", "--format=%ct"]).unwrap_or_else(|_| "0".to_owned()),
            directory: root().join(directory),
            compression: "xz",
        })
    }

    fn file(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }
}

/// Writes all files, and returns their paths.
fn make(release: &Release, program: &Path) -> Outcome<Vec<PathBuf>> {
    make_directory(&release.directory)?;
    let stripped = release.file("trapeza");
    run(Command::new("strip").arg("-o").arg(&stripped).arg(program))?;
    let components = Component::of_program()?;
    let sbom = release.file(&format!("trapeza_{}.cdx.json", release.version));
    write(&sbom, &sbom::document(release, &components)?)?;
    let licences = release.file(&format!("trapeza_{}.licences.txt", release.version));
    write(&licences, &licence::list(&components)?)?;
    let package =
        debian::Package { release, program: &stripped, licences: &licences, sbom: &sbom }.build()?;
    let files = [stripped, package, sbom, licences];
    let names = files.iter().filter_map(|file| file.file_name());
    let sums = capture_stdout(Command::new("sha256sum").current_dir(&release.directory).args(names))?;
    let sums_file = release.file("SHA256SUMS");
    write(&sums_file, &sums)?;
    Ok(files.into_iter().chain([sums_file]).collect())
}

/// Builds the program and returns its path.
fn build(profile: &str, commit: &str) -> Outcome<PathBuf> {
    let mut build = cargo();
    build.args(["build", "--package", "trapeza", "--locked", "--quiet", "--profile", profile]);
    // The tests use the same dev build, which would be built again when the variable comes and goes.
    if profile != "dev" {
        build.env("TRAPEZA_COMMIT", commit);
    }
    run(&mut build)?;
    let directory = if profile == "dev" { "debug" } else { profile };
    Ok(component::target_directory()?.join(directory).join("trapeza"))
}

/// The commit of the build, marked when the files differ from it; `unknown` outside of a repository.
fn commit() -> String {
    let Ok(commit) = git(&["rev-parse", "--short=12", "HEAD"]) else { return "unknown".to_owned() };
    let is_clean =
        git(&["status", "--porcelain", "--untracked-files=no"]).is_ok_and(|changes| changes.is_empty());
    if is_clean { commit } else { format!("{commit}-dirty") }
}

fn git(arguments: &[&str]) -> Outcome<String> {
    Ok(capture_stdout(Command::new("git").args(arguments).current_dir(root()))?.trim().to_owned())
}

fn make_directory(path: &Path) -> Outcome {
    fs::create_dir_all(path).map_err(|e| format!("{}: {e}", path.display()))?;
    // Whatever the mask of the user who builds is: these are the modes in the package.
    set_mode(path, 0o755)
}

fn write(path: &Path, text: &str) -> Outcome {
    fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))?;
    set_mode(path, 0o644)
}

fn set_mode(path: &Path, mode: u32) -> Outcome {
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
        .map_err(|e| format!("{}: {e}", path.display()))
}
