//! Access consents, with the accounts that they list.

use super::usage::ConsentUsage;
use super::{authorised_at, consent, consent_columns, deadline, reference};
use crate::account::{self, account_columns, balance_columns};
use crate::error::{Required, StoreError};
use crate::params;
use crate::tx::Tx;
use crate::value::RowReader;
use trapeza_domain::account::Account;
use trapeza_domain::consent::{
    Access, AccessConsent, AccessLists, AccessOptions, AccessTerms, Consent, ConsentKind, ConsentStatus,
    OfferedRights, OwnerNameScope, OwnerNames, Scope, ValidUntil,
};
use trapeza_domain::id::{ApplicationId, ConsentId, PsuId};
use trapeza_domain::ledger::StatementBalance;
use trapeza_domain::reference::StoredReference;
use trapeza_domain::time::{Date, Timestamp};

/// What a read under a consent needs.
pub struct ConsentForRead {
    pub access: AccessConsent,
    /// The customer whose login the consent has.
    pub psu: Option<PsuId>,
    /// How often the consent was used for the same read.
    pub used: i64,
    /// The account that is read, and its balance.
    pub account: Option<(Account, StatementBalance)>,
}

/// The columns that [`AccessColumns::read`] reads.
macro_rules! access_columns {
    () => {
        "c.valid_until, c.recurring, c.scope, c.valid_until_date, c.frequency_per_day, c.combined_service,
         c.owner_names, c.restricted_to"
    };
}

