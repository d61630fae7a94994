//! Transactions of accounts (§2.5), out. A page of them is the largest answer there is, so it is written straight from
//! the rows, without a tree in between.

use super::account::{AccountReferenceOut, BalanceOut, EnvelopeTail, Shown, balances};
use super::amount::Amount;
use super::envelope::{Envelope, Links};
use serde::Serialize;
use trapeza_app::print_day;
use trapeza_app::reading::{Pending, StatementView, Transaction};
use trapeza_domain::ledger::posting::LedgerEvent;
use trapeza_domain::money::Money;
use trapeza_domain::reference::{AccountReference, Identifier};
use trapeza_domain::time::Day;
use trapeza_domain::transaction::{BatchPart, CurrencyExchange, Particulars, TransactionDetail};
use uuid::Uuid;

#[derive(Serialize)]
pub struct Statement<'a> {
    account: AccountReferenceOut<'a>,
    transactions: Lines<TransactionOut<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    balances: Option<Vec<BalanceOut>>,
    #[serde(flatten)]
    envelope: Envelope,
}

/// Only the asked-for lists are there.
#[derive(Serialize)]
pub struct Lines<T> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub booked: Option<Vec<T>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending: Option<Vec<T>>,
    #[serde(rename = "_links")]
    pub links: Links,
}

impl<'a> Statement<'a> {
    pub fn of(view: &'a StatementView, links: Links) -> Self {
        let base = format!("/v1/accounts/{}", view.account.id);
        let booked = view.booked.as_ref().map(|page| {
            page.lines.iter().map(|(id, line)| TransactionOut::booked(*id, line, &base)).collect()
        });
        let pending = view
            .pending
            .as_ref()
            .map(|lines| lines.iter().map(|(id, line)| TransactionOut::pending(*id, line)).collect());
        Self {
            account: AccountReferenceOut::of(&view.account),
            transactions: Lines { booked, pending, links },
            balances: view.balances.as_deref().map(|list| balances(list, Shown::List)),
            envelope: Envelope::with(Links::one("account", base)),
        }
    }
}

#[derive(Serialize)]
pub struct TransactionDetails<'a> {
    #[serde(flatten)]
    transaction: TransactionOut<'a>,
    #[serde(flatten)]
    envelope: EnvelopeTail,
}

impl<'a> TransactionDetails<'a> {
    pub fn of(id: Uuid, line: &'a Transaction, account: &str) -> Self {
        Self { transaction: TransactionOut::booked(id, line, account), envelope: EnvelopeTail::default() }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TransactionOut<'a> {
    transaction_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    entry_reference: Option<String>,
    #[serde(flatten)]
    parties: ParticularsOut<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    booking_date: Option<String>,
    value_date: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    additional_information: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bank_transaction_code: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    proprietary_bank_transaction_code: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    batch_indicator: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    batch_number_of_transactions: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    entry_details: Vec<ParticularsOut<'a>>,
    #[serde(rename = "_links")]
    links: Links,
}

impl<'a> TransactionOut<'a> {
    fn booked(id: Uuid, line: &'a Transaction, account: &str) -> Self {
        let id = id.to_string();
        let links = Links::one("transactionDetails", format!("{account}/transactions/{id}"));
        let out = Self::told(id.clone(), line.amount, line.event, line.detail.as_ref(), line.value_day);
        Self { entry_reference: Some(id), booking_date: Some(print_day(line.booking_day)), links, ..out }
    }

    fn pending(id: Uuid, line: &'a Pending) -> Self {
        Self::told(id.to_string(), line.amount, line.event, line.detail.as_ref(), line.day)
    }

