//! A page of a statement, written directly to the body of its response ([`trapeza_http::transaction_writer`]).

use super::{ExchangeOut, FieldsOut};
use crate::link::Links;
use crate::wire::account::balances;
use crate::wire::information::OrderOut;
use crate::wire::reference::Reference;
use crate::wire::text::cut;
use serde::Serialize;
use trapeza_app::UseCaseError;
use trapeza_app::account_information::{EntryBatchPart, EntryExchange, StatementView};
use trapeza_domain::purpose_code::PurposeCode;
use trapeza_http::transaction_writer::{TRANSACTION_BYTES, TransactionFormat, TransactionWriter};
use uuid::Uuid;
use uuid::fmt::Hyphenated;

/// The page as JSON; `account` is the address of the account. It fails when a stored entry cannot be decoded.
pub fn statement(view: &StatementView, account: &str, links: &Links) -> Result<Vec<u8>, UseCaseError> {
    let mut out = TransactionWriter::new(1024 + view.transaction_count() * TRANSACTION_BYTES);
    out.raw(r#"{"account":"#);
    out.value(&Reference::of_account(&view.account));
    out.raw(r#","transactions":{"#);
    if view.has_booked() {
        out.raw(r#""booked":["#);
        view.visit_booked(|transaction| out.element::<BerlinGroup>(transaction, account))?;
        out.raw("],");
    }
    if let Some(pending) = view.pending_transactions() {
        out.raw(r#""pending":["#);
        pending.for_each(|transaction| out.element::<BerlinGroup>(&transaction, account));
        out.raw("],");
    }
    if let Some(orders) = &view.standing_orders {
        out.raw(r#""information":"#);
        out.value(&OrderOut::list(orders));
        out.raw(",");
    }
    out.raw(r#""_links":"#);
    out.value(links);
    out.raw("}");
    if let Some(list) = &view.balances {
        out.raw(r#","balances":"#);
        out.value(&balances(list, view.account.credit_limit_minor));
    }
    out.raw("}");
    Ok(out.bytes)
}

/// Transactions of this dialect.
pub(super) struct BerlinGroup;

impl TransactionFormat for BerlinGroup {
    const AMOUNT: &'static str = r#"","amount":""#;
    const HAS_EMPTY_LINKS: bool = false;

    fn limited(text: &str, max: usize) -> &str {
        cut(text, max)
    }

    fn entry_reference<'a>(id: Uuid, _: &'a str, buffer: &'a mut [u8; Hyphenated::LENGTH]) -> &'a str {
        id.simple().encode_lower(buffer)
    }

    fn purpose(index: i64) -> Option<impl Serialize> {
        PurposeCode::from_index(index).map(PurposeCode::name)
    }

    fn exchange<'a>(exchange: &EntryExchange<'a>) -> impl Serialize + use<'a> {
        ExchangeOut::of(exchange)
    }

    fn batch_part<'a>(part: &EntryBatchPart<'a>) -> impl Serialize + use<'a> {
        FieldsOut::of(part.amount, &part.particulars)
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::wire::transaction::TransactionOut;
    use trapeza_app::account_information::TransactionView;
    use trapeza_app::parse_date;
    use trapeza_domain::ledger::posting::LedgerEvent;
    use trapeza_domain::ledger::{HoldId, TransferId};
    use trapeza_domain::money::{Currency, Money};
    use trapeza_domain::reference::{AccountReference, Iban};
    use trapeza_domain::statement::{PendingTransaction, Transaction};
    use trapeza_domain::transaction::{
        BatchEntry, CurrencyExchange, Party, TransactionDetail, TransactionFields,
    };

    const ACCOUNT: &str = "https://bank.example/berlin-group/v1/accounts/a";

    /// A transaction with everything, and with this text wherever there is one.
    pub fn full_detail(text: &str) -> TransactionDetail {
        let text = || Some(text.to_owned());
        let iban = Iban::parse("GR1601101250000000012300695").unwrap();
        let account = Some(AccountReference::iban(iban, Some(Currency::EUR)));
        let party = || Party { name: text(), account: account.clone(), ultimate: text() };
        let day = parse_date("2026-11-12").unwrap();
        let particulars = TransactionFields {
            end_to_end_id: text(),
            mandate_id: text(),
            check_id: text(),
            creditor_id: text(),
            creditor: party(),
            debtor: party(),
            remittance_unstructured: text(),
            remittance_structured: text(),
            purpose: PurposeCode::from_index(15),
            exchanges: vec![CurrencyExchange {
                source: Currency::USD,
                target: Currency::EUR,
                unit: Currency::GBP,
                rate: "1.0825".to_owned(),
                quotation_day: day,
                contract: text(),
            }],
        };
        TransactionDetail {
            batch: vec![BatchEntry {
                amount: Money::new(60, Currency::JPY),
                particulars: particulars.clone(),
            }],
            particulars,
            additional_information: text(),
            bank_transaction_code: Some("PMNT-ICDT-ESCT".to_owned()),
            proprietary_code: text(),
        }
    }

    /// A transaction with another text in every field.
    pub fn distinct_detail() -> TransactionDetail {
        let text = |text: &str| Some(text.to_owned());
        let party = |name: &str, iban: &str, ultimate: &str| Party {
            name: text(name),
            account: Some(AccountReference::iban(Iban::parse(iban).unwrap(), Some(Currency::EUR))),
            ultimate: text(ultimate),
        };
        TransactionDetail {
            particulars: TransactionFields {
                end_to_end_id: text("end to end"),
                mandate_id: text("mandate"),
                check_id: text("check"),
                creditor_id: text("creditor id"),
                creditor: party("Creditor", "DE89370400440532013000", "Ultimate creditor"),
                debtor: party("Debtor", "GR1601101250000000012300695", "Ultimate debtor"),
                remittance_unstructured: text("unstructured"),
                remittance_structured: text("structured"),
                purpose: PurposeCode::from_index(15),
                exchanges: vec![CurrencyExchange {
                    source: Currency::USD,
                    target: Currency::EUR,
                    unit: Currency::GBP,
                    rate: "1.0825".to_owned(),
                    quotation_day: parse_date("2026-11-12").unwrap(),
                    contract: text("contract"),
                }],
            },
            additional_information: text("information"),
            bank_transaction_code: text("PMNT-ICDT-ESCT"),
            proprietary_code: text("proprietary"),
            batch: Vec::new(),
        }
    }

    #[test]
    fn every_field_has_its_name_and_position() {
        let mut detail = distinct_detail();
        let particulars = TransactionFields { exchanges: Vec::new(), ..detail.particulars.clone() };
        detail.batch = vec![BatchEntry { amount: Money::new(60, Currency::JPY), particulars }];
        let booked = Transaction {
            transfer: TransferId(1),
            seq: 1,
            amount: Money::new(-5, Currency::EUR),
            balance_minor: 0,
            booking_day: parse_date("2026-11-13").unwrap(),
            value_day: parse_date("2026-11-14").unwrap(),
            event: LedgerEvent::InternalTransfer,
            reference: String::new(),
            detail: Some(detail),
        };
        let ids = concat!(
            r#""endToEndId":"end to end","mandateId":"mandate","checkId":"check","#,
            r#""creditorId":"creditor id","#,
        );
        let purpose = PurposeCode::from_index(15).unwrap().name();
        let sides = concat!(
            r#","creditorName":"Creditor","creditorAccount":{"iban":"DE89370400440532013000","currency":"EUR"},"#,
            r#""ultimateCreditor":"Ultimate creditor","debtorName":"Debtor","#,
            r#""debtorAccount":{"iban":"GR1601101250000000012300695","currency":"EUR"},"#,
            r#""ultimateDebtor":"Ultimate debtor","remittanceInformationUnstructured":"unstructured","#,
            r#""remittanceInformationStructured":"structured","purposeCode":""#,
        );
        let expected = [
            r#"{"transactionId":"00000000-0000-0000-0000-000000000000","#,
            r#""entryReference":"00000000000000000000000000000000","#,
            ids,
            r#""transactionAmount":{"currency":"EUR","amount":"-0.05"},"#,
            r#""currencyExchange":[{"sourceCurrency":"USD","exchangeRate":"1.0825","unitCurrency":"GBP","#,
            r#""targetCurrency":"EUR","quotationDate":"2026-11-12","contractIdentification":"contract"}]"#,
            sides,
            purpose,
            r#"","bookingDate":"2026-11-13","valueDate":"2026-11-14","additionalInformation":"information","#,
            r#""bankTransactionCode":"PMNT-ICDT-ESCT","proprietaryBankTransactionCode":"proprietary","#,
            r#""batchIndicator":true,"batchNumberOfTransactions":1,"entryDetails":[{"#,
            ids,
            r#""transactionAmount":{"currency":"JPY","amount":"-60"}"#,
            sides,
            purpose,
            r#""}],"_links":{"transactionDetails":{"href":"https://bank.example/berlin-group/v1/accounts/a"#,
            r#"/transactions/00000000-0000-0000-0000-000000000000"}}}"#,
        ];
        let view = TransactionView::booked(Uuid::nil(), &booked);
        assert_eq!(serde_json::to_string(&TransactionOut::of(&view, ACCOUNT)).unwrap(), expected.concat());
        compare(&view);
    }

    fn compare(transaction: &TransactionView<'_>) {
        let mut out = TransactionWriter::new(0);
        out.transaction::<BerlinGroup>(transaction, ACCOUNT);
        let typed = serde_json::to_string(&TransactionOut::of(transaction, ACCOUNT)).unwrap();
        assert_eq!(String::from_utf8(out.bytes).unwrap(), typed);
    }

    #[test]
    fn page_writer_equals_the_typed_form() {
        let day = parse_date("2026-11-13").unwrap();
        let (event, amount) = (LedgerEvent::InternalTransfer, Money::new(-5, Currency::EUR));
        let long = "Ελλάδα \"ß\" 漢\n".repeat(60);
        for detail in [None, Some(full_detail("")), Some(full_detail("plain")), Some(full_detail(&long))] {
            let booked = Transaction {
                transfer: TransferId(1),
                seq: 1,
                amount,
                balance_minor: 0,
                booking_day: day,
                value_day: parse_date("2026-11-14").unwrap(),
                event,
                reference: String::new(),
                detail: detail.clone(),
            };
            compare(&TransactionView::booked(Uuid::max(), &booked));
            let pending =
                PendingTransaction { hold: HoldId(1), amount, day, event, reference: String::new(), detail };
            compare(&TransactionView::pending(Uuid::nil(), &pending));
        }
    }
}
