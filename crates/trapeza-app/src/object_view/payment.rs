//! Payments, consents, signing baskets and authorisations.

use super::{ObjectView, ViewContext, card_label};
use crate::{format_date, format_timestamp};
use trapeza_domain::authorisation::Target;
use trapeza_domain::consent::{Access, ConsentKind, ConsentState, ValidUntil};
use trapeza_domain::id::{AuthorisationId, ConsentId, PaymentId, SigningBasketId};
use trapeza_domain::payment::{Payment, PaymentState};
use trapeza_domain::reference::{StoredIdentifier, StoredReference};
use trapeza_domain::search::SearchKind;
use trapeza_domain::signing_basket::BasketMember;
use trapeza_store::{ObjectRelation, StoreError, Tx};
use uuid::Uuid;

pub(super) fn payment(
    tx: &mut Tx<'_>,
    context: &ViewContext,
    id: Uuid,
) -> Result<Option<ObjectView>, StoreError> {
    let payment_id = PaymentId::new(id);
    let Some(application) = tx.payment_application(payment_id)? else { return Ok(None) };
    let Some(payment) = tx.payment_find(application, payment_id)? else { return Ok(None) };
    let payment = payment.as_of(context.now);
    let status = payment.state.status().name();
    let mut view = ObjectView::new(SearchKind::Payment, id, format!("Payment {id}")).status(status);
    payment_facts(&mut view, &payment);
    let order = &payment.instruction;
    view.relate("customer", tx.search_by_login(&payment.psu)?);
    view.relate_one(tx, "application", SearchKind::Application, application.uuid())?;
    relate_reference(tx, &mut view, "payer account", &order.debtor)?;
    if order.bulk.is_none() {
        let payee = tx.search_by_iban(&order.creditor)?;
        view.relate("payee account", payee);
    }
    view.relate_all(tx, "authorisation", ObjectRelation::TargetAuthorisations, payment_id)?;
    view.relate_all(tx, "signing basket", ObjectRelation::MemberSigningBaskets, payment_id)?;
    view.relate_all(tx, "clearing batch", ObjectRelation::PaymentBatch, payment_id)?;
    view.relate_all(tx, "refunded loan", ObjectRelation::PaymentLoan, payment_id)?;
    view.relate_all(tx, "execution", ObjectRelation::PaymentExecutions, payment_id)?;
    view.relate_all(tx, "line", ObjectRelation::BulkLines, payment_id)?;
    if let Some(bulk) = payment.bulk {
        view.relate_one(tx, "bulk payment", SearchKind::Payment, bulk.uuid())?;
    }
    if let Some(order) = payment.standing_order {
        view.relate_one(tx, "standing order", SearchKind::Payment, order.uuid())?;
    }
    view.relate_all(tx, "merchant that is paid out", ObjectRelation::PaymentMerchant, payment_id)?;
    view.include_in_timeline(SearchKind::Authorisation);
    Ok(Some(view))
}

fn payment_facts(view: &mut ObjectView, payment: &Payment) {
    let order = &payment.instruction;
    view.fact("Product", order.product.name());
    view.fact("Amount", order.amount);
    view.fact("Fee", order.fee);
    view.fact("Payer's login", &payment.psu);
    view.fact("Payer account", reference_text(&order.debtor));
    match order.bulk {
        Some(bulk) => {
            view.fact("Payments of the bulk", bulk.count);
            view.fact("Booked as one entry", if bulk.batch_booking { "yes" } else { "no" });
            view.fact("Fingerprint of the lines", bulk.digest.fingerprint());
        }
        None => {
            view.fact("Payee", &order.creditor_name);
            view.fact("Payee account", order.creditor.printed());
        }
    }
    view.fact_opt("Payee's bank", order.creditor_agent.as_ref().map(|bic| bic.as_str()));
    view.fact_opt("Sent to bank", payment.routed_agent.as_ref().map(|bic| bic.as_str()));
    view.fact_opt("Remittance information", order.remittance.as_ref());
    view.fact_opt("End-to-end id", order.end_to_end_id.as_ref());
    view.fact_opt("Execution date", order.timing.requested_date().map(format_date));
    if let Some(standing) = order.timing.standing_order() {
        view.fact("Frequency", standing.frequency.name());
        view.fact("First date", format_date(standing.start));
        view.fact_opt("Last date", standing.end.map(format_date));
        view.fact("On days without settlement", standing.rule.name());
        view.fact_opt("Day of the month", standing.day);
        let months: Vec<String> = standing.months.numbers().map(|month| month.to_string()).collect();
        view.fact_opt("Months", Some(months.join(", ")).filter(|months| !months.is_empty()));
        view.fact("Executions", payment.execution_number);
    } else if payment.standing_order.is_some() {
        view.fact("Number of the execution", payment.execution_number);
    }
    if payment.bulk.is_some() {
        view.fact("Number of the line", payment.execution_number);
    }
    let verified = payment.payee_verification.as_ref();
    view.fact_opt("Payee verification", verified.map(|verified| verified.result().name()));
    view.time("Created", payment.created_at);
    view.time("Last change", payment.last_action);
    match payment.state {
        PaymentState::Accepted { submit_at, cancellation_hold_until } => {
            view.time("Submitted to clearing at", submit_at);
            view.fact_opt(
                "Cancellation requested, held until",
                cancellation_hold_until.map(format_timestamp),
            );
        }
        PaymentState::Scheduled { execute_at, cancellation_hold_until } => {
            view.time("Executed at", execute_at);
            view.fact_opt(
                "Cancellation requested, held until",
                cancellation_hold_until.map(format_timestamp),
            );
        }
        PaymentState::Rejected { reason, code, .. } => {
            view.fact("Rejected because", reason.description());
            view.fact_opt("Reason code of clearing", code.as_ref().map(|code| code.as_str()));
        }
        _ => {}
    }
}

