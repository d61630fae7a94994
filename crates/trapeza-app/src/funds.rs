//! Confirmation of funds: yes or no under a funds consent, with quotas so that repeated questions do not reveal the
//! balance.

use crate::authentication::Tpp;
use crate::idempotency::{IdempotentOutcome, IdempotentRequest};
use crate::{App, Keyring, Required, UseCaseError};
use trapeza_domain::account::{Account, AccountStatus};
use trapeza_domain::consent::{ConsentKind, ConsentState, FundsConsent, matches_account};
use trapeza_domain::field::Field;
use trapeza_domain::id::{ApplicationId, ConsentId};
use trapeza_domain::money::Money;
use trapeza_domain::reference::{AccountReference, Pan};
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::time::{TimeDelta, Timestamp};
use trapeza_store::{ConsentUsage, StoreError, Tx};

/// The quotas of a consent: few enough that repeated questions do not reveal the balance.
const BUDGETS: [(i64, TimeDelta); 2] = [(10, TimeDelta::minutes(10)), (60, TimeDelta::hours(24))];

/// A request for a confirmation of funds.
#[derive(Clone, Debug)]
pub struct FundsConfirmationRequest {
    pub account: AccountReference,
    pub card: Option<Pan>,
    pub amount: Money,
}

impl App {
    /// Whether the amount is available now. A replay gets the recorded answer and uses no quota.
    pub async fn funds_confirm(
        &self,
        request: IdempotentRequest,
        tpp: &Tpp,
        consent: &str,
        question: FundsConfirmationRequest,
    ) -> Result<IdempotentOutcome<bool>, UseCaseError> {
        self.confirm(request, tpp, Some(ConsentId::parse(consent)), question).await
    }

    /// The same under the one valid consent of the third party for the account.
    pub async fn funds_confirm_by_account(
        &self,
        request: IdempotentRequest,
        tpp: &Tpp,
        question: FundsConfirmationRequest,
    ) -> Result<IdempotentOutcome<bool>, UseCaseError> {
        self.confirm(request, tpp, None, question).await
    }

    /// `consent` is the named one, which may be an id that cannot be parsed.
    async fn confirm(
        &self,
        request: IdempotentRequest,
        tpp: &Tpp,
        consent: Option<Option<ConsentId>>,
        question: FundsConfirmationRequest,
    ) -> Result<IdempotentOutcome<bool>, UseCaseError> {
        let (application, now) = (tpp.application, self.now());
        let keyring = self.keyring.clone();
        self.store
            .write(move |tx| {
                if let Some(before) = request.find(tx)? {
                    return Ok(IdempotentOutcome::replayed(before.outcome == "there"));
                }
                let not_found =
                    || Refusal::at(RefusalReason::ConsentUnknown, Field::UsedFundsConsent, "unknown consent");
                let id = match consent {
                    Some(named) => named.ok_or_else(not_found)?,
                    None => only_consent(tx, application, &question.account, &keyring)?,
                };
                tx.consent_lock(application, id, ConsentKind::Funds)?.ok_or_else(not_found)?;
                let funds = tx.funds_consent_find(application, id)?.ok_or_else(not_found)?;
                check_standing(&funds, now)?;
                let account = covered_account(tx, &funds, &question)?;
                check_card(tx, &funds, &account, question.card.as_ref().map(|pan| keyring.pan_hash(pan)))?;
                spend(tx, id, now)?;
                let there = is_there(tx, &account, question.amount)?;
                request.record(tx, if there { "there" } else { "not there" }, id.as_bytes(), now)?;
                Ok(IdempotentOutcome::fresh(there))
            })
            .await
    }
}

/// The one valid consent of the third party for an account.
fn only_consent(
    tx: &mut Tx<'_>,
    application: ApplicationId,
    account: &AccountReference,
    keyring: &Keyring,
) -> Result<ConsentId, UseCaseError> {
    let account = account.to_stored(|pan| keyring.pan_hash(pan));
    match tx.funds_consent_list_by_account(application, &account)?.as_slice() {
        [only] => Ok(*only),
        [] => {
            let text = "there is no valid consent to confirm funds on this account";
            Err(Refusal::at(RefusalReason::FundsNotActivated, Field::Account, text).into())
        }
        _ => {
            let text = "is required: there are several valid consents for this account";
            Err(Refusal::malformed(Field::UsedFundsConsent, text).into())
        }
    }
}

