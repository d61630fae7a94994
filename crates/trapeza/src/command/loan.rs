//! `trapeza loan list|show|repay|withdraw|write-off|refund-payout`: loans, and what an operator can do with them.

use super::describe_error;
use crate::cli::{LoanList, LoanRefundPayout, Loans};
use std::fmt::Write;
use trapeza_app::loan::LoanDetail;
use trapeza_app::{App, format_date, format_timestamp};
use trapeza_domain::id::LoanId;
use trapeza_domain::loan::{InstallmentState, Loan, LoanState, PayoffQuote};
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::payment::PayeeAccount;
use trapeza_domain::reference::{Bic, Iban};

/// The output is read by a person.
const MAX_LISTED: i64 = 10_000;

pub async fn execute(app: &App, command: &Loans) -> Result<String, String> {
    match command {
        Loans::List(arguments) => list(app, arguments).await,
        Loans::Show(one) => Ok(describe(&app.loan_detail(parse(&one.id)?).await.map_err(describe_error)?)),
        Loans::Repay(one) => {
            let id = parse(&one.id)?;
            let quote = app.loan_repay(id).await.map_err(describe_error)?;
            let cost = cost(&quote, currency(app, id).await?);
            Ok(format!("repaid: {cost} debited from the customer's account\n"))
        }
        Loans::Withdraw(one) => {
            let id = parse(&one.id)?;
            let quote = app.loan_withdraw(id).await.map_err(describe_error)?;
            let loan = app.loan_detail(id).await.map_err(describe_error)?.loan;
            let cost = cost(&quote, loan.amount.currency);
            Ok(match loan.repay_by() {
                Some(last) => format!(
                    "withdrawn: {cost} must be paid by transfer by {} with the reference {}\n",
                    format_date(last),
                    loan.creditor_reference().printed()
                ),
                None => format!("withdrawn: {cost} debited from the customer's account\n"),
            })
        }
        Loans::WriteOff(one) => {
            let id = parse(&one.id)?;
            let quote = app.loan_write_off(id).await.map_err(describe_error)?;
            Ok(format!("written off: {}\n", cost(&quote, currency(app, id).await?)))
        }
        Loans::RefundPayout(arguments) => refund_payout(app, arguments).await,
    }
}

async fn refund_payout(app: &App, arguments: &LoanRefundPayout) -> Result<String, String> {
    let payee = PayeeAccount {
        iban: Iban::parse(&arguments.iban).map_err(|problem| format!("iban: {problem}"))?,
        name: arguments.name.clone(),
        agent: arguments
            .bic
            .as_deref()
            .map(Bic::parse)
            .transpose()
            .map_err(|problem| format!("bic: {problem}"))?,
    };
    let payment = app.loan_refund_payout(parse(&arguments.id)?, payee).await.map_err(describe_error)?;
    let (status, terms) = (payment.state.status().name(), &payment.instruction);
    let (sum, payee) = (amount(terms.amount), terms.creditor.masked());
    Ok(format!("paid back {sum} to {payee}, payment {} is {status}\n", payment.id))
}

async fn currency(app: &App, id: LoanId) -> Result<Currency, String> {
    Ok(app.loan_detail(id).await.map_err(describe_error)?.loan.amount.currency)
}

async fn list(app: &App, arguments: &LoanList) -> Result<String, String> {
    let (state, limit) = (arguments.state.name(), i64::from(arguments.limit));
    let loans = app.loan_list(state.to_owned(), limit.clamp(1, MAX_LISTED)).await.map_err(describe_error)?;
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

fn describe(detail: &LoanDetail) -> String {
    let loan = &detail.loan;
    let mut text = format!(
        "loan       {}\nstate      {}\nfinanced   {}\nopen       {}\n",
        loan.id,
        loan.state.name(),
        amount(loan.amount),
        open(loan),
    );
    if let Some(quote) = &detail.payoff_quote {
        let _ = writeln!(text, "payoff     {}", cost(quote, loan.amount.currency));
        let _ = writeln!(text, "reference  {}", loan.creditor_reference().printed());
    }
    if let Some(last) = loan.repay_by() {
        let _ = writeln!(text, "withdrawn  to be paid back by {}", format_date(last));
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
    for payment in &detail.refund_payments {
        let terms = &payment.instruction;
        let (status, sum) = (payment.state.status().name(), amount(terms.amount));
        let _ = writeln!(
            text,
            "paid back  {sum} to {}, payment {} is {status}",
            terms.creditor.masked(),
            payment.id
        );
    }
    if detail.payable_minor > 0 {
        let sum = amount(Money::new(detail.payable_minor, loan.amount.currency));
        let _ = writeln!(
            text,
            "payable    {sum} is owed to the borrower: no payment reaches the account that paid (`loan refund-payout`)"
        );
    }
    for one in &detail.installments {
        let _ = writeln!(text, "{}", installment(one, loan.amount.currency));
    }
    text
}

/// One line: the amount that was paid, or the amount that is open.
fn installment(one: &InstallmentState, currency: Currency) -> String {
    let sum = |minor| amount(Money::new(minor, currency));
    let minor = if one.settled.is_some() { one.paid_minor() } else { one.open_minor() };
    let mut state = match one.settled {
        Some(day) if one.paid_minor() == 0 => format!("refunded {}", format_date(day)),
        Some(day) => format!("paid {}", format_date(day)),
        None if one.paid_minor() > 0 => format!("open, {} paid", sum(one.paid_minor())),
        None => format!("open, {} failed attempts", one.attempts),
    };
    if one.cancelled_minor > 0 {
        let _ = write!(state, ", {} interest cancelled", sum(one.cancelled_minor));
    }
    format!("{:2}  {}  {}  {state}", one.number, format_date(one.installment.payment), sum(minor))
}

fn cost(quote: &PayoffQuote, currency: Currency) -> String {
    let principal = Money::new(quote.principal_minor, currency);
    let interest = Money::new(quote.interest_minor(), currency);
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
