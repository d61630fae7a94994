//! The configuration file of the package: the program's own defaults, each as a comment, so that an operator sees every setting where it
//! is changed. Only the settings that a package decides are set.

/// Settings of the package, outside of any section or as `section.key`.
const SET: [(&str, &str); 3] = [
    ("data", "\"/var/lib/trapeza\""),
    ("secret_file", "\"/etc/trapeza/root.secret\""),
    ("log.format", "\"json\""),
];

const HEAD: &str = "\
# Configuration of the Trapeza package. All settings with their defaults; remove the # to change one. A server does not start until
# public_url and [tls] are set (or [callers] for a proxy): `trapeza config check --config /etc/trapeza/trapeza.toml` lists what is missing.
# An upgrade keeps this file.
#
# Precedence, lowest first: the defaults, this file, environment variables. An environment variable is TRAPEZA_ plus the section and the key
# in capitals: TRAPEZA_LISTEN, TRAPEZA_STORE_QUEUE. An unknown key is an error.
";

/// The file, from the text of the program's defaults.
pub fn file(defaults: &str) -> Result<String, String> {
    // The comment at the beginning is about the defaults file itself.
    let (_, settings) =
        defaults.split_once("\n\n").ok_or("the defaults begin with a comment and an empty line")?;
    let (mut file, mut section, mut set) = (format!("{HEAD}\n"), String::new(), 0);
    for line in settings.lines() {
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            section = format!("{name}.");
        }
        match line.split_once(" = ").filter(|_| !line.starts_with('#')) {
            None => file.push_str(line),
            Some((key, _)) => match SET.iter().find(|(name, _)| *name == format!("{section}{key}")) {
                Some((_, value)) => {
                    set += 1;
                    file.push_str(&format!("{key} = {value}"));
                }
                None => file.push_str(&format!("#{line}")),
            },
        }
        file.push('\n');
    }
    if set == SET.len() {
        Ok(file)
    } else {
        Err("a setting of the package is not among the defaults".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_sets_what_the_package_decides_and_comments_the_rest() {
        let defaults = "# About this file.\n\n# Where.\ndata = \"d\"\nsecret_file = \"\"\nlisten = \"l\"\n\n\
                        [log]\n# How.\nformat = \"human\"\n[other]\nformat = 1\n";
        let file = file(defaults).unwrap();
        let expected = "\n# Where.\ndata = \"/var/lib/trapeza\"\nsecret_file = \"/etc/trapeza/root.secret\"\n#listen = \"l\"\n\n\
                        [log]\n# How.\nformat = \"json\"\n[other]\n#format = 1\n";
        assert_eq!(file, format!("{HEAD}{expected}"));
    }

    #[test]
    fn file_without_a_setting_of_the_package_is_refused() {
        assert!(file("# About.\n\ndata = \"d\"\n").is_err());
    }
}
