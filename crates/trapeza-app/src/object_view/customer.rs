//! Customers, shoppers, accounts and cards.

use super::{ObjectView, ViewContext, card_label, limit};
use crate::credential::{blocks, login_subject, phone_subject};
use crate::format_timestamp;
use trapeza_domain::contact::Phone;
use trapeza_domain::id::{AccountId, CardId, PsuId, ShopperId};
use trapeza_domain::ledger::StatementBalance;
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::search::SearchKind;
use trapeza_domain::staff::StaffAction;
use trapeza_store::{ObjectRelation, PsuStatus, StoreError, Tx};
use uuid::Uuid;

pub(super) fn customer(
    tx: &mut Tx<'_>,
    context: &ViewContext,
    id: Uuid,
) -> Result<Option<ObjectView>, StoreError> {
    let psu_id = PsuId::new(id);
    let Some(times) = tx.psu_status_by_id(psu_id)? else { return Ok(None) };
    let status = match &times {
        PsuStatus { erased_at: Some(_), .. } => "erased",
        PsuStatus { closed_at: Some(_), .. } => "closed",
        _ => "active",
    };
    let psu = tx.psu_find(psu_id)?;
    let title = psu.as_ref().map_or_else(|| format!("Former customer {id}"), |psu| psu.name.clone());
    let mut view = ObjectView::new(SearchKind::Customer, id, title).status(status);
    if let Some(psu) = &psu {
        view.fact("Name", &psu.name);
        view.fact("Login", &psu.login);
        view.fact("Telephone number", psu.phone.as_str());
    }
    view.fact_opt("Language", times.language);
    view.time("Customer since", times.created_at);
    view.fact_opt("Closed", times.closed_at.map(format_timestamp));
    view.fact_opt("Personal data erased", times.erased_at.map(format_timestamp));
    let methods: Vec<&str> = tx.sca_method_list(psu_id)?.iter().map(|method| method.kind.name()).collect();
    view.fact_opt("SCA methods", (!methods.is_empty()).then(|| methods.join(", ")));
    let devices = tx.enrolled_device_times(psu_id)?;
    view.fact("Enrolled devices", devices.iter().filter(|device| device.enrolled_at.is_some()).count());
    view.relate_all(tx, "account", ObjectRelation::CustomerAccounts, psu_id)?;
    view.relate_all(tx, "card", ObjectRelation::CustomerCards, psu_id)?;
    view.relate_all(tx, "loan", ObjectRelation::CustomerLoans, psu_id)?;
    view.relate_all(tx, "telephone number at checkouts", ObjectRelation::CustomerShoppers, psu_id)?;
    let Some(psu) = psu else { return Ok(Some(view)) };
    let login = psu.login.as_str();
    view.relate_all(tx, "consent", ObjectRelation::CustomerConsents, login)?;
    view.relate_all(tx, "signing basket", ObjectRelation::CustomerSigningBaskets, login)?;
    view.relate_all(tx, "rejected payment", ObjectRelation::CustomerRejectedPayments, login)?;
    if times.closed_at.is_none() {
        let found = blocks(tx, &login_subject(&context.keyring, login), context.now)?;
        if !found.is_empty() {
            view.action(context, StaffAction::PsuUnblock, [("login", psu.login.clone())]);
        }
        found.into_iter().for_each(|block| view.fact("Blocked", block));
        phone_blocks(tx, context, &mut view, &psu.phone)?;
    }
    Ok(Some(view))
}

pub(super) fn shopper(
    tx: &mut Tx<'_>,
    context: &ViewContext,
    id: Uuid,
) -> Result<Option<ObjectView>, StoreError> {
    let shopper_id = ShopperId::new(id);
    let Some(shopper) = tx.shopper_find(shopper_id)? else { return Ok(None) };
    let title = format!("Shopper {}", shopper.phone.as_str());
    let status = if shopper.blocked { "blocked" } else { "active" };
    let mut view = ObjectView::new(SearchKind::Shopper, id, title).status(status);
    view.fact("Telephone number", shopper.phone.as_str());
    view.fact("Loans are granted", if shopper.blocked { "no" } else { "yes" });
    if let Some(psu) = shopper.psu {
        view.relate_one(tx, "customer", SearchKind::Customer, psu.uuid())?;
    }
    view.relate_all(tx, "loan", ObjectRelation::ShopperLoans, shopper_id)?;
    phone_blocks(tx, context, &mut view, &shopper.phone)?;
    Ok(Some(view))
}

/// The blocks of a telephone number at checkouts, and the action that lifts them.
fn phone_blocks(
    tx: &mut Tx<'_>,
    context: &ViewContext,
    view: &mut ObjectView,
    phone: &Phone,
) -> Result<(), StoreError> {
    let found = blocks(tx, &phone_subject(&context.keyring, phone), context.now)?;
    if !found.is_empty() {
        view.action(context, StaffAction::PhoneUnblock, [("phone", phone.as_str().to_owned())]);
    }
    found.into_iter().for_each(|block| view.fact("Telephone number blocked", block));
    Ok(())
}

pub(super) fn account(tx: &mut Tx<'_>, id: Uuid) -> Result<Option<ObjectView>, StoreError> {
    let account_id = AccountId::new(id);
    let Some((account, balance)) = tx.account_with_balance(account_id)? else { return Ok(None) };
    let title = format!("Account {}", account.iban.printed());
    let mut view = ObjectView::new(SearchKind::Account, id, title).status(account.status.name());
    view.fact("IBAN", account.iban.printed());
    view.fact("BIC", account.bic.as_str());
    view.fact("Kind", account.kind.name());
    view.fact("Usage", account.usage.name());
    view.fact("Product", &account.product);
    view.fact("Name", account.name.as_str());
    balances(&mut view, balance, account.currency);
    view.fact_opt("Credit limit", account.credit_limit());
    view.relate_all(tx, "owner", ObjectRelation::AccountOwners, account_id)?;
    view.relate_all(tx, "card", ObjectRelation::AccountCards, account_id)?;
    let payments = tx.object_account_payments(account.ledger, limit())?;
    view.relate_bounded("payment", payments);
    Ok(Some(view))
}

pub(super) fn card(tx: &mut Tx<'_>, id: Uuid) -> Result<Option<ObjectView>, StoreError> {
    let Some(card) = tx.card_find(CardId::new(id))? else { return Ok(None) };
    let label = card_label(card.masked_pan.as_str());
    let mut view = ObjectView::new(SearchKind::Card, id, format!("Card {id}")).status(card.status.name());
    view.fact("Number", label);
    view.fact("Product", &card.product);
    view.fact("Name", &card.name);
    view.fact("Usage", card.usage.name());
    view.day("Valid until", card.expiry);
    view.fact("Credit limit", card.credit_limit());
    let ledger = tx.ledger_account_find(card.ledger)?;
    if let Some(balance) = ledger.and_then(|account| account.statement) {
        balances(&mut view, balance, card.currency);
    }
    view.relate_one(tx, "holder", SearchKind::Customer, card.holder.uuid())?;
    view.relate_one(tx, "account", SearchKind::Account, card.account.uuid())?;
    Ok(Some(view))
}

fn balances(view: &mut ObjectView, balance: StatementBalance, currency: Currency) {
    view.fact("Booked", Money::new(balance.booked, currency));
    view.fact("Held", Money::new(balance.held, currency));
    if let Ok(available) = balance.available() {
        view.fact("Available", Money::new(available, currency));
    }
}
