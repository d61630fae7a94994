//! Accounts, balances and transactions (§4.3).

use crate::wire::account::{self, AccountDetails, AccountList, AccountOut, EnvelopeTail, Shown};
use crate::wire::envelope::{Envelope, Links};
use crate::wire::transaction;
use axum::response::Response;
use trapeza_app::UseCaseError;
use trapeza_http::call::TppCall;
use trapeza_http::response::{read, read_json};

pub async fn list(call: TppCall) -> Result<Response, UseCaseError> {
    let visit = call.visit()?;
    let with_balance = call.query()?.flag("withBalance")?;
    let views = call.bank.app.account_list(&visit, with_balance).await?;
    let accounts = views.value.iter().map(|view| AccountOut::of(view, Shown::List)).collect();
    Ok(read(&AccountList { accounts, envelope: Envelope::default() }, views.remaining))
}

pub async fn details(call: TppCall) -> Result<Response, UseCaseError> {
    let visit = call.visit()?;
    let with_balance = call.query()?.flag("withBalance")?;
    let view = call.bank.app.account_details(&visit, call.path("account-id"), with_balance).await?;
    let account = AccountOut::of(&view.value, Shown::Details);
    Ok(read(&AccountDetails { account, envelope: EnvelopeTail::default() }, view.remaining))
}

pub async fn balance_list(call: TppCall) -> Result<Response, UseCaseError> {
    let visit = call.visit()?;
    let found = call.bank.app.account_balances(&visit, call.path("account-id")).await?;
    let (account, list) = &found.value;
    Ok(read_json(account::balance_list(account, list), found.remaining))
}

pub async fn transactions(call: TppCall) -> Result<Response, UseCaseError> {
    let visit = call.visit()?;
    let query = call.query()?;
    let asked = query.statement(call.bank.app.clock().today())?;
    let view = call.bank.app.account_statement(&visit, call.path("account-id"), asked).await?;
    let next = view.value.booked.as_ref().and_then(|page| page.next.as_deref());
    let path = format!("/v1/accounts/{}/transactions", view.value.account.id);
    let links = next.map(|cursor| Links::one("next", format!("{path}?{}", query.with_cursor(cursor))));
    Ok(read_json(transaction::statement(&view.value, &links.unwrap_or_default())?, view.remaining))
}

pub async fn transaction(call: TppCall) -> Result<Response, UseCaseError> {
    let visit = call.visit()?;
    let (account, line) = (call.path("account-id"), call.path("transactionId"));
    let found = call.bank.app.transaction_details(&visit, account, line).await?;
    let (account, id, line) = &found.value;
    let path = format!("/v1/accounts/{}", account.id);
    Ok(read_json(transaction::details(*id, line, &path), found.remaining))
}
