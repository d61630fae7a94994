//! Bank-offered consents: the customer chooses the accounts on the bank's page. The choice becomes the consent's access, and the
//! digest of the authorisation covers it.

use super::RedirectView;
use super::account_offer::selectable_accounts;
use super::context::StepContext;
use super::credential_step::select_single_method;
use super::redirect::{is_signed_in, view};
use super::step::{check_redirect_session, load, no_choice, redirect_not_found};
use super::target::LoadedTarget;
use crate::{App, UseCaseError, audit};
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::consent::{AccessConsent, ChosenAccount};
use trapeza_domain::field::Field;
use trapeza_domain::id::{AccountId, PsuId};
use trapeza_domain::reference::AccountReference;
use trapeza_domain::refusal::Refusal;
use trapeza_store::{AuthorisationRecord, Tx};
use trapeza_texts::Language;

/// An account that the customer has chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccountChoice {
    pub account: AccountId,
    pub balances: bool,
    pub transactions: bool,
}

impl App {
    /// Stores the accounts that the customer has chosen on the page.
    pub async fn redirect_choose_accounts(
        &self,
        token: &str,
        session: &str,
        language: Language,
        choice: Vec<AccountChoice>,
    ) -> Result<RedirectView, UseCaseError> {
        let (context, request) = self.redirect_context(token, session).await?;
        let context = StepContext { language: Some(language), ..context };
        self.store
            .write(move |tx| {
                let (loaded, record) = load(tx, &context, &request, redirect_not_found)?;
                let record = check_redirect_session(&context, record)?;
                let psu = record.authorisation.psu.filter(|_| is_signed_in(&record));
                let (LoadedTarget::Access(access), Some(psu)) = (loaded, psu) else {
                    return Err(no_choice().into());
                };
                let access = choose(tx, &context, access, psu, &choice)?;
                let loaded = LoadedTarget::Access(access);
                let record = AuthorisationRecord { link: loaded.digest(&context.organisation), ..record };
                tx.authorisation_linking_digest_set(&record.authorisation, &record.link)?;
                let record = select_single_method(tx, &context, &loaded, record)?;
                tx.authorisation_update(&record)?;
                view(tx, &context, &loaded, &record)
            })
            .await
    }
}

/// The consent with the customer's choice, stored.
fn choose(
    tx: &mut Tx<'_>,
    context: &StepContext,
    access: AccessConsent,
    psu: PsuId,
    choice: &[AccountChoice],
) -> Result<AccessConsent, UseCaseError> {
    let own = selectable_accounts(tx, &access.terms, psu)?;
    let mut chosen = Vec::new();
    for one in choice {
        let account = own.iter().find(|account| account.id == one.account);
        let account =
            account.ok_or_else(|| Refusal::malformed(Field::Accounts, "is not an account of yours"))?;
        let reference = AccountReference::iban(account.iban, Some(account.currency));
        let account = reference.to_stored(|_| [0; 32]);
        chosen.push(ChosenAccount { account, balances: one.balances, transactions: one.transactions });
    }
    let access = AccessConsent { terms: access.terms.with_choice(&chosen)?, consent: access.consent };
    tx.access_consent_choose(&access)?;
    let event = AuditEvent::new("consent.accounts_chosen", "consent", access.consent.id);
    audit::record(tx, context.now(), Actor::Psu(psu), &event.with("accounts", chosen.len()))?;
    Ok(access)
}