impl Tx<'_> {
    pub fn access_consent_insert(&mut self, access: &AccessConsent) -> Result<(), StoreError> {
        let AccessConsent { consent, terms } = access;
        let offered = match &terms.access {
            Access::Offered(rights) => Some(*rights),
            _ => None,
        };
        let restricted_to = terms.options.restricted_to.join(",");
        let date = match terms.valid_until {
            ValidUntil::Date(date) => Some(date),
            ValidUntil::Timestamp(_) => None,
        };
        self.execute(
            "INSERT INTO consent (id, application, kind, psu_login, status, created_at, last_action_at, authorised_at,
                deadline, scope, recurring, valid_until_date, valid_until, frequency_per_day, combined_service,
                offered_balances, offered_transactions, owner_names, restricted_to)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)",
            params![
                consent.id,
                consent.application,
                consent.kind.name(),
                &consent.psu,
                consent.state.status().name(),
                consent.created_at,
                consent.last_action,
                authorised_at(consent),
                deadline(consent),
                terms.access.scope().name(),
                terms.recurring,
                date,
                terms.end,
                terms.frequency_per_day,
                terms.combined_service,
                offered.map(|rights| rights.balances),
                offered.map(|rights| rights.transactions),
                terms.options.owner_names.scope().name(),
                (!restricted_to.is_empty()).then_some(&restricted_to)
            ],
        )?;
        if let OwnerNames::Listed(list) = &terms.options.owner_names {
            self.access_list_insert(consent, OWNER_NAMES, list)?;
        }
        self.access_lists_insert(access)
    }

    fn access_lists_insert(&mut self, access: &AccessConsent) -> Result<(), StoreError> {
        let Access::Listed(lists) = &access.terms.access else { return Ok(()) };
        self.access_list_insert(&access.consent, "accounts", &lists.accounts)?;
        self.access_list_insert(&access.consent, "balances", &lists.balances)?;
        self.access_list_insert(&access.consent, "transactions", &lists.transactions)
    }

    /// Stores the accounts that the customer has chosen for a consent that named none.
    pub fn access_consent_choose(&mut self, access: &AccessConsent) -> Result<(), StoreError> {
        let AccessConsent { consent, terms } = access;
        self.update_one(
            "consent without accounts",
            "UPDATE consent SET scope = $3 WHERE id = $1 AND application = $2 AND scope = $4",
            params![consent.id, consent.application, terms.access.scope().name(), Scope::Offered.name()],
        )?;
        self.access_lists_insert(access)
    }

    pub fn access_consent_find(
        &mut self,
        application: ApplicationId,
        id: ConsentId,
    ) -> Result<Option<AccessConsent>, StoreError> {
        let found = self.query_opt(
            concat!(
                "SELECT ",
                consent_columns!(),
                ", ",
                access_columns!(),
                " FROM consent c WHERE c.id = $1 AND c.application = $2 AND c.kind = $3"
            ),
            params![id, application, ConsentKind::Access.name()],
            |row| Ok((consent(row)?, AccessColumns::read(row)?)),
        )?;
        found.map(|(consent, columns)| self.access_consent(consent, columns)).transpose()
    }

    /// The consent with its customer, its usage since a time and the account that is read, if it is one. Every read needs
    /// all of it, so it is one statement. A valid consent of a former customer is not found.
    pub fn access_consent_for_read(
        &mut self,
        application: ApplicationId,
        usage: ConsentUsage,
        since: Timestamp,
    ) -> Result<Option<ConsentForRead>, StoreError> {
        let mut found = None;
        // One row per owner of the account.
        self.query_each(
            concat!(
                "SELECT o.psu, ",
                consent_columns!(),
                ", ",
                access_columns!(),
                ", p.id, (SELECT COUNT(*) FROM consent_usage u
                          WHERE u.consent = $1 AND u.endpoint = $4 AND u.subject = $5 AND u.used_at > $6), ",
                account_columns!(),
                ", ",
                balance_columns!(),
                " FROM consent c LEFT JOIN psu p ON p.login = c.psu_login
                 LEFT JOIN account a ON a.id = $5 LEFT JOIN ledger_account l ON l.id = a.ledger_account
                 LEFT JOIN account_owner o ON o.account = a.id
                 WHERE c.id = $1 AND c.application = $2 AND c.kind = $3 AND (p.closed_at IS NULL OR c.status <> $7)
                 ORDER BY o.position"
            ),
            params![
                usage.consent,
                application,
                ConsentKind::Access.name(),
                usage.endpoint,
                usage.subject_or_nil(),
                since,
                ConsentStatus::Valid.name()
            ],
            |row| {
                let owner: Option<PsuId> = row.read()?;
                if found.is_none() {
                    let (consent, columns) = (consent(row)?, AccessColumns::read(row)?);
                    found = Some((consent, columns, row.read()?, row.read()?, joined_account(row)?));
                }
                if let Some((_, _, _, _, Some((account, _)))) = &mut found {
                    account.owners.extend(owner);
                }
                Ok(())
            },
        )?;
        let Some((consent, columns, psu, used, account)) = found else { return Ok(None) };
        Ok(Some(ConsentForRead { access: self.access_consent(consent, columns)?, psu, used, account }))
    }

    fn access_consent(
        &mut self,
        consent: Consent,
        columns: AccessColumns,
    ) -> Result<AccessConsent, StoreError> {
        let mut lists = AccessLists { accounts: Vec::new(), balances: Vec::new(), transactions: Vec::new() };
        let mut named = Vec::new();
        if columns.scope == Scope::Listed || columns.owner_names == OwnerNameScope::Listed {
            self.access_lists(&consent, &mut lists, &mut named)?;
        }
        let owner_names = match columns.owner_names {
            OwnerNameScope::Hidden => OwnerNames::Hidden,
            OwnerNameScope::All => OwnerNames::All,
            OwnerNameScope::Listed => OwnerNames::Listed(named),
        };
        let restricted_to = columns.restricted_to.iter().flat_map(|all| all.split(',')).map(str::to_owned);
        let options = AccessOptions { owner_names, restricted_to: restricted_to.collect() };
        let access = match columns.scope {
            Scope::Listed => Access::Listed(lists),
            Scope::Offered => Access::Offered(self.offered_rights(&consent)?),
            scope => Access::of_scope(scope).required("scope without data")?,
        };
        let AccessColumns { recurring, end, date, frequency_per_day, combined_service, .. } = columns;
        let valid_until = date.map_or(ValidUntil::Timestamp(end), ValidUntil::Date);
        let terms =
            AccessTerms { access, options, recurring, valid_until, end, frequency_per_day, combined_service };
        Ok(AccessConsent { consent, terms })
    }

    fn access_list_insert(
        &mut self,
        consent: &Consent,
        list: &str,
        references: &[StoredReference],
    ) -> Result<(), StoreError> {
        for (position, reference) in (0_i64..).zip(references) {
            let columns = reference::columns(reference);
            self.execute(
                "INSERT INTO consent_access (consent, application, list, position, kind, value, pan_hash, currency)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
                params![
                    consent.id,
                    consent.application,
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

    /// What the third party asked for, while the customer chooses the accounts and has not authorised the consent. The choice is the
    /// third party's to know only afterwards.
    pub fn consent_offer_pending(
        &mut self,
        application: ApplicationId,
        id: ConsentId,
    ) -> Result<Option<OfferedRights>, StoreError> {
        self.query_opt(
            "SELECT offered_balances, offered_transactions FROM consent
             WHERE id = $1 AND application = $2 AND offered_balances IS NOT NULL AND authorised_at IS NULL",
            params![id, application],
            |row| Ok(OfferedRights { balances: row.read()?, transactions: row.read()? }),
        )
    }

    fn offered_rights(&mut self, consent: &Consent) -> Result<OfferedRights, StoreError> {
        self.query_one(
            "SELECT offered_balances, offered_transactions FROM consent WHERE id = $1 AND application = $2",
            params![consent.id, consent.application],
            |row| Ok(OfferedRights { balances: row.read()?, transactions: row.read()? }),
        )
    }

    /// Reads the accounts that a consent lists, and those whose owners it names.
    fn access_lists(
        &mut self,
        consent: &Consent,
        lists: &mut AccessLists<StoredReference>,
        named: &mut Vec<StoredReference>,
    ) -> Result<(), StoreError> {
        self.query_each(
            "SELECT list, kind, value, pan_hash, currency FROM consent_access
             WHERE consent = $1 AND application = $2 ORDER BY list, position",
            params![consent.id, consent.application],
            |row| {
                let list = match row.read()? {
                    "accounts" => &mut lists.accounts,
                    "balances" => &mut lists.balances,
                    "transactions" => &mut lists.transactions,
                    OWNER_NAMES => &mut *named,
                    _ => return Err(StoreError::internal("unknown list of an access consent")),
                };
                list.push(reference::read(row)?);
                Ok(())
            },
        )
    }
}

/// The columns of an access consent that a funds consent does not have.
struct AccessColumns {
    end: Timestamp,
    recurring: bool,
    /// Says whether there are lists to be read.
    scope: Scope,
    date: Option<Date>,
    frequency_per_day: i64,
    combined_service: bool,
    owner_names: OwnerNameScope,
    /// Types of accounts, separated by commas.
    restricted_to: Option<String>,
}

/// The list of accounts whose owners are named.
const OWNER_NAMES: &str = "ownerNames";

impl AccessColumns {
    fn read(row: &mut RowReader<'_>) -> Result<Self, StoreError> {
        Ok(Self {
            end: row.read()?,
            recurring: row.read()?,
            scope: row.parse(Scope::parse)?,
            date: row.read()?,
            frequency_per_day: row.read()?,
            combined_service: row.read()?,
            owner_names: row.parse(OwnerNameScope::parse)?,
            restricted_to: row.read()?,
        })
    }
}

/// The account of an outer join.
fn joined_account(row: &mut RowReader<'_>) -> Result<Option<(Account, StatementBalance)>, StoreError> {
    if row.next_is_null()? {
        return Ok(None);
    }
    Ok(Some((account::account(row)?, account::balance(row)?)))
}
