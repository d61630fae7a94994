//! Consents to read accounts, with their lists.

use super::usage::ConsentUsage;
use super::{consent, due, reference, since};
use crate::account;
use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::Row;
use trapeza_domain::account::Account;
use trapeza_domain::consent::{
    Access, AccessConsent, AccessLists, AccessTerms, Consent, ConsentKind, Scope, ValidUntil,
};
use trapeza_domain::id::{AccountId, ApplicationId, ConsentId, PsuId};
use trapeza_domain::ledger::StatementBalance;
use trapeza_domain::reference::StoredReference;
use trapeza_domain::time::{Date, Timestamp};

/// A consent as a read under it finds it.
pub struct ConsentForRead {
    pub access: AccessConsent,
    /// The customer that it names, if there is such a one.
    pub psu: Option<PsuId>,
    pub used: i64,
    /// The account that the read is about, and what is in it.
    pub account: Option<(Account, StatementBalance)>,
}

impl Tx<'_> {
    pub fn access_consent_insert(&mut self, access: &AccessConsent) -> Result<(), StoreError> {
        let AccessConsent { consent, terms } = access;
        let day = match terms.valid_until {
            ValidUntil::Date(day) => Some(day.0),
            ValidUntil::Timestamp(_) => None,
        };
        self.execute(
            "INSERT INTO consent (id, application, kind, psu, state, created_at, last_action, authorised_at, due_at,
                scope, recurring, valid_until_day, valid_until, frequency_per_day, combined_service)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)",
            params![
                consent.id.as_bytes(),
                consent.application.as_bytes(),
                consent.kind.name(),
                &consent.psu,
                consent.state.status().name(),
                consent.created_at.0,
                consent.last_action.0,
                since(consent),
                due(consent),
                terms.access.scope().name(),
                terms.recurring,
                day,
                terms.end.0,
                terms.frequency_per_day,
                terms.combined_service
            ],
        )?;
        if let Access::Listed(lists) = &terms.access {
            self.access_list_insert(consent, "accounts", &lists.accounts)?;
            self.access_list_insert(consent, "balances", &lists.balances)?;
            self.access_list_insert(consent, "transactions", &lists.transactions)?;
        }
        Ok(())
    }

    pub fn access_consent_find(
        &mut self,
        application: ApplicationId,
        id: ConsentId,
    ) -> Result<Option<AccessConsent>, StoreError> {
        let found = self.query_opt(
            "SELECT id, application, kind, psu, state, created_at, last_action, authorised_at,
                    valid_until, recurring, scope, valid_until_day, frequency_per_day, combined_service
             FROM consent WHERE id = $1 AND application = $2 AND kind = $3",
            params![id.as_bytes(), application.as_bytes(), ConsentKind::Access.name()],
            |row| Ok((consent(row)?, terms(row)?)),
        )?;
        let Some((consent, terms)) = found else { return Ok(None) };
        self.with_access(consent, terms).map(Some)
    }

    /// The same for a read under it: with the customer that it names, with how often it was used for the same since a
    /// moment, and with the account that the read is about, if it is about one. Every read asks, so all of it is one
    /// statement.
    pub fn access_consent_for_read(
        &mut self,
        application: ApplicationId,
        usage: ConsentUsage<'_>,
        since: Timestamp,
    ) -> Result<Option<ConsentForRead>, StoreError> {
        let mut found = None;
        // A row an owner of the account.
        self.query_each(
            "SELECT c.id, c.application, c.kind, c.psu, c.state, c.created_at, c.last_action, c.authorised_at,
                    c.valid_until, c.recurring, c.scope, c.valid_until_day, c.frequency_per_day, c.combined_service,
                    p.id, (SELECT COUNT(*) FROM consent_use u
                           WHERE u.consent = $1 AND u.endpoint = $4 AND u.subject = $5 AND u.at > $6),
                    a.id, a.ledger, a.kind, a.status, a.usage, a.iban, a.bic, a.currency, a.product, a.name,
                    a.credit_limit_minor, o.psu, l.booked_minor, l.held_minor, l.entry_count, l.floor_minor
             FROM consent c LEFT JOIN psu p ON p.login = c.psu
             LEFT JOIN account a ON a.id = $5 LEFT JOIN ledger_account l ON l.id = a.ledger
             LEFT JOIN account_owner o ON o.account = a.id
             WHERE c.id = $1 AND c.application = $2 AND c.kind = $3 ORDER BY o.place",
            params![
                usage.consent.as_bytes(),
                application.as_bytes(),
                ConsentKind::Access.name(),
                usage.endpoint,
                usage.subject,
                since.0
            ],
            |row| {
                let (_, _, _, _, account) = match &mut found {
                    Some(known) => known,
                    none => none.insert((
                        consent(row)?,
                        terms(row)?,
                        row.opt_id(14, PsuId::new)?,
                        row.int(15)?,
                        joined_account(row, 16)?,
                    )),
                };
                if let Some((account, _)) = account {
                    account.owners.extend(row.opt_id(27, PsuId::new)?);
                }
                Ok(())
            },
        )?;
        let Some((consent, terms, psu, used, account)) = found else { return Ok(None) };
        Ok(Some(ConsentForRead { access: self.with_access(consent, terms)?, psu, used, account }))
    }

    fn with_access(
        &mut self,
        consent: Consent,
        (scope, terms): (Scope, impl FnOnce(Access<StoredReference>) -> AccessTerms),
    ) -> Result<AccessConsent, StoreError> {
        let access = Access::of(scope, || self.access_lists(&consent))?;
        Ok(AccessConsent { consent, terms: terms(access) })
    }

    fn access_list_insert(
        &mut self,
        consent: &Consent,
        list: &str,
        references: &[StoredReference],
    ) -> Result<(), StoreError> {
        for (position, held) in (0_i64..).zip(references) {
            let columns = reference::columns(held);
            self.execute(
                "INSERT INTO consent_access (consent, application, list, position, kind, value, pan_hash, currency)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
                params![
                    consent.id.as_bytes(),
                    consent.application.as_bytes(),
                    list,
                    position,
                    columns.kind,
                    columns.value,
                    columns.pan_hash,
                    columns.currency
                ],
            )?;
        }
        Ok(())
    }

    fn access_lists(&mut self, consent: &Consent) -> Result<AccessLists<StoredReference>, StoreError> {
        let mut lists = AccessLists { accounts: Vec::new(), balances: Vec::new(), transactions: Vec::new() };
        self.query_each(
            "SELECT list, kind, value, pan_hash, currency FROM consent_access
             WHERE consent = $1 AND application = $2 ORDER BY list, position",
            params![consent.id.as_bytes(), consent.application.as_bytes()],
            |row| {
                let held = reference::read(row, 1)?;
                match row.text(0)?.as_str() {
                    "accounts" => lists.accounts.push(held),
                    "balances" => lists.balances.push(held),
                    "transactions" => lists.transactions.push(held),
                    _ => return Err(StoreError::internal("the list of an account reference is unknown")),
                }
                Ok(())
            },
        )?;
        Ok(lists)
    }
}

