//! The content of an incoming transfer in its row: parties, remittance and settlement date.

use crate::error::StoreError;
use crate::stored_form;
use serde::{Deserialize, Serialize};
use trapeza_domain::clearing::{InterbankTransfer, OriginalTransfer};
use trapeza_domain::money::Money;
use trapeza_domain::reference::{Bic, Iban};
use trapeza_domain::time::Date;

/// Everything that has no column of its own.
#[derive(Serialize, Deserialize)]
struct StoredTransfer<'a> {
    settlement_day: i32,
    debtor_name: &'a str,
    debtor: Option<&'a str>,
    debtor_agent: Option<&'a str>,
    creditor_name: &'a str,
    creditor: &'a str,
    creditor_agent: Option<&'a str>,
    ultimate_debtor: Option<&'a str>,
    ultimate_creditor: Option<&'a str>,
    purpose: Option<&'a str>,
    remittance: Option<&'a str>,
    creditor_reference: Option<&'a str>,
}

pub(super) fn encode(received: &OriginalTransfer) -> Vec<u8> {
    let transfer = &received.transfer;
    stored_form::encode(&StoredTransfer {
        settlement_day: received.settlement_day.0,
        debtor_name: &transfer.debtor_name,
        debtor: transfer.debtor.as_ref().map(Iban::as_str),
        debtor_agent: transfer.debtor_agent.as_ref().map(Bic::as_str),
        creditor_name: &transfer.creditor_name,
        creditor: &transfer.creditor,
        creditor_agent: transfer.creditor_agent.as_ref().map(Bic::as_str),
        ultimate_debtor: transfer.ultimate_debtor.as_deref(),
        ultimate_creditor: transfer.ultimate_creditor.as_deref(),
        purpose: transfer.purpose.as_deref(),
        remittance: transfer.remittance.as_deref(),
        creditor_reference: transfer.creditor_reference.as_deref(),
    })
}

/// The transfer with the values of its columns.
pub(super) fn decode(
    bytes: &[u8],
    (id, end_to_end_id, amount): (String, Option<String>, Money),
) -> Result<OriginalTransfer, StoreError> {
    let stored: StoredTransfer<'_> = stored_form::decode(bytes, "incoming transfer")?;
    let owned = |text: Option<&str>| text.map(str::to_owned);
    let transfer = InterbankTransfer {
        id,
        end_to_end_id,
        amount,
        debtor_name: stored.debtor_name.to_owned(),
        debtor: stored.debtor.and_then(|iban| Iban::parse_stored(iban).ok()),
        debtor_agent: stored.debtor_agent.and_then(|bic| Bic::parse(bic).ok()),
        creditor_name: stored.creditor_name.to_owned(),
        creditor: stored.creditor.to_owned(),
        creditor_agent: stored.creditor_agent.and_then(|bic| Bic::parse(bic).ok()),
        creditor_address: None,
        ultimate_debtor: owned(stored.ultimate_debtor),
        ultimate_creditor: owned(stored.ultimate_creditor),
        purpose: owned(stored.purpose),
        remittance: owned(stored.remittance),
        creditor_reference: owned(stored.creditor_reference),
    };
    Ok(OriginalTransfer { settlement_day: Date(stored.settlement_day), transfer })
}

#[cfg(test)]
mod tests {
    use super::*;
    use trapeza_domain::money::Currency;

    #[test]
    fn encoded_transfer_decodes_to_the_same_value() {
        let full = InterbankTransfer {
            id: "t1".into(),
            end_to_end_id: Some("e1".into()),
            amount: Money::new(5, Currency::EUR),
            debtor_name: "Anna".into(),
            debtor: Some(Iban::parse("DE89370400440532013000").unwrap()),
            debtor_agent: Some(Bic::parse("COBADEFF").unwrap()),
            creditor_name: "Eleni".into(),
            creditor: "no IBAN".into(),
            creditor_agent: Some(Bic::parse("ETHNGRAA").unwrap()),
            creditor_address: None,
            ultimate_debtor: Some("Anna's mother".into()),
            ultimate_creditor: Some("Eleni's mother".into()),
            purpose: Some("SALA".into()),
            remittance: Some("November".into()),
            creditor_reference: Some("RF18539007547034".into()),
        };
        let received = OriginalTransfer { settlement_day: Date(20_772), transfer: full };
        let columns = ("t1".to_owned(), Some("e1".to_owned()), Money::new(5, Currency::EUR));
        assert_eq!(decode(&encode(&received), columns.clone()), Ok(received));
        assert!(decode(b"nonsense", columns).is_err());
    }
}
