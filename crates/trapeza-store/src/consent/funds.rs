//! Consents to ask whether money is there.

use super::{consent, due, reference, since};
use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::Row;
use trapeza_domain::consent::{ConsentKind, FundsConsent, FundsTerms, ValidUntil};
use trapeza_domain::id::{ApplicationId, ConsentId};
use trapeza_domain::reference::StoredPan;
use trapeza_domain::time::{Date, Timestamp};

impl Tx<'_> {
    pub fn funds_consent_insert(&mut self, funds: &FundsConsent) -> Result<(), StoreError> {
        let FundsConsent { consent, terms } = funds;
        self.execute(
            "INSERT INTO consent (id, application, kind, psu, state, created_at, last_action, authorised_at, due_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
            params![
                consent.id.as_bytes(),
                consent.application.as_bytes(),
                consent.kind.name(),
                &consent.psu,
                consent.state.status().name(),
                consent.created_at.0,
                consent.last_action.0,
                since(consent),
                due(consent)
            ],
        )?;
        let account = reference::columns(&terms.account);
        let card = terms.card_number.as_ref();
        let (day, at) = match terms.card_expiry {
            Some(ValidUntil::Date(day)) => (Some(day.0), None),
            Some(ValidUntil::Timestamp(at)) => (None, Some(at.0)),
            None => (None, None),
        };
        self.execute(
            "INSERT INTO consent_funds (consent, application, account_kind, account_value, account_pan_hash,
                account_currency, card_hash, card_masked, card_expiry_day, card_expiry_at, card_information,
                registration_information)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
            params![
                consent.id.as_bytes(),
                consent.application.as_bytes(),
                account.kind,
                account.value,
                account.pan_hash,
                account.currency,
                card.map(|card| &card.hash),
                card.map(|card| card.masked.as_str()),
                day,
                at,
                terms.card_information.as_deref(),
                terms.registration_information.as_deref()
            ],
        )?;
        Ok(())
    }

    pub fn funds_consent_find(
        &mut self,
        application: ApplicationId,
        id: ConsentId,
    ) -> Result<Option<FundsConsent>, StoreError> {
        self.query_opt(
            "SELECT c.id, c.application, c.kind, c.psu, c.state, c.created_at, c.last_action, c.authorised_at,
                    c.valid_until, c.recurring,
                    f.account_kind, f.account_value, f.account_pan_hash, f.account_currency, f.card_hash,
                    f.card_masked, f.card_expiry_day, f.card_expiry_at, f.card_information,
                    f.registration_information
             FROM consent c JOIN consent_funds f ON f.consent = c.id
             WHERE c.id = $1 AND c.application = $2 AND c.kind = $3",
            params![id.as_bytes(), application.as_bytes(), ConsentKind::Funds.name()],
            |row| Ok(FundsConsent { consent: consent(row)?, terms: terms(row)? }),
        )
    }
}

fn terms(row: &Row<'_>) -> Result<FundsTerms, StoreError> {
    let card_number = match row.opt_text(15)? {
        Some(masked) => Some(StoredPan { hash: row.array(14)?, masked: reference::masked(&masked)? }),
        None => None,
    };
    let day = row.opt_int(16)?.map(i32::try_from).transpose().map_err(StoreError::internal)?;
    let day = day.map(|day| ValidUntil::Date(Date(day)));
    Ok(FundsTerms {
        account: reference::read(row, 10)?,
        card_number,
        card_expiry: day.or(row.opt_int(17)?.map(|at| ValidUntil::Timestamp(Timestamp(at)))),
        card_information: row.opt_text(18)?,
        registration_information: row.opt_text(19)?,
    })
}