pub(super) fn consent(
    tx: &mut Tx<'_>,
    context: &ViewContext,
    id: Uuid,
) -> Result<Option<ObjectView>, StoreError> {
    let consent_id = ConsentId::new(id);
    let Some(application) = tx.consent_application(consent_id)? else { return Ok(None) };
    let Some(consent) = tx.consent_find_any(application, consent_id)? else { return Ok(None) };
    let consent = consent.as_of(context.now);
    let status = consent.state.status().name();
    let mut view = ObjectView::new(SearchKind::Consent, id, format!("Consent {id}")).status(status);
    view.fact("Kind", consent.kind.name());
    view.fact("Customer's login", &consent.psu);
    view.time("Created", consent.created_at);
    view.time("Last change", consent.last_action);
    match consent.state {
        ConsentState::Valid { since } => view.time("Authorised", since),
        ConsentState::Rejected { reason } => view.fact("Rejected because", reason.name()),
        _ => {}
    }
    view.relate("customer", tx.search_by_login(&consent.psu)?);
    view.relate_one(tx, "application", SearchKind::Application, application.uuid())?;
    match consent.kind {
        ConsentKind::Access => {
            let Some(access) = tx.access_consent_find(application, consent_id)? else { return Ok(None) };
            let terms = access.terms;
            view.fact("Recurring", if terms.recurring { "yes" } else { "no" });
            view.fact("Reads per day", terms.frequency_per_day);
            view.fact("Valid until", valid_until(terms.valid_until));
            view.fact("Scope", terms.access.scope().name());
            if let Access::Listed(lists) = &terms.access {
                for (relation, references) in [
                    ("account", &lists.accounts),
                    ("account whose balances are read", &lists.balances),
                    ("account whose transactions are read", &lists.transactions),
                ] {
                    for reference in references {
                        relate_reference(tx, &mut view, relation, reference)?;
                    }
                }
            }
        }
        ConsentKind::Funds => {
            let Some(funds) = tx.funds_consent_find(application, consent_id)? else { return Ok(None) };
            view.fact("Account", reference_text(&funds.terms.account));
            view.fact_opt("Card", funds.terms.card_number.map(|pan| card_label(pan.masked.as_str())));
            view.fact_opt("Card valid until", funds.terms.card_expiry.map(valid_until));
            relate_reference(tx, &mut view, "account", &funds.terms.account)?;
        }
    }
    view.relate_all(tx, "authorisation", ObjectRelation::TargetAuthorisations, consent_id)?;
    view.relate_all(tx, "signing basket", ObjectRelation::MemberSigningBaskets, consent_id)?;
    view.include_in_timeline(SearchKind::Authorisation);
    Ok(Some(view))
}

