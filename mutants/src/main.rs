//! Mutation testing: all mutants of the chosen modules are in one build, and a variable of the environment selects the one that is
//! active. With a build for each mutant, as cargo-mutants has, the app's thousand mutants would need days: its tests are those of the
//! whole server.
//!
//! A first run of every test records which mutants it reaches; then each mutant is tried against the tests that reach it.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this program is used in a terminal")]

mod instrument;
mod mutation;
mod report;
mod return_value;
mod test_binary;
mod tree;
mod trial;

use clap::Parser;
use std::process::ExitCode;

/// What went wrong, in words for the terminal.
type Outcome<T = ()> = Result<T, String>;

#[derive(Parser)]
#[command(
    name = "cargo xtask mutants",
    about = "Tries mutants of the domain and the app against the tests that reach them"
)]
struct Arguments {
    /// Files or folders, as crates/trapeza-app/src/sca.
    #[arg(required = true)]
    paths: Vec<String>,
    /// Starts no mutant after so many minutes of trials. They are tried in a random order, so that those that were are a sample.
    #[arg(long)]
    minutes: Option<u64>,
    /// How many tests are tried for a mutant: first those whose names have words of its path, and those that reach the fewest mutants.
    #[arg(long, default_value_t = 20)]
    tests: usize,
    /// Try survivors again, for example with more tests.
    #[arg(long)]
    again: bool,
    /// Print the mutants with their numbers, and try none. A test of the build in target/mutants runs with the mutant that the variable
    /// TRAPEZA_MUTANT names.
    #[arg(long)]
    list: bool,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("mutants: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Outcome {
    let tree = tree::Tree::copy(&arguments.paths)?;
    println!("── {} mutants", tree.mutants.len());
    if arguments.list {
        tree.mutants.iter().for_each(|mutant| println!("{:5} {}", mutant.number, mutant.name()));
        return Ok(());
    }
    let (tree, binaries) = tree.build()?;
    println!("── {} of them compile", tree.viable().count());
    let tests = test_binary::tests(&binaries)?;
    println!("── which of them do {} tests reach?", tests.len());
    let reached = trial::reach(&tree, &tests)?;
    let mut results = report::Results::open()?;
    trial::run(&tree, &reached, arguments, &mut results)?;
    results.print(&tree)
}
