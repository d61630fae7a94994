//! The customer's cards and their statements.

use super::statement::{self, QueryErrors};
use super::statement_templates::{Entry, Statement, TransactionPage};
use super::templates::AccountCard;
use super::{Customer, app_header};
use crate::internal_error;
use crate::layout::{Layout, redirect, render};
use crate::page_request::PageRequest;
use crate::summary::SummaryRow;
use axum::http::StatusCode;
use axum::response::Response;
use trapeza_app::UseCaseError;
use trapeza_app::account_information::{BalanceKind, CustomerCard, CustomerStatementQuery};
use trapeza_domain::account::AccountStatus;
use trapeza_domain::card::CardTransactionDetail;
use trapeza_domain::ledger::posting::LedgerEvent;
use trapeza_domain::money::Money;
use trapeza_domain::refusal::RefusalReason;
use trapeza_texts::page::PageTexts;
use trapeza_texts::{format, statement as statement_texts};

const PATH: &str = "/app/accounts";

/// A card in a list.
pub fn card(texts: &'static PageTexts, own: &CustomerCard) -> AccountCard {
    let mut rows: Vec<SummaryRow> = own
        .balances
        .iter()
        .filter_map(|balance| {
            let label = match balance.kind {
                BalanceKind::Booked => texts.app.booked,
                BalanceKind::Available => texts.app.available,
                BalanceKind::Reserved if balance.amount.minor != 0 => texts.customer.reserved,
                BalanceKind::NotInvoiced if balance.amount.minor != 0 => texts.customer.not_invoiced,
                _ => return None,
            };
            Some(SummaryRow::new(label, texts.money(balance.amount)))
        })
        .collect();
    if own.card.credit_limit_minor > 0 {
        rows.push(SummaryRow::new(texts.app.credit_limit, texts.money(own.card.credit_limit())));
    }
    rows.push(SummaryRow::new(texts.customer.valid_until, texts.day(own.card.expiry)));
    AccountCard {
        href: format!("/app/cards/{}", own.card.id),
        name: own.card.product.clone(),
        number: own.card.masked_pan.as_str().to_owned(),
        note: (own.card.status == AccountStatus::Blocked).then_some(texts.app.blocked),
        rows,
    }
}

pub async fn show_statement(request: &PageRequest, customer: &Customer, id: &str) -> Response {
    let (mut query, mut errors) = (statement::query(request), QueryErrors::default());
    let app = &request.state.app;
    let mut read = app.customer_card_statement(customer.psu, id, query.clone()).await;
    if let Err(UseCaseError::Refused(refusal)) = &read
        && refusal.reason == RefusalReason::Malformed
    {
        errors = QueryErrors::new(request, refusal);
        query = CustomerStatementQuery::default();
        read = app.customer_card_statement(customer.psu, id, query.clone()).await;
    }
    let found = match read {
        Ok(found) => found,
        // An unknown card: show the list.
        Err(UseCaseError::Refused(_)) => return redirect(PATH),
        Err(error) => return internal_error(request, &error),
    };
    let (texts, card) = (request.texts, card(request.texts, &found.card));
    let status = if query == statement::query(request) { StatusCode::OK } else { StatusCode::BAD_REQUEST };
    let pending = found.pending.iter().map(|hold| Entry {
        href: None,
        ..entry(texts, hold.detail.as_ref(), hold.event, (hold.amount, &texts.day(hold.day)))
    });
    let booked = found.page.booked.iter().map(|(entry_id, line)| Entry {
        href: Some(format!("{}/{entry_id}", card.href)),
        ..entry(texts, line.detail.as_ref(), line.event, (line.amount, &texts.day(line.booking_day)))
    });
    let page = Statement {
        layout: Layout::of(request, &card.name),
        top: app_header(request, customer, PATH),
        filter: statement::filter(request, &found.page, errors),
        notice: errors.notice(),
        pending: pending.collect(),
        booked: booked.collect(),
        pages: statement::pages(request, &card.href, &query, &found.page),
        export: None,
        account: card,
    };
    render(request, status, &page)
}

/// All facts of one transaction of a card.
pub async fn show_transaction(
    request: &PageRequest,
    customer: &Customer,
    id: &str,
    entry_id: &str,
) -> Response {
    let found = request.state.app.customer_card_transaction(customer.psu, id, entry_id).await;
    let (card, line) = match found {
        Ok(found) => found,
        Err(UseCaseError::Refused(_)) => return redirect(PATH),
        Err(error) => return internal_error(request, &error),
    };
    let (texts, words) = (request.texts, request.texts.customer);
    let detail = line.detail.as_ref();
    let mut rows = vec![
        SummaryRow::new(texts.amount, texts.money(line.amount)).highlighted("large"),
        SummaryRow::new(words.kind, statement_texts::event_name(texts.language, line.event)),
        SummaryRow::new(words.status, words.status_booked),
    ];
    if let Some(detail) = detail {
        rows.push(SummaryRow::new(words.used_day, texts.day(detail.transaction_day)));
    }
    rows.push(SummaryRow::new(words.booking_day, texts.day(line.booking_day)));
    rows.push(SummaryRow::new(words.value_day, texts.day(line.value_day)));
    rows.extend(detail.map(|detail| detail_rows(texts, detail)).unwrap_or_default());
    rows.push(SummaryRow::new(texts.card, card.masked_pan.as_str()));
    let balance = Money::new(line.balance_minor, line.amount.currency);
    rows.push(SummaryRow::new(words.balance_after, texts.money(balance)));
    rows.push(SummaryRow::new(words.transaction_id, entry_id));
    let page = TransactionPage {
        layout: Layout::of(request, &who(texts, detail, line.event)),
        top: app_header(request, customer, PATH),
        rows,
        receipt: None,
        back: format!("/app/cards/{}", card.id),
    };
    render(request, StatusCode::OK, &page)
}

