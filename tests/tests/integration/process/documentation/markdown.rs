//! The fenced blocks of a page that are run.

/// A block that is run.
pub struct Block {
    /// The number of its first line on the page.
    pub line: usize,
    pub kind: Kind,
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Commands that must succeed. A comment `# → 201` is the status of a request in the block, and `# → text` is in its
    /// output, in the order of the comments.
    Commands,
    /// Commands after `$ `, each with its output. In the output `…` is any text and a number any number.
    Console,
}

/// The blocks of a page, and the lines and reasons of those that cannot be run.
pub struct Blocks {
    pub run: Vec<Block>,
    pub skipped: Vec<String>,
}

pub fn blocks(page: &str) -> Blocks {
    let mut blocks = Blocks { run: Vec::new(), skipped: Vec::new() };
    let mut lines = page.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let Some(info) = line.strip_prefix("```") else { continue };
        let body: Vec<&str> =
            lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```").collect();
        let text = body.join("\n");
        let kind = match info {
            "sh" => Kind::Commands,
            "console" => Kind::Console,
            info if info.starts_with("sh no-run") => {
                let reason = info.trim_start_matches("sh no-run").trim();
                assert!(!reason.is_empty(), "line {}: say why the block cannot be run", number + 1);
                blocks.skipped.push(reason.to_owned());
                continue;
            }
            "" | "json" | "sql" | "text" => {
                let is_command = body.iter().any(|line| line.starts_with("$ "));
                assert!(!is_command, "line {}: a block with commands is a console block", number + 1);
                continue;
            }
            other => panic!("line {}: unknown kind of block: {other}", number + 1),
        };
        blocks.run.push(Block { line: number + 2, kind, text });
    }
    blocks
}

/// The statuses and the texts that the comments of a block expect.
pub fn expectations(block: &str) -> (Vec<&str>, Vec<&str>) {
    let expected = block.lines().filter_map(|line| line.split_once("# → ")).map(|(_, text)| text.trim());
    expected.partition(|text| text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The commands of a console block, each with its expected output.
pub fn console(block: &str) -> Vec<(String, String)> {
    let mut commands: Vec<(String, String)> = Vec::new();
    for line in block.lines() {
        match (line.strip_prefix("$ "), commands.last_mut()) {
            (Some(command), _) => commands.push((command.to_owned(), String::new())),
            (None, Some((_, output))) => {
                output.push_str(line);
                output.push('\n');
            }
            (None, None) => panic!("a console block begins with a command: {line}"),
        }
    }
    commands
}

/// Whether an output is the expected one.
pub fn output_fits(expected: &str, output: &str) -> bool {
    let (expected, output) = (without_numbers(expected.trim()), without_numbers(output.trim()));
    let pieces: Vec<&str> = expected.split('…').collect();
    let [first, middle @ .., last] = pieces.as_slice() else { return expected == output };
    let Some(mut rest) = output.strip_prefix(first) else { return false };
    for piece in middle {
        match rest.split_once(piece) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    rest.ends_with(last)
}

fn without_numbers(text: &str) -> String {
    let mut result = String::new();
    for character in text.chars() {
        match character.is_ascii_digit() {
            true if result.ends_with('#') => {}
            true => result.push('#'),
            false => result.push(character),
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_with_another_word_does_not_fit() {
        assert!(output_fits(
            "24 accounts, 3858 transfers: all in balance",
            "7 accounts, 1 transfers: all in balance\n"
        ));
        assert!(!output_fits("24 accounts: all in balance", "24 accounts: NOT in balance"));
        assert!(output_fits("first\n…\nlast", "first\nsecond\nthird\nlast\n"));
        assert!(output_fits("key … (shown only once)", "key abc (shown only once)"));
        assert!(!output_fits("key … (shown only once)", "key abc"));
    }
}
