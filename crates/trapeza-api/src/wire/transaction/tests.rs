//! The JSON of a transaction, byte for byte.

use super::*;
use trapeza_app::parse_date;
use trapeza_domain::ledger::posting::LedgerEvent;
use trapeza_domain::ledger::{HoldId, TransferId};
use trapeza_domain::money::Currency;
use trapeza_domain::purpose_code::PurposeCode;
use trapeza_domain::reference::{AccountReference, Bban, Iban, Identifier, MaskedPan, Msisdn};
use trapeza_domain::statement::PendingTransaction;
use trapeza_domain::transaction::{
    BatchEntry, CurrencyExchange, Party, TransactionDetail, TransactionFields,
};
use trapeza_http::transaction_writer::TransactionWriter;

fn particulars() -> TransactionFields {
    let text = |text: &str| Some(text.to_owned());
    let iban = Iban::parse("GR1601101250000000012300695").unwrap();
    let card = Identifier::MaskedPan(MaskedPan::parse("411111******1111").unwrap());
    TransactionFields {
        end_to_end_id: text("e2e \"1\""),
        mandate_id: text("mandate"),
        check_id: text("check"),
        creditor_id: text("creditor"),
        creditor: Party {
            name: text("Creditor"),
            account: Some(AccountReference::iban(iban, Some(Currency::EUR))),
            ultimate: text("Creditor's own"),
        },
        debtor: Party {
            name: text("Debtor"),
            account: Some(AccountReference { identifier: card, currency: None }),
            ultimate: text("Debtor's own"),
        },
        remittance_unstructured: text("Thank\nyou"),
        remittance_structured: text("RF18"),
        purpose: PurposeCode::from_index(15),
        exchanges: vec![CurrencyExchange {
            source: Currency::USD,
            target: Currency::EUR,
            unit: Currency::GBP,
            rate: "1.0825".to_owned(),
            quotation_day: parse_date("2026-11-12").unwrap(),
            contract: text("FX-1"),
        }],
    }
}

/// Callers may read fields in any order, but stored responses and examples should not change without a reason.
#[test]
fn every_field_has_its_name_and_position() {
    let detail = TransactionDetail {
        particulars: particulars(),
        additional_information: Some("information".to_owned()),
        bank_transaction_code: Some("PMNT-ICDT-ESCT".to_owned()),
        proprietary_code: None,
        batch: vec![BatchEntry {
            amount: Money::new(60, Currency::JPY),
            particulars: TransactionFields { exchanges: Vec::new(), ..particulars() },
        }],
    };
    let transaction = Transaction {
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
    let written = details(Uuid::nil(), &transaction, "/v1/accounts/a");
    let ids = r#""endToEndId":"e2e \"1\"","mandateId":"mandate","checkId":"check","creditorId":"creditor","#;
    let sides = concat!(
        r#","creditorName":"Creditor","creditorAccount":{"iban":"GR1601101250000000012300695","currency":"EUR"},"#,
        r#""ultimateCreditor":"Creditor's own","debtorName":"Debtor","#,
        r#""debtorAccount":{"maskedPan":"411111******1111"},"ultimateDebtor":"Debtor's own","#,
        r#""remittanceInformationUnstructured":"Thank\nyou","remittanceInformationStructured":"RF18","purposeCode":15"#,
    );
    let expected = [
        r#"{"transactionId":"00000000-0000-0000-0000-000000000000","#,
        r#""entryReference":"00000000-0000-0000-0000-000000000000","#,
        ids,
        r#""transactionAmount":{"currency":"EUR","Amount":"-0.05"},"#,
        r#""currencyExchange":[{"sourceCurrency":"USD","exchangeRate":"1.0825","unitCurrency":"GBP","#,
        r#""targetCurrency":"EUR","quotationDate":"2026-11-12","contractIdentification":"FX-1"}]"#,
        sides,
        r#","bookingDate":"2026-11-13","valueDate":"2026-11-14","additionalInformation":"information","#,
        r#""bankTransactionCode":"PMNT-ICDT-ESCT","proprietaryBankTransactionCode":"internal_transfer","#,
        r#""batchIndicator":true,"batchNumberOfTransactions":1,"entryDetails":[{"#,
        ids,
        r#""transactionAmount":{"currency":"JPY","Amount":"-60"}"#,
        sides,
        r#"}],"_links":{"transactionDetails":{"href":"/v1/accounts/a/transactions/"#,
        r#"00000000-0000-0000-0000-000000000000"}},"#,
        r#""authenticationSchemes":[],"properties":{},"statusCode":0,"tppMessages":[]}"#,
    ];
    assert_eq!(serde_json::to_string(&written).unwrap(), expected.concat());
    compare_page_writer(&TransactionView::booked(Uuid::nil(), &transaction));
    compare_page_writer(&TransactionView::booked(Uuid::nil(), &Transaction { detail: None, ..transaction }));
}

#[test]
fn page_writer_equals_the_typed_form() {
    let account = |identifier| Some(AccountReference { identifier, currency: Some(Currency::USD) });
    for text in ["", "plain", "Ελλάδα ß 漢", "quote \" backslash \\", "tab\tnew\nline\u{1}", "\u{7f}\u{2028}"]
    {
        let text = || Some(text.to_owned());
        let detail = TransactionDetail {
            particulars: TransactionFields {
                end_to_end_id: text(),
                creditor: Party {
                    name: text(),
                    account: account(Identifier::Bban(Bban::parse("01101250000000012300695").unwrap())),
                    ultimate: None,
                },
                debtor: Party {
                    name: None,
                    account: account(Identifier::Msisdn(Msisdn::parse("+306900000000").unwrap())),
                    ultimate: text(),
                },
                remittance_unstructured: text(),
                ..Default::default()
            },
            additional_information: text(),
            bank_transaction_code: None,
            proprietary_code: text(),
            batch: Vec::new(),
        };
        let day = parse_date("2026-11-13").unwrap();
        let amount = Money::new(i64::MAX, Currency::JPY);
        let event = LedgerEvent::InternalTransfer;
        let hold = PendingTransaction {
            hold: HoldId(1),
            amount,
            day,
            event,
            reference: String::new(),
            detail: Some(detail),
        };
        compare_page_writer(&TransactionView::pending(Uuid::max(), &hold));
    }
}

fn compare_page_writer(transaction: &TransactionView<'_>) {
    let mut out = TransactionWriter::new(0);
    out.transaction::<page_writer::Native>(transaction, "/v1/accounts/a");
    let typed = serde_json::to_string(&TransactionOut::of(transaction, "/v1/accounts/a")).unwrap();
    assert_eq!(String::from_utf8(out.bytes).unwrap(), typed);
}