fn detail_rows(texts: &PageTexts, detail: &CardTransactionDetail) -> Vec<SummaryRow> {
    let words = texts.customer;
    let mut rows = Vec::new();
    rows.extend(detail.original_amount.map(|sum| SummaryRow::new(words.original_amount, texts.money(sum))));
    for exchange in &detail.exchanges {
        let rate = format::decimal(texts.language, &exchange.rate);
        let value = format!("1 {} = {rate} {}", exchange.unit, exchange.other());
        rows.push(SummaryRow::new(words.exchange_rate, value));
    }
    rows.extend(detail.markup_fee.map(|fee| SummaryRow::new(words.markup, texts.money(fee))));
    if let Some(address) = &detail.acceptor_address {
        let city = address.city.iter().map(String::as_str);
        let place: Vec<&str> = city.chain([address.country.as_str()]).collect();
        rows.push(SummaryRow::new(words.place, place.join(", ")));
    }
    rows
}

fn who(texts: &PageTexts, detail: Option<&CardTransactionDetail>, event: LedgerEvent) -> String {
    let named = detail.and_then(|detail| detail.text.clone());
    named.unwrap_or_else(|| statement_texts::event_name(texts.language, event).to_owned())
}

fn entry(
    texts: &PageTexts,
    detail: Option<&CardTransactionDetail>,
    event: LedgerEvent,
    (amount, day): (Money, &str),
) -> Entry {
    let original = detail.and_then(|detail| detail.original_amount);
    Entry {
        href: None,
        day: day.to_owned(),
        who: who(texts, detail, event),
        text: original.filter(|sum| sum.currency != amount.currency).map(|sum| texts.money(sum)),
        amount: texts.money(amount),
        into: amount.is_positive(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trapeza_app::parse_date;
    use trapeza_domain::card::AcceptorAddress;
    use trapeza_domain::money::Currency;
    use trapeza_domain::transaction::CurrencyExchange;
    use trapeza_texts::page::ENGLISH;

    fn abroad() -> CardTransactionDetail {
        let day = parse_date("2035-03-15").unwrap();
        CardTransactionDetail {
            transaction_day: day,
            terminal_id: Some("terminal".to_owned()),
            acceptor_id: Some("acceptor".to_owned()),
            acceptor_address: Some(AcceptorAddress {
                street: Some("Market Street".to_owned()),
                city: Some("San Francisco".to_owned()),
                country: "US".to_owned(),
                ..Default::default()
            }),
            merchant_category_code: None,
            text: Some("Bay Books".to_owned()),
            original_amount: Some(Money::new(5_955, Currency::USD)),
            markup_fee: Some(Money::new(84, Currency::EUR)),
            markup_basis_points: Some(150),
            invoiced: false,
            proprietary_code: None,
            exchanges: vec![CurrencyExchange {
                source: Currency::USD,
                target: Currency::EUR,
                unit: Currency::EUR,
                rate: "1.0601".to_owned(),
                quotation_day: day,
                contract: None,
            }],
        }
    }

    #[test]
    fn page_has_each_fact_under_its_label() {
        let original = ENGLISH.money(Money::new(5_955, Currency::USD));
        let rows = detail_rows(&ENGLISH, &abroad());
        let rows: Vec<(&str, &str)> = rows.iter().map(|row| (row.label, row.value.as_str())).collect();
        assert_eq!(
            rows,
            [
                ("Original amount", original.as_str()),
                ("Exchange rate", "1 EUR = 1.0601 USD"),
                ("Exchange fee, included", "€0.84"),
                ("Place", "San Francisco, US")
            ]
        );
    }

    #[test]
    fn list_has_the_original_amount_of_another_currency_only() {
        let original = ENGLISH.money(Money::new(5_955, Currency::USD));
        for (amount, text) in [
            (Money::new(-5_701, Currency::EUR), Some(original.as_str())),
            (Money::new(-5_955, Currency::USD), None),
        ] {
            let event = LedgerEvent::InternalTransfer;
            let line = entry(&ENGLISH, Some(&abroad()), event, (amount, "15 March 2035"));
            assert_eq!((line.who.as_str(), line.day.as_str()), ("Bay Books", "15 March 2035"));
            assert_eq!((line.text.as_deref(), line.amount), (text, ENGLISH.money(amount)));
            assert!(!line.into);
        }
    }
}
