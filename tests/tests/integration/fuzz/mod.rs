//! Random input for everything that parses: no panic, no error of the server, and what is accepted survives being written and read
//! again. Inputs are mutations of good ones and of `corpus/`; a seed gives the same inputs again (`TRAPEZA_TEST_SEED`).

mod http;
mod parser;

use crate::model::history::Random;

/// Pieces that parsers have been wrong about, one a line.
const PIECES: &str = include_str!("corpus/pieces.txt");

/// The seed of a run: the chosen one, or a new one that is printed.
fn seed(run: &str) -> u64 {
    let chosen = std::env::var("TRAPEZA_TEST_SEED").ok().and_then(|text| text.parse().ok());
    let seed = chosen.unwrap_or_else(|| {
        use std::hash::{BuildHasher, RandomState};
        RandomState::new().hash_one(run)
    });
    println!("{run}: seed {seed}");
    seed
}

/// A mutation of some bytes: pieces inserted, removed, repeated, exchanged or changed.
fn mutated(random: &mut Random, good: &[u8]) -> Vec<u8> {
    let mut bytes = good.to_vec();
    let pieces: Vec<&str> = PIECES.lines().collect();
    for _ in 0..=random.below(3) {
        let at = random.below(bytes.len() + 1);
        let end = at + random.below(bytes.len() - at + 1).min(12);
        match random.below(7) {
            0 => {
                let piece = pieces[random.below(pieces.len())].replace("\\n", "\n").replace("\\0", "\0");
                bytes.splice(at..at, piece.bytes());
            }
            1 => {
                let piece = pieces[random.below(pieces.len())];
                bytes.splice(at..end, piece.bytes());
            }
            2 => drop(bytes.drain(at..end)),
            3 if at < bytes.len() => bytes[at] = u8::try_from(random.below(256)).unwrap(),
            4 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            5 => {
                let part = bytes[at..end].to_vec();
                for _ in 0..random.below(20) {
                    bytes.splice(at..at, part.iter().copied());
                }
            }
            _ => bytes.truncate(at),
        }
    }
    bytes
}

/// The same as text.
fn mutated_text(random: &mut Random, good: &str) -> String {
    String::from_utf8_lossy(&mutated(random, good.as_bytes())).into_owned()
}
