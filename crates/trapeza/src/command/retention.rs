//! `trapeza retention apply`: deletes personal data whose legal period has ended.

use super::describe_error;
use crate::cli::RetentionApply;
use trapeza_app::App;
use trapeza_app::retention::RetentionReport;

pub async fn execute(app: &App, arguments: &RetentionApply) -> Result<String, String> {
    let years = arguments.years;
    let (report, verb) = match arguments.dry_run {
        true => (app.retention_report(years).await, "would erase"),
        false => (app.retention_apply(years).await, "erased"),
    };
    let RetentionReport { customers, owed, loan_payers } = report.map_err(describe_error)?;
    let mut text = format!(
        "{verb} the personal data of {customers} former customers and {loan_payers} accounts of loan payers\n"
    );
    if owed > 0 {
        text += &format!("left out {owed} former customers to whom the bank owes money\n");
    }
    Ok(text)
}
