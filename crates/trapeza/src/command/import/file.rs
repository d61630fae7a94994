//! The two formats of an import file. The names of columns in CSV and of fields in JSON lines are the same.

use crate::cli::ImportFormat;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use trapeza_app::import::{ImportField, ImportLine};

/// One line of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// The number of the line, which is not in the file.
    #[serde(default)]
    pub line: u64,
    pub login: String,
    #[serde(default)]
    pub name: Option<String>,
    #[serde(default)]
    pub phone: Option<String>,
    #[serde(default)]
    pub methods: Vec<String>,
    #[serde(default)]
    pub iban: Option<String>,
    #[serde(default)]
    pub currency: Option<String>,
    #[serde(default)]
    pub bic: Option<String>,
    #[serde(default)]
    pub kind: Option<String>,
    #[serde(default)]
    pub usage: Option<String>,
    #[serde(default)]
    pub product: Option<String>,
    #[serde(default)]
    pub account_name: Option<String>,
    #[serde(default)]
    pub credit_limit: Option<String>,
    #[serde(default)]
    pub balance: Option<String>,
}

/// What is wrong with a line, or with one field of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    pub line: u64,
    pub field: Option<String>,
    pub text: String,
}

/// A file, as far as it could be read.
pub struct ImportFile {
    pub hash: [u8; 32],
    /// The lines of each customer, in the order of the file.
    pub customers: Vec<Vec<Record>>,
    pub problems: Vec<Problem>,
}

pub const fn column_name(field: ImportField) -> &'static str {
    match field {
        ImportField::Login => "login",
        ImportField::Name => "name",
        ImportField::Phone => "phone",
        ImportField::Methods => "methods",
        ImportField::Iban => "iban",
        ImportField::Currency => "currency",
        ImportField::Bic => "bic",
        ImportField::Kind => "kind",
        ImportField::Usage => "usage",
        ImportField::Product => "product",
        ImportField::AccountName => "account_name",
        ImportField::CreditLimit => "credit_limit",
        ImportField::Balance => "balance",
    }
}

impl From<Record> for ImportLine {
    fn from(record: Record) -> Self {
        Self {
            number: record.line,
            login: record.login,
            name: record.name,
            phone: record.phone,
            methods: record.methods,
            iban: record.iban,
            currency: record.currency,
            bic: record.bic,
            kind: record.kind,
            usage: record.usage,
            product: record.product,
            account_name: record.account_name,
            credit_limit: record.credit_limit,
            balance: record.balance,
        }
    }
}

impl ImportFile {
    /// Reads a file in the given format, or in the one that its name ends with.
    pub fn read(path: &Path, format: Option<ImportFormat>) -> Result<Self, String> {
        let name = path.display();
        let content = std::fs::read(path).map_err(|error| format!("{name}: {error}\n"))?;
        let text =
            std::str::from_utf8(&content).map_err(|error| format!("{name}: is not UTF-8: {error}\n"))?;
        let extension = path.extension().and_then(|extension| extension.to_str());
        let format = format.or(match extension {
            Some("csv") => Some(ImportFormat::Csv),
            Some("jsonl" | "ndjson") => Some(ImportFormat::Jsonl),
            _ => None,
        });
        let format =
            format.ok_or_else(|| format!("{name}: the format is not known; use --format csv or jsonl\n"))?;
        // A byte order mark is not a part of the first name.
        let text = text.trim_start_matches('\u{feff}');
        let (records, problems) = match format {
            ImportFormat::Csv => read_csv(text),
            ImportFormat::Jsonl => read_json_lines(text),
        };
        Ok(Self::new(Sha256::digest(&content).into(), records, problems))
    }

    /// Groups the lines by customer, and finds what is there twice.
    fn new(hash: [u8; 32], records: Vec<Record>, mut problems: Vec<Problem>) -> Self {
        let mut problem = |line, field, text| {
            let field = Some(column_name(field).to_owned());
            problems.push(Problem { line, field, text });
        };
        let (mut logins, mut accounts) = (HashSet::new(), HashMap::new());
        let mut customers: Vec<Vec<Record>> = Vec::new();
        for record in records {
            if let Some(iban) = &record.iban {
                let currency = record.currency.clone().unwrap_or_else(|| "EUR".to_owned());
                let key = (iban.to_ascii_uppercase(), currency.to_ascii_uppercase());
                if let Some(first) = accounts.insert(key, record.line) {
                    let text = format!("is in line {first} already, in the same currency");
                    problem(record.line, ImportField::Iban, text);
                }
            }
            let lines =
                customers.last_mut().filter(|lines| lines.iter().any(|last| last.login == record.login));
            if let Some(lines) = lines {
                lines.push(record);
                continue;
            }
            if !logins.insert(record.login.clone()) {
                let text = "the lines of a customer must follow each other".to_owned();
                problem(record.line, ImportField::Login, text);
            }
            customers.push(vec![record]);
        }
        Self { hash, customers, problems }
    }
}

fn read_json_lines(text: &str) -> (Vec<Record>, Vec<Problem>) {
    let (mut records, mut problems) = (Vec::new(), Vec::new());
    for (line, text) in (1..).zip(text.lines()).filter(|(_, text)| !text.trim().is_empty()) {
        match serde_json::from_str::<Record>(text) {
            Ok(record) => records.push(Record { line, ..record }),
            Err(error) => problems.push(Problem { line, field: None, text: error.to_string() }),
        }
    }
    (records, problems)
}