pub(super) fn signing_basket(
    tx: &mut Tx<'_>,
    context: &ViewContext,
    id: Uuid,
) -> Result<Option<ObjectView>, StoreError> {
    let basket_id = SigningBasketId::new(id);
    let Some(application) = tx.signing_basket_application(basket_id)? else { return Ok(None) };
    let Some(basket) = tx.signing_basket_find(application, basket_id)? else { return Ok(None) };
    let basket = basket.as_of(context.now);
    let status = basket.state.status().name();
    let mut view =
        ObjectView::new(SearchKind::SigningBasket, id, format!("Signing basket {id}")).status(status);
    view.fact_opt("Customer's login", Some(&basket.psu).filter(|login| !login.is_empty()));
    view.fact("Payments and consents", basket.members.len());
    view.time("Created", basket.created_at);
    view.time("Last change", basket.last_action);
    view.time("Expires", basket.ends_at);
    view.relate("customer", tx.search_by_login(&basket.psu)?);
    view.relate_one(tx, "application", SearchKind::Application, application.uuid())?;
    for member in &basket.members {
        let (kind, relation) = match member {
            BasketMember::Payment(_) => (SearchKind::Payment, "payment"),
            BasketMember::Consent(_) => (SearchKind::Consent, "consent"),
        };
        view.relate_one(tx, relation, kind, member.uuid())?;
    }
    view.relate_all(tx, "authorisation", ObjectRelation::TargetAuthorisations, basket_id)?;
    view.include_in_timeline(SearchKind::Authorisation);
    Ok(Some(view))
}

pub(super) fn authorisation(
    tx: &mut Tx<'_>,
    context: &ViewContext,
    id: Uuid,
) -> Result<Option<ObjectView>, StoreError> {
    let Some(record) = tx.authorisation_by_id(AuthorisationId::new(id))? else { return Ok(None) };
    let authorisation = record.authorisation.as_of(context.now);
    let status = authorisation.state.status().name();
    let mut view =
        ObjectView::new(SearchKind::Authorisation, id, format!("Authorisation {id}")).status(status);
    view.fact("Target", authorisation.target.kind().name());
    view.fact("Customer's login", &authorisation.psu_name);
    view.fact("Approach", authorisation.approach.reported().name());
    view.fact_opt("SCA method", authorisation.state.method().map(|method| method.kind.name()));
    view.fact("Third party", &record.tpp_name);
    view.fact("Licence number", &record.organisation);
    view.time("Created", authorisation.created_at);
    view.time("Expires", authorisation.ends_at);
    if let Some(challenge) = &record.challenge {
        view.time("Code sent", challenge.sent_at);
        view.fact("Codes sent", challenge.sends);
        view.fact("Codes entered", challenge.attempts);
    }
    let (kind, relation) = match authorisation.target {
        Target::Consent(_) | Target::FundsConsent(_) => (SearchKind::Consent, "consent"),
        Target::Payment(_) => (SearchKind::Payment, "payment"),
        Target::Cancellation(_) => (SearchKind::Payment, "payment to cancel"),
        Target::SigningBasket(_) => (SearchKind::SigningBasket, "signing basket"),
    };
    view.relate_one(tx, relation, kind, Uuid::from_bytes(*authorisation.target.id_bytes()))?;
    if let Some(psu) = authorisation.psu {
        view.relate_one(tx, "customer", SearchKind::Customer, psu.uuid())?;
    }
    view.relate_one(tx, "application", SearchKind::Application, authorisation.application.uuid())?;
    Ok(Some(view))
}

/// The account or card that a reference names, where it is one of this bank.
fn relate_reference(
    tx: &mut Tx<'_>,
    view: &mut ObjectView,
    relation: &'static str,
    reference: &StoredReference,
) -> Result<(), StoreError> {
    match &reference.identifier {
        StoredIdentifier::Iban(iban) => view.relate(relation, tx.search_by_iban(iban)?),
        StoredIdentifier::Pan(pan) => {
            if let Some(card) = tx.card_by_pan_hash(&pan.hash)? {
                view.relate_one(tx, relation, SearchKind::Card, card.id.uuid())?;
            }
        }
        StoredIdentifier::Bban(_) | StoredIdentifier::MaskedPan(_) | StoredIdentifier::Msisdn(_) => {}
    }
    Ok(())
}

fn reference_text(reference: &StoredReference) -> String {
    match &reference.identifier {
        StoredIdentifier::Iban(iban) => iban.printed(),
        StoredIdentifier::Bban(bban) => bban.as_str().to_owned(),
        StoredIdentifier::Pan(pan) => card_label(pan.masked.as_str()),
        StoredIdentifier::MaskedPan(masked) => card_label(masked.as_str()),
        StoredIdentifier::Msisdn(phone) => phone.as_str().to_owned(),
    }
}

fn valid_until(end: ValidUntil) -> String {
    match end {
        ValidUntil::Date(day) => format_date(day),
        ValidUntil::Timestamp(at) => format_timestamp(at),
    }
}
