//! The kept form of a telling: what goes in comes out, the first form never changes, and damage is noticed.

use super::super::entry_details::EntryParty;
use super::*;
use proptest::prelude::*;
use std::sync::OnceLock;

/// Made of the given texts in turn, with everything that can be there, or with nothing.
fn telling<'a>(texts: &'a [String], amounts: &[i64], days: &[i32], full: bool) -> EntryDetails<'a> {
    let mut next = texts.iter().cycle().map(String::as_str);
    let mut text = || next.next().unwrap_or_default();
    let account = |text: &'a str, kind, currency| EntryAccount { kind, text: text.into(), currency };
    let mut particulars = |full: bool| {
        if !full {
            return EntryFields { creditor_id: Some(text()), ..EntryFields::default() };
        }
        let exchange = |contract: Option<&'a str>, rate: &'a str| EntryExchange {
            source: "USD",
            target: "EUR",
            unit: "USD",
            rate,
            quotation_day: Date(days[0]),
            contract,
        };
        EntryFields {
            end_to_end_id: Some(text()),
            mandate_id: Some(text()),
            check_id: Some(text()),
            creditor_id: Some(text()),
            creditor: EntryParty {
                name: Some(text()),
                account: Some(account(text(), EntryAccountKind::MaskedPan, Some("EUR"))),
                ultimate: Some(text()),
            },
            debtor: EntryParty {
                name: Some(text()),
                account: Some(account(text(), EntryAccountKind::Msisdn, None)),
                ultimate: Some(text()),
            },
            remittance_unstructured: Some(text()),
            remittance_structured: Some(text()),
            purpose: Some(amounts[0]),
            exchanges: vec![exchange(Some(text()), text()), exchange(None, text())],
        }
    };
    let amount = |minor| Money::new(minor, Currency::EUR);
    let batch = match full {
        true => vec![
            EntryBatchPart { amount: amount(amounts[0]), particulars: particulars(true) },
            EntryBatchPart { amount: amount(amounts[1]), particulars: particulars(false) },
        ],
        false => Vec::new(),
    };
    let particulars = particulars(full);
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

/// What bytes tell, read into a place where a line told all that a line can tell.
fn told(bytes: &[u8]) -> Result<EntryDetails<'_>, StoreError> {
    let mut place = EntryDetails::empty();
    place.read(FULL.get_or_init(|| telling(&["full".to_owned()], &[1, 2], &[1, 2], true).keep()).bytes())?;
    place.read(bytes).map(|()| place)
}

static FULL: OnceLock<EncodedDetails> = OnceLock::new();

/// Lines are read for years: this is how the first form looks, and it must never look otherwise.
#[test]
fn the_first_form_stays_as_it_is() {
    let texts = ["né".to_owned()];
    let mut line = telling(&texts, &[-300, 64], &[19_999, 20_000], false);
    line.particulars.debtor.account =
        Some(EntryAccount { kind: EntryAccountKind::Iban, text: "GR16".into(), currency: Some("EUR") });
    line.particulars.purpose = Some(15);
    let kept = line.keep();
    let marks = [0xc0, 0xb8, 0x02, 17, 0b100, 3, 0b1000, 3, 0b110, 0b1, 4, 3, 30];
    let mut expected = vec![1, 13];
    expected.extend_from_slice(&marks);
    expected.extend_from_slice("internal_transfernénéGR16EUR".as_bytes());
    assert_eq!(kept.bytes(), expected);
    assert_eq!(told(&expected).unwrap(), line);
}

#[test]
fn another_form_is_refused() {
    let kept = telling(&["a".to_owned()], &[1, 2], &[1, 2], true).keep();
    let mut other = kept.bytes().to_vec();
    other[0] = 2;
    assert!(told(&other).is_err());
    assert!(told(&[]).is_err());
}

proptest! {
    #[test]
    fn what_is_kept_is_told_again(
        texts in prop::collection::vec("\\PC{0,200}", 1..20),
        amounts: [i64; 2],
        days: [i32; 2],
        full: bool,
    ) {
        let line = telling(&texts, &amounts, &days, full);
        let kept = line.keep();
        prop_assert_eq!(told(kept.bytes()).unwrap(), line);
    }

    #[test]
    fn a_damaged_piece_is_refused_and_never_panics(cut in 0usize..400, at in 0usize..400, byte: u8) {
        let kept = telling(&["é".to_owned(), "text".to_owned()], &[5, 6], &[7, 8], true).keep();
        let bytes = kept.bytes();
        if cut < bytes.len() {
            prop_assert!(told(&bytes[..cut]).is_err());
        }
        let mut damaged = bytes.to_vec();
        let length = damaged.len();
        damaged[at % length] = byte;
        let _ = told(&damaged);
    }

    #[test]
    fn no_bytes_make_reading_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let bytes = [&[VERSION, 20], &bytes[..]].concat();
        let _ = told(&bytes);
    }
}