/// The account of a row that may have one, from the columns that begin at a place.
fn joined_account(row: &Row<'_>, at: usize) -> Result<Option<(Account, StatementBalance)>, StoreError> {
    match row.opt_id(at, AccountId::new)? {
        Some(_) => Ok(Some((account::account(row, at)?, account::money(row, at + 12)?))),
        None => Ok(None),
    }
}

/// The scope, which says whether there are lists to be read, and the terms but for the access.
fn terms(
    row: &Row<'_>,
) -> Result<(Scope, impl FnOnce(Access<StoredReference>) -> AccessTerms + use<>), StoreError> {
    let scope = Scope::parse(row.str(10)?);
    let scope = scope.ok_or_else(|| StoreError::internal("the scope of a consent is unknown"))?;
    let (end, recurring) = (Timestamp(row.int(8)?), row.bool(9)?);
    let day = row.opt_int(11)?.map(i32::try_from).transpose().map_err(StoreError::internal)?;
    let valid_until = day.map_or(ValidUntil::Timestamp(end), |day| ValidUntil::Date(Date(day)));
    let (frequency_per_day, combined_service) = (row.int(12)?, row.bool(13)?);
    let with = move |access| AccessTerms {
        access,
        recurring,
        valid_until,
        end,
        frequency_per_day,
        combined_service,
    };
    Ok((scope, with))
}
