//! Arguments that go to the server by their names, one `name=value` each: more of them than have an obvious order.

/// The arguments of a command.
pub struct Named<'a>(pub &'a [String]);

/// One of them, as it is sent.
pub fn named(name: &str, value: &str) -> String {
    format!("{name}={value}")
}

impl<'a> Named<'a> {
    pub fn get(&self, name: &str) -> Option<&'a str> {
        self.all(name).into_iter().next()
    }

    pub fn all(&self, name: &str) -> Vec<&'a str> {
        let pairs = self.0.iter().filter_map(|argument| argument.split_once('='));
        pairs.filter(|(known, _)| *known == name).map(|(_, value)| value).collect()
    }

    /// One that the command cannot do without.
    pub fn need(&self, name: &str) -> Result<&'a str, String> {
        self.get(name).ok_or_else(|| format!("{name} is missing"))
    }

    /// One that is read, or said to be wrong under its name.
    pub fn read<T, E: std::fmt::Display>(
        &self,
        name: &str,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Result<Option<T>, String> {
        let read = self.get(name).map(parse).transpose();
        read.map_err(|problem| format!("{name}: {problem}"))
    }
}
