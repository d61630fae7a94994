//! The Debian package: a staged tree, control files from `deploy/debian`, and `dpkg-deb`.

use super::{Release, make_directory, set_mode, settings, write};
use crate::process::{Outcome, capture_stdout, root, run};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub struct Package<'a> {
    pub release: &'a Release,
    pub program: &'a Path,
    pub licences: &'a Path,
    pub sbom: &'a Path,
}

impl Package<'_> {
    /// Builds the package and returns its path.
    pub fn build(&self) -> Outcome<PathBuf> {
        let stage = self.release.file("stage");
        fs::remove_dir_all(&stage).ok();
        self.stage_files(&stage)?;
        self.stage_documentation(&stage)?;
        self.stage_control(&stage)?;
        let Release { version, architecture, epoch, compression, .. } = self.release;
        let package = self.release.file(&format!("trapeza_{version}_{architecture}.deb"));
        run(Command::new("dpkg-deb")
            .args(["--root-owner-group", &format!("-Z{compression}"), "--build"])
            .args([&stage, &package])
            .env("SOURCE_DATE_EPOCH", epoch)
            .stdout(std::process::Stdio::null()))?;
        fs::remove_dir_all(&stage).map_err(|e| format!("{}: {e}", stage.display()))?;
        Ok(package)
    }

    fn stage_files(&self, stage: &Path) -> Outcome {
        let defaults = text("crates/trapeza/defaults.toml")?;
        install(stage, "etc/trapeza/trapeza.toml", &settings::file(&defaults)?)?;
        install(stage, "lib/systemd/system/trapeza.service", &text("deploy/systemd/trapeza.service")?)?;
        let program = stage.join("usr/bin/trapeza");
        make_parents(stage, &program)?;
        fs::copy(self.program, &program).map_err(|e| format!("{}: {e}", program.display()))?;
        set_mode(&program, 0o755)
    }

    fn stage_documentation(&self, stage: &Path) -> Outcome {
        let documentation = "usr/share/doc/trapeza";
        install(stage, &format!("{documentation}/copyright"), &text("deploy/debian/copyright")?)?;
        install_compressed(stage, &format!("{documentation}/changelog"), &self.changelog()?)?;
        install_compressed(stage, "usr/share/man/man1/trapeza.1", &text("deploy/debian/trapeza.1")?)?;
        let (licences, sbom) = (self.licences.to_string_lossy(), self.sbom.to_string_lossy());
        for (from, name) in [
            ("CHANGELOG.md", "CHANGELOG.md"),
            ("docs/operations.md", "operations.md"),
            (&*licences, "third-party-licences.txt"),
            (&*sbom, "sbom.cdx.json"),
        ] {
            install_compressed(stage, &format!("{documentation}/{name}"), &text(from)?)?;
        }
        let runbooks =
            fs::read_dir(root().join("docs/runbooks")).map_err(|e| format!("docs/runbooks: {e}"))?;
        for entry in runbooks {
            let name = entry.map_err(|e| format!("docs/runbooks: {e}"))?.file_name();
            let name = name.to_string_lossy();
            install(
                stage,
                &format!("{documentation}/runbooks/{name}"),
                &text(&format!("docs/runbooks/{name}"))?,
            )?;
        }
        Ok(())
    }

    /// A changelog in Debian's form has one entry: this version.
    fn changelog(&self) -> Outcome<String> {
        let Release { version, commit, epoch, .. } = self.release;
        let date = capture_stdout(
            Command::new("date").args(["--utc", "--rfc-email", "--date"]).arg(format!("@{epoch}")),
        )?;
        let control = text("deploy/debian/control")?;
        let maintainer =
            control.lines().find_map(|line| line.strip_prefix("Maintainer: ")).unwrap_or_default();
        let body = format!("  * Commit {commit}. CHANGELOG.md.gz lists the changes.");
        Ok(format!(
            "trapeza ({version}) unstable; urgency=medium\n\n{body}\n\n -- {maintainer}  {}\n",
            date.trim()
        ))
    }

    fn stage_control(&self, stage: &Path) -> Outcome {
        let kilobytes = capture_stdout(
            Command::new("du").args(["--summarize", "--block-size=1K", "--apparent-size"]).arg(stage),
        )?;
        let size = kilobytes.split_whitespace().next().unwrap_or("0");
        let symbols = capture_stdout(Command::new("objdump").arg("-T").arg(self.program))?;
        let libc = newest_libc(&symbols).ok_or("the program does not need a version of libc")?;
        let Release { version, architecture, .. } = self.release;
        let values = [
            ("VERSION", version.as_str()),
            ("ARCHITECTURE", architecture),
            ("INSTALLED_SIZE", size),
            ("LIBC", &libc),
        ];
        let mut control = text("deploy/debian/control")?;
        for (name, value) in values {
            control = control.replace(&format!("@{name}@"), value);
        }
        install(stage, "DEBIAN/control", &control)?;
        install(stage, "DEBIAN/conffiles", "/etc/trapeza/trapeza.toml\n")?;
        for script in ["postinst", "prerm", "postrm"] {
            install(stage, &format!("DEBIAN/{script}"), &text(&format!("deploy/debian/{script}"))?)?;
            set_mode(&stage.join("DEBIAN").join(script), 0o755)?;
        }
        Ok(())
    }
}

/// Writes a file with its directories.
fn install(stage: &Path, path: &str, text: &str) -> Outcome {
    let file = stage.join(path);
    make_parents(stage, &file)?;
    write(&file, text)
}

/// Writes a file compressed, without the time and the name in it, which would differ from build to build.
fn install_compressed(stage: &Path, path: &str, text: &str) -> Outcome {
    install(stage, path, text)?;
    run(Command::new("gzip").args(["--best", "--no-name"]).arg(stage.join(path)))
}

fn make_parents(stage: &Path, file: &Path) -> Outcome {
    let parents: Vec<&Path> = file.ancestors().skip(1).take_while(|place| place.starts_with(stage)).collect();
    parents.into_iter().rev().try_for_each(make_directory)
}

fn text(file: &str) -> Outcome<String> {
    fs::read_to_string(root().join(file)).map_err(|e| format!("{file}: {e}"))
}

/// The newest version of libc whose symbols the program uses, from the output of `objdump -T`.
fn newest_libc(symbols: &str) -> Option<String> {
    let versions = symbols.split("GLIBC_").skip(1).filter_map(|rest| {
        let version = rest.split(|c: char| c != '.' && !c.is_ascii_digit()).next()?;
        version.split('.').map(|part| part.parse::<u32>().ok()).collect::<Option<Vec<_>>>()
    });
    let newest = versions.max()?;
    Some(newest.iter().map(u32::to_string).collect::<Vec<_>>().join("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newest_libc_compares_numbers() {
        let symbols =
            "0 DF *UND* 0 (GLIBC_2.2.5) free\n0 DF *UND* 0 (GLIBC_2.34) dlsym\n0 DF *UND* 0 (GLIBC_2.9) x\n";
        assert_eq!(newest_libc(symbols), Some("2.34".to_owned()));
        assert_eq!(newest_libc("0 DF .text"), None);
    }
}