/// Comma-separated values (RFC 4180) with the names of the columns in the first line. An empty value is absent; methods are separated by
/// spaces.
fn read_csv(text: &str) -> (Vec<Record>, Vec<Problem>) {
    let (mut records, mut problems) = (Vec::new(), Vec::new());
    let mut reader = csv::ReaderBuilder::new().from_reader(text.as_bytes());
    let names = match reader.headers() {
        Ok(names) => names.clone(),
        Err(error) => {
            problems.push(Problem { line: 1, field: None, text: error.to_string() });
            return (records, problems);
        }
    };
    for name in &names {
        if !COLUMNS.iter().any(|column| column_name(*column) == name) {
            problems.push(Problem {
                line: 1,
                field: Some(name.to_owned()),
                text: "unknown column".to_owned(),
            });
        }
    }
    for row in reader.records() {
        match row {
            Ok(row) => {
                let line = row.position().map_or(0, csv::Position::line);
                let value = |field| {
                    let at = names.iter().position(|name| name == column_name(field));
                    at.and_then(|at| row.get(at)).filter(|value| !value.is_empty()).map(str::to_owned)
                };
                records.push(record(line, value));
            }
            Err(error) => {
                let line = error.position().map_or(0, csv::Position::line);
                problems.push(Problem { line, field: None, text: error.to_string() });
            }
        }
    }
    (records, problems)
}

const COLUMNS: [ImportField; 13] = [
    ImportField::Login,
    ImportField::Name,
    ImportField::Phone,
    ImportField::Methods,
    ImportField::Iban,
    ImportField::Currency,
    ImportField::Bic,
    ImportField::Kind,
    ImportField::Usage,
    ImportField::Product,
    ImportField::AccountName,
    ImportField::CreditLimit,
    ImportField::Balance,
];

fn record(line: u64, value: impl Fn(ImportField) -> Option<String>) -> Record {
    let methods = value(ImportField::Methods).unwrap_or_default();
    Record {
        line,
        login: value(ImportField::Login).unwrap_or_default(),
        name: value(ImportField::Name),
        phone: value(ImportField::Phone),
        methods: methods.split_whitespace().map(str::to_owned).collect(),
        iban: value(ImportField::Iban),
        currency: value(ImportField::Currency),
        bic: value(ImportField::Bic),
        kind: value(ImportField::Kind),
        usage: value(ImportField::Usage),
        product: value(ImportField::Product),
        account_name: value(ImportField::AccountName),
        credit_limit: value(ImportField::CreditLimit),
        balance: value(ImportField::Balance),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CSV: &str = "login,name,phone,iban,balance\n\
        anna,\"Papadaki, Anna\",+306912345678,GR16,10.00\n\
        anna,,,GR17,\n\
        ben,Ben,+306912345679,,\n";

    #[test]
    fn csv_and_json_lines_give_the_same_records() {
        let json = r#"{"login":"anna","name":"Papadaki, Anna","phone":"+306912345678","iban":"GR16","balance":"10.00"}
{"login":"anna","iban":"GR17"}

{"login":"ben","name":"Ben","phone":"+306912345679"}
"#;
        let (from_csv, none) = read_csv(CSV);
        assert_eq!((from_csv.len(), none), (3, Vec::new()));
        assert_eq!(from_csv.iter().map(|record| record.line).collect::<Vec<_>>(), [2, 3, 4]);
        let (from_json, none) = read_json_lines(json);
        assert_eq!(none, Vec::new());
        assert_eq!(from_json.iter().map(|record| record.line).collect::<Vec<_>>(), [1, 2, 4]);
        let unnumbered = |records: Vec<Record>| {
            records.into_iter().map(|record| Record { line: 0, ..record }).collect::<Vec<_>>()
        };
        assert_eq!(unnumbered(from_csv.clone()), unnumbered(from_json));
        let file = ImportFile::new([0; 32], from_csv, Vec::new());
        assert_eq!(file.customers.iter().map(Vec::len).collect::<Vec<_>>(), [2, 1]);
        assert_eq!(file.problems, []);
    }

    #[test]
    fn every_unreadable_line_is_reported_with_its_number() {
        let (records, problems) =
            read_json_lines("{\"login\":\"a\"}\nnonsense\n{\"login\":\"b\",\"nmae\":\"B\"}\n");
        assert_eq!(records.len(), 1);
        assert_eq!(problems.iter().map(|problem| problem.line).collect::<Vec<_>>(), [2, 3]);
        assert!(problems[1].text.contains("nmae"), "{problems:?}");
        let (records, problems) = read_csv("login,nmae\na,A\nb\n");
        assert_eq!(records.len(), 1);
        let found: Vec<_> = problems.iter().map(|problem| (problem.line, problem.field.as_deref())).collect();
        assert_eq!(found, [(1, Some("nmae")), (3, None)]);
    }

    #[test]
    fn repeated_account_and_scattered_customer_are_reported() {
        let (records, _) = read_csv("login,iban,currency\na,GR16,\nb,gr16,eur\nc,GR16,USD\na,GR17,\n");
        let file = ImportFile::new([0; 32], records, Vec::new());
        let found: Vec<_> =
            file.problems.iter().map(|problem| (problem.line, problem.field.as_deref())).collect();
        assert_eq!(found, [(3, Some("iban")), (5, Some("login"))]);
    }
}
