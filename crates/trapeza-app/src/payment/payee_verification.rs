//! Verification of the payee's name: by lookup for accounts of this bank, by a remote verifier for others. The remote
//! answer is awaited before the transaction that stores it.

use crate::{App, StoreError, UseCaseError};
use std::future::Future;
use std::pin::Pin;
use std::time::Instant;
use trapeza_domain::account::{AccountStatus, AccountUsage};
use trapeza_domain::id::{ApplicationId, PaymentId};
use trapeza_domain::payee_verification::{PayeeVerification, VerifiedPayee, verify_payee_name};
use trapeza_domain::payment::{Payment, PaymentState};
use trapeza_domain::reference::Iban;
use trapeza_domain::signing_basket::BasketMember;
use trapeza_store::Tx;

/// Verifies names of customers of other banks.
pub trait PayeeVerifier: Send + Sync {
    /// `None` when there is no answer in time.
    fn verify<'a>(
        &'a self,
        iban: &'a Iban,
        name: &'a str,
    ) -> Pin<Box<dyn Future<Output = Option<VerifiedPayee>> + Send + 'a>>;
}

/// How a payee's name is verified, as decided before the transaction.
#[derive(Clone, Debug, Default)]
pub(crate) struct PayeeCheck {
    /// What another bank has answered.
    remote: Option<VerifiedPayee>,
    /// The budget is spent: the name is not compared.
    is_over_budget: bool,
    /// The account whose budget a mismatch counts against.
    iban: Option<Iban>,
}

/// The checks of all payees that an authorisation is about.
#[derive(Clone, Debug, Default)]
pub(crate) struct PayeeChecks(Vec<(Option<PaymentId>, PayeeCheck)>);

impl From<PayeeCheck> for PayeeChecks {
    fn from(check: PayeeCheck) -> Self {
        Self(vec![(None, check)])
    }
}

impl PayeeChecks {
    /// The check of one payment: its own, or the only one.
    pub(crate) fn of(&self, id: PaymentId) -> PayeeCheck {
        let found = self.0.iter().find(|(own, _)| own.is_none_or(|own| own == id));
        found.map(|(_, check)| check.clone()).unwrap_or_default()
    }
}

impl App {
    /// The checks of the payments among the members of a signing basket.
    pub(crate) async fn payee_checks_prepare(
        &self,
        application: ApplicationId,
        members: &[BasketMember],
    ) -> Result<PayeeChecks, UseCaseError> {
        let mut checks = Vec::new();
        for member in members {
            if let BasketMember::Payment(id) = *member {
                checks.push((Some(id), self.payee_check_prepare(application, id).await?));
            }
        }
        Ok(PayeeChecks(checks))
    }

    /// Counts a mismatch that is reported to the third party, which does not learn which payee of several it is.
    pub(crate) fn payee_mismatches_record(
        &self,
        application: ApplicationId,
        checks: &PayeeChecks,
        reported: Option<PayeeVerification>,
    ) {
        checks.0.iter().for_each(|(_, check)| self.payee_mismatch_record(application, check, reported));
    }

    /// Checks the budgets and asks the remote verifier about a payee at another bank, once per payment.
    pub(crate) async fn payee_check_prepare(
        &self,
        application: ApplicationId,
        id: PaymentId,
    ) -> Result<PayeeCheck, UseCaseError> {
        let (verifier, budget) = (&self.ports.payee_verifier, &self.settings.payee_budget);
        let sandbox = &self.settings.sandbox;
        if verifier.is_none() && budget.is_none() && sandbox.is_none() {
            return Ok(PayeeCheck::default());
        }
        let now = self.now();
        let waiting = self.store.read(move |tx| {
            let Some(payment) = tx.payment_find(application, id)? else { return Ok(None) };
            let waits = payment.payee_verification.is_none()
                && payment.instruction.bulk.is_none()
                && payment.as_of(now).state == PaymentState::Received;
            let instruction = payment.instruction;
            Ok(waits.then_some((instruction.creditor, instruction.creditor_name)))
        });
        match waiting.await? {
            Some((iban, name)) => self.payee_check_new(application, iban, &name).await,
            None => Ok(PayeeCheck::default()),
        }
    }

