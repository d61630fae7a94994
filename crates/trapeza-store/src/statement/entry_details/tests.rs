//! Encoded details decode to the same, version 1 never changes, and damaged bytes are an error.

use super::*;
use crate::stored_form::VERSION;
use proptest::prelude::*;
use trapeza_domain::money::Currency;

/// Details with every field, or with few, whose texts are taken from `texts` in turn.
fn details<'a>(texts: &'a [String], amounts: &[i64], days: &[i32], full: bool) -> EntryDetails<'a> {
    let mut next = texts.iter().cycle().map(String::as_str);
    let mut text = || next.next().unwrap_or_default();
    let account = |text: &'a str, kind, currency| EntryAccount { kind, text: text.into(), currency };
    let mut fields = |full: bool| {
        if !full {
            let rare = RareEntryFields { creditor_id: Some(text()), ..RareEntryFields::default() };
            return EntryFields::default().with_rare(rare);
        }
        let exchange = |contract: Option<&'a str>, rate: &'a str| EntryExchange {
            source: "USD",
            target: "EUR",
            unit: "USD",
            rate,
            quotation_day: Date(days[0]),
            contract,
        };
        let rare = RareEntryFields {
            mandate_id: Some(text()),
            check_id: Some(text()),
            creditor_id: Some(text()),
            ultimate_creditor: Some(text()),
            ultimate_debtor: Some(text()),
            remittance_structured: Some(text()),
            exchanges: vec![exchange(Some(text()), text()), exchange(None, text())],
        };
        let common = EntryFields {
            end_to_end_id: Some(text()),
            creditor: EntryParty {
                name: Some(text()),
                account: Some(account(text(), EntryAccountKind::MaskedPan, Some("EUR"))),
            },
            debtor: EntryParty {
                name: Some(text()),
                account: Some(account(text(), EntryAccountKind::Msisdn, None)),
            },
            remittance_unstructured: Some(text()),
            purpose: Some(amounts[0]),
            rare: None,
        };
        common.with_rare(rare)
    };
    let amount = |minor| Money::new(minor, Currency::EUR);
    let batch = full.then(|| {
        [(amounts[0], true), (amounts[1], false)]
            .map(|(minor, full)| EntryBatchPart { amount: amount(minor), particulars: fields(full) })
            .into()
    });
    let particulars = fields(full);
    EntryDetails {
        value_day: Date(days[1]),
        event: "internal_transfer",
        particulars,
        additional_information: full.then(&mut text),
        bank_transaction_code: full.then(&mut text),
        proprietary_code: Some(text()),
        batch,
    }
}

#[test]
fn version_1_never_changes() {
    let texts = ["né".to_owned()];
    let mut details = details(&texts, &[-300, 64], &[19_999, 20_000], false);
    details.particulars.debtor.account =
        Some(EntryAccount { kind: EntryAccountKind::Iban, text: "GR16".into(), currency: Some("EUR") });
    details.particulars.purpose = Some(15);
    let expected = [
        &[VERSION, 0xc0, 0xb8, 0x02, 17][..],
        b"internal_transfer",
        // No end-to-end id; no creditor; the debtor's account only.
        &[0, 0, 0, 0, 1, 0, 4],
        b"GR16",
        &[1, 3],
        b"EUR",
        // No remittance; the purpose; the creditor id alone of the rare fields.
        &[0, 1, 30, 1, 0, 0, 1, 3],
        "né".as_bytes(),
        &[0, 0, 0, 0],
        // No further information, no code of the bank; the proprietary code; no batch.
        &[0, 0, 1, 3],
        "né".as_bytes(),
        &[0],
    ]
    .concat();
    assert_eq!(details.encode().as_bytes(), expected);
    assert_eq!(EntryDetails::decode(&expected).unwrap(), details);
}

#[test]
fn unknown_version_is_an_error() {
    let encoded = details(&["a".to_owned()], &[1, 2], &[1, 2], true).encode();
    let mut newer = encoded.as_bytes().to_vec();
    newer[0] = VERSION + 1;
    assert!(EntryDetails::decode(&newer).is_err());
    assert!(EntryDetails::decode(&[]).is_err());
}

#[test]
fn bytes_after_the_details_are_an_error() {
    let encoded = details(&["a".to_owned()], &[1, 2], &[1, 2], true).encode();
    assert!(EntryDetails::decode(&[encoded.as_bytes(), &[0]].concat()).is_err());
}

proptest! {
    #[test]
    fn encoded_details_decode_to_the_same(
        texts in prop::collection::vec("\\PC{0,200}", 1..20),
        amounts: [i64; 2],
        days: [i32; 2],
        full: bool,
    ) {
        let details = details(&texts, &amounts, &days, full);
        let encoded = details.encode();
        prop_assert_eq!(EntryDetails::decode(encoded.as_bytes()).unwrap(), details);
    }

    #[test]
    fn truncated_details_are_an_error_and_changed_bytes_do_not_panic(
        cut in 0usize..400,
        at in 0usize..400,
        byte: u8,
    ) {
        let encoded = details(&["é".to_owned(), "text".to_owned()], &[5, 6], &[7, 8], true).encode();
        let bytes = encoded.as_bytes();
        if cut < bytes.len() {
            prop_assert!(EntryDetails::decode(&bytes[..cut]).is_err());
        }
        let mut damaged = bytes.to_vec();
        let length = damaged.len();
        damaged[at % length] = byte;
        let _ = EntryDetails::decode(&damaged);
    }

    #[test]
    fn any_bytes_decode_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let bytes = [&[VERSION][..], &bytes].concat();
        let _ = EntryDetails::decode(&bytes);
    }
}