fn check_standing(funds: &FundsConsent, now: Timestamp) -> Result<(), Refusal> {
    match funds.consent.as_of(now).state {
        ConsentState::Valid { .. } => Ok(()),
        state => {
            let text = format!("the consent is not valid: it is {}", state.status().name());
            Err(Refusal::at(RefusalReason::ConsentInvalid, Field::UsedFundsConsent, text))
        }
    }
}

/// The account of the request, which must be the account of the consent.
fn covered_account(
    tx: &mut Tx<'_>,
    funds: &FundsConsent,
    question: &FundsConfirmationRequest,
) -> Result<Account, UseCaseError> {
    let psu = tx.psu_by_login(&funds.consent.psu)?;
    let (psu, _) = psu.required("customer")?;
    let named = question.account.to_stored(|_| [0; 32]);
    let accounts = tx.account_list(psu.id)?;
    let covered = accounts.into_iter().filter(|account| matches_account(&funds.terms.account, account));
    let account = covered.into_iter().find(|account| matches_account(&named, account));
    let account = account.ok_or_else(|| {
        let text = "the consent is for another account or currency";
        Refusal::at(RefusalReason::Inconsistent, Field::Account, text)
    })?;
    if account.currency != question.amount.currency {
        let path = [Field::InstructedAmount, Field::Currency];
        let text = "the account is in another currency";
        return Err(Refusal::at(RefusalReason::Inconsistent, path, text).into());
    }
    if account.status == AccountStatus::Deleted {
        let text = "the account does not take part in funds confirmations";
        return Err(Refusal::at(RefusalReason::FundsNotActivated, Field::Account, text).into());
    }
    Ok(account)
}

/// A named card must be the card of the consent, or a card of the account where the consent names none.
fn check_card(
    tx: &mut Tx<'_>,
    funds: &FundsConsent,
    account: &Account,
    pan_hash: Option<[u8; 32]>,
) -> Result<(), UseCaseError> {
    let Some(pan_hash) = pan_hash else { return Ok(()) };
    let fits = match &funds.terms.card_number {
        Some(card) => card.hash == pan_hash,
        None => tx.card_by_pan_hash(&pan_hash)?.is_some_and(|card| card.account == account.id),
    };
    if fits {
        return Ok(());
    }
    Err(Refusal::at(RefusalReason::CardInvalid, Field::CardNumber, "the card does not belong to the consent")
        .into())
}

fn spend(tx: &mut Tx<'_>, consent: ConsentId, now: Timestamp) -> Result<(), UseCaseError> {
    let usage = ConsentUsage { consent, endpoint: "funds confirmation", subject: None };
    for (max, window) in BUDGETS {
        let (used, oldest) = tx.consent_usage_count(usage, now.minus(window))?;
        if used >= max {
            let text = format!(
                "at most {max} confirmations in {} minutes are allowed under this consent",
                window.0 / 60_000_000
            );
            let retry_after = oldest.map_or(window, |oldest| oldest.plus(window).since(now));
            return Err(Refusal::at(RefusalReason::AccessExceeded, Field::UsedFundsConsent, text)
                .retry_after(retry_after)
                .into());
        }
    }
    tx.consent_usage_insert(usage, now)?;
    Ok(tx.consent_last_used_set(consent, now)?)
}

/// Held amounts are not available, and nothing is available on a blocked account.
fn is_there(tx: &mut Tx<'_>, account: &Account, amount: Money) -> Result<bool, StoreError> {
    let found = tx.ledger_account_find(account.ledger)?.and_then(|account| account.statement);
    let statement = found.ok_or_else(|| StoreError::internal("an account has no statement"))?;
    let free = statement.booked.saturating_sub(statement.held).saturating_sub(statement.floor);
    Ok(account.status == AccountStatus::Enabled && amount.minor <= free)
}
