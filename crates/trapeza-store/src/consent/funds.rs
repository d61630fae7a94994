//! Funds consents: permissions to confirm that funds are available.

use super::{authorised_at, consent, consent_columns, deadline, reference};
use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::RowReader;
use trapeza_domain::consent::{ConsentKind, ConsentStatus, FundsConsent, FundsTerms, ValidUntil};
use trapeza_domain::id::{ApplicationId, ConsentId};
use trapeza_domain::reference::{MaskedPan, StoredPan, StoredReference};
use trapeza_domain::time::{Date, Timestamp};

impl Tx<'_> {
    pub fn funds_consent_insert(&mut self, funds: &FundsConsent) -> Result<(), StoreError> {
        let FundsConsent { consent, terms } = funds;
        self.execute(
            "INSERT INTO consent (id, application, kind, psu_login, status, created_at, last_action_at, authorised_at,
                deadline)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
            params![
                consent.id,
                consent.application,
                consent.kind.name(),
                &consent.psu,
                consent.state.status().name(),
                consent.created_at,
                consent.last_action,
                authorised_at(consent),
                deadline(consent)
            ],
        )?;
        let account = reference::columns(&terms.account);
        let card = terms.card_number.as_ref();
        let (expiry_date, expires_at) = match terms.card_expiry {
            Some(ValidUntil::Date(date)) => (Some(date), None),
            Some(ValidUntil::Timestamp(at)) => (None, Some(at)),
            None => (None, None),
        };
        self.execute(
            "INSERT INTO funds_consent (consent, application, account_kind, account_value, account_pan_hash,
                account_currency, card_pan_hash, card_masked_pan, card_expiry_date, card_expires_at, card_information,
                registration_information)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
            params![
                consent.id,
                consent.application,
                account.kind,
                account.value,
                account.pan_hash,
                account.currency,
                card.map(|card| &card.hash),
                card.map(|card| card.masked.as_str()),
                expiry_date,
                expires_at,
                terms.card_information.as_deref(),
                terms.registration_information.as_deref()
            ],
        )?;
        Ok(())
    }

    /// The valid funds consents of a third party for an account, by the same reference, oldest first.
    pub fn funds_consent_list_by_account(
        &mut self,
        application: ApplicationId,
        account: &StoredReference,
    ) -> Result<Vec<ConsentId>, StoreError> {
        let account = reference::columns(account);
        self.query(
            "SELECT c.id FROM funds_consent f JOIN consent c ON c.id = f.consent
             WHERE f.application = $1 AND f.account_kind = $2 AND f.account_value = $3 AND c.application = $1
               AND c.status = $4 ORDER BY c.created_at, c.id LIMIT 100",
            params![application, account.kind, account.value, ConsentStatus::Valid.name()],
            |row| row.read(),
        )
    }

    pub fn funds_consent_find(
        &mut self,
        application: ApplicationId,
        id: ConsentId,
    ) -> Result<Option<FundsConsent>, StoreError> {
        self.query_opt(
            concat!(
                "SELECT ",
                consent_columns!(),
                ", f.account_kind, f.account_value, f.account_pan_hash, f.account_currency, f.card_pan_hash,
                   f.card_masked_pan, f.card_expiry_date, f.card_expires_at, f.card_information,
                   f.registration_information
                 FROM consent c JOIN funds_consent f ON f.consent = c.id
                 WHERE c.id = $1 AND c.application = $2 AND c.kind = $3"
            ),
            params![id, application, ConsentKind::Funds.name()],
            |row| Ok(FundsConsent { consent: consent(row)?, terms: terms(row)? }),
        )
    }
}

fn terms(row: &mut RowReader<'_>) -> Result<FundsTerms, StoreError> {
    let account = reference::read(row)?;
    let (hash, masked): (Option<[u8; 32]>, _) = (row.read()?, row.parse_opt(MaskedPan::parse)?);
    let (date, at): (Option<Date>, Option<Timestamp>) = (row.read()?, row.read()?);
    Ok(FundsTerms {
        account,
        card_number: hash.zip(masked).map(|(hash, masked)| StoredPan { hash, masked }),
        card_expiry: date.map(ValidUntil::Date).or(at.map(ValidUntil::Timestamp)),
        card_information: row.read()?,
        registration_information: row.read()?,
    })
}
