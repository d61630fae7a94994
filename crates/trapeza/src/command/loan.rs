//! `trapeza loan list|show|repay|withdraw|write-off`: what customers owe, and what an operator does about it.

use super::{on_the_bank, told};
use crate::admin::{Answer, Command};
use crate::cli::Loans;
use std::fmt::Write;
use trapeza_app::loan::LoanDetail;
use trapeza_app::{App, format_date, format_timestamp};
use trapeza_domain::id::LoanId;
use trapeza_domain::loan::{Loan, LoanState, PayoffQuote};
use trapeza_domain::money::{Currency, Money};

/// How its commands begin on the admin socket.
pub const PREFIX: &str = "loan ";
/// An answer is read by a person.
const LISTED_MAX: i64 = 10_000;

pub fn run(loans: &Loans) -> (String, bool) {
    let (bank, name, arguments) = match loans {
        Loans::List(list) => (&list.bank, "list", vec![list.state.name().to_owned(), list.limit.to_string()]),
        Loans::Show(one) => (&one.bank, "show", vec![one.id.clone()]),
        Loans::Repay(one) => (&one.bank, "repay", vec![one.id.clone()]),
        Loans::Withdraw(one) => (&one.bank, "withdraw", vec![one.id.clone()]),
        Loans::WriteOff(one) => (&one.bank, "write-off", vec![one.id.clone()]),
    };
    let command = Command { command: format!("{PREFIX}{name}"), arguments: arguments.clone() };
    on_the_bank(bank, command, |app| report(app, name, &arguments))
}

/// Does it. Blocks until it is done.
pub fn report(app: &App, name: &str, arguments: &[String]) -> Answer {
    let done = super::runtime().and_then(|runtime| {
        runtime.block_on(async {
            match (name, arguments) {
                ("list", [state, limit]) => list(app, state, limit).await,
                ("show", [id]) => Ok(shown(&app.loan_detail(parse(id)?).await.map_err(told)?)),
                ("repay", [id]) => {
                    let id = parse(id)?;
                    let closing = app.loan_repay(id).await.map_err(told)?;
                    ended(app, id, "repaid", closing).await
                }
                ("withdraw", [id]) => {
                    let id = parse(id)?;
                    let closing = app.loan_withdraw(id).await.map_err(told)?;
                    ended(app, id, "withdrawn", closing).await
                }
                ("write-off", [id]) => {
                    let id = parse(id)?;
                    let closing = app.loan_write_off(id).await.map_err(told)?;
                    let currency = app.loan_detail(id).await.map_err(told)?.loan.amount.currency;
                    Ok(format!("written off: {} will not be asked for any more\n", cost(&closing, currency)))
                }
                _ => Err(format!("a bank does not know the command {PREFIX}{name}")),
            }
        })
    });
    match done {
        Ok(text) => Answer { text, exit: 0 },
        Err(problem) => Answer { text: format!("{problem}\n"), exit: 1 },
    }
}

async fn list(app: &App, state: &str, limit: &str) -> Result<String, String> {
    let limit: i64 = limit.parse().map_err(|_| format!("{limit} is not a number"))?;
    let loans = app.loan_list(state.to_owned(), limit.clamp(1, LISTED_MAX)).await.map_err(told)?;
    let mut text = String::new();
    for loan in &loans {
        let _ = writeln!(
            text,
            "{}  {:10}  {} of {}  since {}",
            loan.id,
            loan.state.name(),
            open(loan),
            amount(loan.amount),
            format_timestamp(loan.requested_at),
        );
    }
    Ok(if text.is_empty() { format!("no loan is {state}\n") } else { text })
}

fn shown(detail: &LoanDetail) -> String {
    let loan = &detail.loan;
    let mut text = format!(
        "loan       {}\nstate      {}\nfinanced   {}\nopen       {}\n",
        loan.id,
        loan.state.name(),
        amount(loan.amount),
        open(loan),
    );
    if let Some(closing) = &detail.closing {
        let _ = writeln!(text, "to end it  {}", cost(closing, loan.amount.currency));
    }
    for refund in &detail.refunds {
        let sum = |minor| amount(Money::new(minor, loan.amount.currency));
        let (given, back) = (sum(refund.refund.amount_minor), sum(refund.refund.returned_minor));
        let reason = refund.reason.as_deref().map(|reason| format!(": {reason}")).unwrap_or_default();
        let _ = writeln!(
            text,
            "refunded   {}  {given}, {back} of it to the customer{reason}",
            format_timestamp(refund.at)
        );
    }
    for one in &detail.progress {
        let installment = &one.installment;
        let paid = match one.settled {
            Some(day) if installment.principal_minor == 0 => format!("refunded {}", format_date(day)),
            Some(day) => format!("paid {}", format_date(day)),
            None => format!("open, {} tries failed", one.attempts),
        };
        let due = Money::new(installment.amount_minor(), loan.amount.currency);
        let _ =
            writeln!(text, "{:2}  {}  {}  {paid}", one.number, format_date(installment.payment), amount(due));
    }
    text
}

async fn ended(app: &App, id: LoanId, how: &str, closing: PayoffQuote) -> Result<String, String> {
    let currency = app.loan_detail(id).await.map_err(told)?.loan.amount.currency;
    Ok(format!("{how}: {} were taken from the customer's account\n", cost(&closing, currency)))
}

fn cost(closing: &PayoffQuote, currency: Currency) -> String {
    let principal = Money::new(closing.principal_minor, currency);
    let interest = Money::new(closing.interest_minor(), currency);
    format!("{} and {} interest", amount(principal), amount(interest))
}

fn open(loan: &Loan) -> String {
    let minor = match loan.state {
        LoanState::Granted { open_minor, .. } => open_minor,
        _ => 0,
    };
    amount(Money::new(minor, loan.amount.currency))
}

fn amount(money: Money) -> String {
    format!("{} {}", money.to_decimal_string(), money.currency.code())
}

fn parse(id: &str) -> Result<LoanId, String> {
    LoanId::parse(id).ok_or_else(|| format!("{id} is not the id of a loan"))
}
