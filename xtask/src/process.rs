//! Starting other programs: where the workspace is, named and timed steps, and what they printed.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// What went wrong, in words for the terminal.
pub type Outcome<T = ()> = Result<T, String>;

/// The root of the workspace, wherever `cargo xtask` was called from.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().expect("xtask lies in the workspace").to_path_buf()
}

/// The cargo that started us, so that a chosen toolchain stays chosen.
pub fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    // `cargo run` sets variables of this package. Build scripts that watch these names (ring's does) would run again
    // each time one switches between cargo and xtask, and half the workspace after them.
    for (name, _) in std::env::vars_os() {
        if name
            .to_str()
            .is_some_and(|name| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_"))
        {
            command.env_remove(name);
        }
    }
    command
}

/// Runs one named step and prints how long it took, also when it fails.
pub fn step<T>(name: &str, work: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
    println!("── {name}");
    let start = Instant::now();
    let outcome = work();
    let word = if outcome.is_ok() { "ok" } else { "FAILED" };
    println!("── {name}: {word} in {:.1?}", start.elapsed());
    outcome.map_err(|problem| format!("step \"{name}\" failed: {problem}"))
}

/// Runs a program with our own terminal; an exit other than 0 is a failure.
pub fn run(command: &mut Command) -> Outcome {
    let status = command.status().map_err(|e| format!("cannot start {}: {e}", command_line(command)))?;
    if status.success() { Ok(()) } else { Err(format!("{} ended with {status}", command_line(command))) }
}

/// Runs a program and returns its standard output. An error contains its standard error.
pub fn capture_stdout(command: &mut Command) -> Outcome<String> {
    let done = command
        .stdin(Stdio::null())
        .output()
        .map_err(|e| format!("cannot start {}: {e}", command_line(command)))?;
    if !done.status.success() {
        let stderr = String::from_utf8_lossy(&done.stderr);
        return Err(format!("{} ended with {}\n{}", command_line(command), done.status, stderr.trim_end()));
    }
    String::from_utf8(done.stdout).map_err(|_| format!("{} printed no UTF-8", command_line(command)))
}

/// Whether a program of this name is on the PATH.
pub fn on_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|dir| dir.join(program)).find(|file| file.is_file())
}

/// Installs packages of the system, where this is Debian's kind of system and we may.
pub fn packages_install(what: &str, packages: &[&str]) -> Outcome {
    let as_root = capture_stdout(Command::new("id").arg("-u"))?.trim() == "0";
    if !as_root || on_path("apt-get").is_none() {
        return Err(format!(
            "it cannot be installed from here; try: sudo apt-get install {}",
            packages.join(" ")
        ));
    }
    println!("{what} is absent: installing it with apt-get");
    let apt = |arguments: &[&str]| {
        run(Command::new("apt-get").env("DEBIAN_FRONTEND", "noninteractive").arg("-qq").args(arguments))
    };
    // A new machine has no package lists; an old list may name packages that are gone.
    apt(&["update"])?;
    apt(&[&["install", "-y", "--no-install-recommends"], packages].concat())
}

fn command_line(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failing_step_is_named() {
        let problem = step("the step", || run(&mut Command::new("false"))).unwrap_err();
        assert!(problem.starts_with("step \"the step\" failed: false ended with"), "{problem}");
    }

    #[test]
    fn stderr_is_part_of_the_error() {
        let problem =
            capture_stdout(Command::new("sh").args(["-c", "echo because >&2; exit 3"])).unwrap_err();
        assert!(problem.ends_with("because"), "{problem}");
    }

    #[test]
    fn missing_program_is_named() {
        let problem = run(&mut Command::new("no-such-program-anywhere")).unwrap_err();
        assert!(problem.starts_with("cannot start no-such-program-anywhere"), "{problem}");
    }
}