    fn told(
        id: String,
        amount: Money,
        event: LedgerEvent,
        detail: Option<&'a TransactionDetail>,
        value_day: Day,
    ) -> Self {
        let batch = detail.map_or(&[][..], |detail| &detail.batch);
        Self {
            transaction_id: id,
            entry_reference: None,
            parties: ParticularsOut::of(amount, detail.map(|detail| &detail.particulars)),
            booking_date: None,
            value_date: print_day(value_day),
            additional_information: detail.and_then(|detail| detail.additional_information.as_deref()),
            bank_transaction_code: detail.and_then(|detail| detail.bank_transaction_code.as_deref()),
            proprietary_bank_transaction_code: detail
                .and_then(|detail| detail.proprietary_code.as_deref())
                .or(Some(event.name())),
            batch_indicator: (!batch.is_empty()).then_some(true),
            batch_number_of_transactions: (!batch.is_empty()).then_some(batch.len()),
            entry_details: batch.iter().map(ParticularsOut::part).collect(),
            links: Links::default(),
        }
    }
}

/// What a transaction and a part of a batch have in common.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ParticularsOut<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    end_to_end_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mandate_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    check_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    creditor_id: Option<&'a str>,
    transaction_amount: Amount,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    currency_exchange: Vec<ExchangeOut<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    creditor_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    creditor_account: Option<PartyAccount<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ultimate_creditor: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    debtor_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    debtor_account: Option<PartyAccount<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ultimate_debtor: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    remittance_information_unstructured: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    remittance_information_structured: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    purpose_code: Option<i64>,
}

impl<'a> ParticularsOut<'a> {
    fn part(part: &'a BatchPart) -> Self {
        Self::of(part.amount, Some(&part.particulars))
    }

    fn of(amount: Money, told: Option<&'a Particulars>) -> Self {
        Self {
            end_to_end_id: told.and_then(|told| told.end_to_end_id.as_deref()),
            mandate_id: told.and_then(|told| told.mandate_id.as_deref()),
            check_id: told.and_then(|told| told.check_id.as_deref()),
            creditor_id: told.and_then(|told| told.creditor_id.as_deref()),
            transaction_amount: Amount(amount),
            currency_exchange: told
                .map(|told| told.exchanges.iter().map(ExchangeOut::of).collect())
                .unwrap_or_default(),
            creditor_name: told.and_then(|told| told.creditor.name.as_deref()),
            creditor_account: told.and_then(|told| told.creditor.account.as_ref()).map(PartyAccount::of),
            ultimate_creditor: told.and_then(|told| told.creditor.ultimate.as_deref()),
            debtor_name: told.and_then(|told| told.debtor.name.as_deref()),
            debtor_account: told.and_then(|told| told.debtor.account.as_ref()).map(PartyAccount::of),
            ultimate_debtor: told.and_then(|told| told.debtor.ultimate.as_deref()),
            remittance_information_unstructured: told
                .and_then(|told| told.remittance_unstructured.as_deref()),
            remittance_information_structured: told.and_then(|told| told.remittance_structured.as_deref()),
            purpose_code: told.and_then(|told| told.purpose).map(|purpose| purpose.index()),
        }
    }
}

/// The account of the other side. Of a card only the mask is shown.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PartyAccount<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    iban: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bban: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    masked_pan: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    msisdn: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    currency: Option<&'static str>,
}

impl<'a> PartyAccount<'a> {
    fn of(reference: &'a AccountReference) -> Self {
        let currency = reference.currency.map(|currency| currency.code());
        let nothing = Self { iban: None, bban: None, masked_pan: None, msisdn: None, currency };
        match &reference.identifier {
            Identifier::Iban(iban) => Self { iban: Some(iban.as_str()), ..nothing },
            Identifier::Bban(bban) => Self { bban: Some(bban.as_str()), ..nothing },
            Identifier::Pan(pan) => Self { masked_pan: Some(pan.masked().as_str().to_owned()), ..nothing },
            Identifier::MaskedPan(masked) => Self { masked_pan: Some(masked.as_str().to_owned()), ..nothing },
            Identifier::Msisdn(msisdn) => Self { msisdn: Some(msisdn.as_str()), ..nothing },
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExchangeOut<'a> {
    source_currency: &'static str,
    exchange_rate: &'a str,
    unit_currency: &'static str,
    target_currency: &'static str,
    quotation_date: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    contract_identification: Option<&'a str>,
}

impl<'a> ExchangeOut<'a> {
    pub fn of(exchange: &'a CurrencyExchange) -> Self {
        Self {
            source_currency: exchange.source.code(),
            exchange_rate: &exchange.rate,
            unit_currency: exchange.unit.code(),
            target_currency: exchange.target.code(),
            quotation_date: print_day(exchange.quotation_day),
            contract_identification: exchange.contract.as_deref(),
        }
    }
}