    /// Like [`Self::payee_check_prepare`], for a payment that is about to be created.
    pub(crate) async fn payee_check_new(
        &self,
        application: ApplicationId,
        iban: Iban,
        name: &str,
    ) -> Result<PayeeCheck, UseCaseError> {
        let (verifier, budget) = (&self.ports.payee_verifier, &self.settings.payee_budget);
        let (sandbox, collection) = (&self.settings.sandbox, self.settings.payments.collection);
        if budget.as_ref().is_some_and(|budget| budget.is_spent(application, iban, Instant::now())) {
            metrics::counter!("trapeza_rate_limited_total", "limit" => "payee_mismatches").increment(1);
            return Ok(PayeeCheck { is_over_budget: true, ..PayeeCheck::default() });
        }
        let ours =
            collection == Some(iban) || self.store.read(move |tx| Ok(owners(tx, &iban)?.is_some())).await?;
        let remote = match verifier {
            Some(verifier) if !ours => verifier.verify(&iban, name).await,
            None if !ours => sandbox.and_then(|sandbox| sandbox.payee_verification(name)),
            _ => None,
        };
        Ok(PayeeCheck { remote, is_over_budget: false, iban: Some(iban) })
    }

    /// Asks the remote verifier about the payee of a payment that a customer creates in the app. No budget is used: the customer is
    /// signed in and pays.
    pub(crate) async fn payee_check_remote(&self, iban: &Iban, name: &str) -> PayeeCheck {
        let remote = match &self.ports.payee_verifier {
            Some(verifier) => verifier.verify(iban, name).await,
            None => self.settings.sandbox.and_then(|sandbox| sandbox.payee_verification(name)),
        };
        PayeeCheck { remote, ..PayeeCheck::default() }
    }

    /// Counts a mismatch that is reported to the third party.
    fn payee_mismatch_record(
        &self,
        application: ApplicationId,
        check: &PayeeCheck,
        reported: Option<PayeeVerification>,
    ) {
        let is_mismatch = matches!(reported, Some(PayeeVerification::Close | PayeeVerification::NoMatch));
        if let (Some(budget), Some(iban), true) = (&self.settings.payee_budget, check.iban, is_mismatch) {
            budget.record(application, iban, Instant::now());
        }
    }

    /// Drops what the budgets of payee verification no longer need; called periodically.
    pub fn payee_budget_prune(&self) {
        if let Some(budget) = &self.settings.payee_budget {
            budget.prune(Instant::now());
        }
    }
}

/// The bank itself as the owner of its collection account.
#[derive(Clone, Copy)]
pub(crate) struct OwnPayee<'a> {
    pub iban: Iban,
    pub bank_name: &'a str,
}

/// Verifies the payee's name once and stores the result. Returns the result where it is a warning.
pub(crate) fn with_payee_verification(
    tx: &mut Tx<'_>,
    payment: Payment,
    check: PayeeCheck,
    own: Option<OwnPayee<'_>>,
) -> Result<(Payment, Option<VerifiedPayee>), StoreError> {
    // The payees of a bulk are not verified: a list of names would tell a third party who owns which accounts.
    if payment.payee_verification.is_some() || payment.instruction.bulk.is_some() {
        return Ok((payment, None));
    }
    let name = &payment.instruction.creditor_name;
    let not_possible = || VerifiedPayee::new(PayeeVerification::NotPossible, None);
    let creditor = &payment.instruction.creditor;
    let owners = match own.filter(|own| own.iban == *creditor) {
        Some(own) => Some((vec![own.bank_name.to_owned()], AccountUsage::Organisation)),
        None => owners(tx, creditor)?,
    };
    let found = match owners {
        _ if check.is_over_budget => not_possible(),
        Some((owners, usage)) => verify_payee_name(name, &owners, usage),
        None => check.remote.unwrap_or_else(not_possible),
    };
    let payment = Payment { payee_verification: Some(found.clone()), ..payment };
    tx.payment_update(&payment)?;
    Ok((payment, Some(found).filter(|found| found.result().is_warning())))
}

/// The owners' names of the accounts with this IBAN, and whether they are persons or an organisation. `None` when this bank
/// has no such account.
fn owners(tx: &mut Tx<'_>, iban: &Iban) -> Result<Option<(Vec<String>, AccountUsage)>, StoreError> {
    let mut found: Option<(Vec<String>, AccountUsage)> = None;
    for account in tx.account_by_iban(iban)? {
        if account.status != AccountStatus::Deleted {
            let (owners, _) = found.get_or_insert_with(|| (Vec::new(), account.usage));
            for name in tx.account_owner_names(account.id)? {
                // Accounts in several currencies share the IBAN and the owners.
                if !owners.contains(&name) {
                    owners.push(name);
                }
            }
        }
    }
    Ok(found)
}
