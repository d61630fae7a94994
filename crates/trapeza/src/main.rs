//! The binary: reads the command line, runs the command, prints what it says.

use clap::Parser;
use std::io::Write;
use std::process::ExitCode;
use trapeza::cli::{Cli, Command, Config};
use trapeza::command::{config_check, openapi, page};

fn main() -> ExitCode {
    let (text, well) = match Cli::parse().command {
        Command::Config(Config::Check(place)) => config_check::run(&place),
        Command::Openapi => openapi::run(),
        Command::Gen { page } => page::run(page),
        Command::Sandbox(_) | Command::Serve(_) | Command::Migrate(_) => absent(),
        Command::Ledger(_) | Command::Audit(_) => absent(),
    };
    let printed = std::io::stdout().lock().write_all(text.as_bytes());
    if well && printed.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn absent() -> (String, bool) {
    ("this command is not part of this build\n".to_owned(), false)
}
