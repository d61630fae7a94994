//! Verification of the payee's name: by lookup for accounts of this bank, by a remote verifier for others. The remote
//! answer is awaited before the transaction that stores it.

use crate::{App, StoreError, UseCaseError};
use std::future::Future;
use std::pin::Pin;
use trapeza_domain::account::{AccountStatus, AccountUsage};
use trapeza_domain::id::{ApplicationId, PaymentId};
use trapeza_domain::payee_verification::{PayeeVerification, VerifiedPayee, verify_payee_name};
use trapeza_domain::payment::{Payment, PaymentState};
use trapeza_domain::reference::Iban;
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

impl App {
    /// Asks the remote verifier about a payee at another bank, once per payment.
    pub(crate) async fn payee_verify_remote(
        &self,
        application: ApplicationId,
        id: PaymentId,
    ) -> Result<Option<VerifiedPayee>, UseCaseError> {
        let Some(verifier) = &self.ports.payee_verifier else { return Ok(None) };
        let (now, collection) = (self.now(), self.settings.payments.collection);
        let not_found = self.store.read(move |tx| {
            let Some(payment) = tx.payment_find(application, id)? else { return Ok(None) };
            let waits =
                payment.payee_verification.is_none() && payment.as_of(now).state == PaymentState::Received;
            let creditor = &payment.instruction.creditor;
            let ours = !waits || collection == Some(*creditor) || owners(tx, creditor)?.is_some();
            Ok((!ours).then_some((payment.instruction.creditor, payment.instruction.creditor_name)))
        });
        match not_found.await? {
            Some((iban, name)) => Ok(verifier.verify(&iban, &name).await),
            None => Ok(None),
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
    remote_check: Option<VerifiedPayee>,
    own: Option<OwnPayee<'_>>,
) -> Result<(Payment, Option<VerifiedPayee>), StoreError> {
    if payment.payee_verification.is_some() {
        return Ok((payment, None));
    }
    let name = &payment.instruction.creditor_name;
    let creditor = &payment.instruction.creditor;
    let owners = match own.filter(|own| own.iban == *creditor) {
        Some(own) => Some((vec![own.bank_name.to_owned()], AccountUsage::Organisation)),
        None => owners(tx, creditor)?,
    };
    let found = match owners {
        Some((owners, usage)) => verify_payee_name(name, &owners, usage),
        None => remote_check.unwrap_or_else(|| VerifiedPayee::new(PayeeVerification::NotPossible, None)),
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
