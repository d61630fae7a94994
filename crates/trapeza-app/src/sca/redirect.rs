//! The redirect approach: the customer authorises on the bank's own page. The first browser that opens the link owns it,
//! so that an intercepted link is useless afterwards. Forms, pictures and cookies are the web crate's.

use super::account_offer::{AccountOffer, offer};
use super::approval_request::{ApprovalRequest, approval_request};
use super::context::{Channel, StepContext};
use super::description::description;
use super::step::{
    Step, StepOutcome, StepRequest, check_redirect_session, load, redirect_not_found, save_transition,
};
use super::step_result::{AuthorisationView, StepResult, redirect_token};
use super::target::LoadedTarget;
use crate::device::session_token_hash;
use crate::{App, UseCaseError};
use subtle::ConstantTimeEq;
use trapeza_domain::authorisation::throttle::MAX_RESENDS;
use trapeza_domain::authorisation::{
    NextStep, REDIRECT_TTL, ScaApproach, ScaState, Target, TargetKind, next_steps,
};
use trapeza_domain::id::AuthorisationId;
use trapeza_domain::payment::PaymentRejection;
use trapeza_store::{AuthorisationRecord, RedirectSession, Tx};
use trapeza_texts::Language;

/// What the redirect page shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedirectView {
    pub authorisation: AuthorisationView,
    pub target: Target,
    pub psu_name: String,
    pub tpp_name: String,
    /// The authorisation number in the third party's certificate.
    pub organisation: String,
    /// What the customer approves, after "… asks to".
    pub description: String,
    /// What the customer approves, as values. Present after the password, because it names accounts.
    pub request: Option<ApprovalRequest>,
    /// The accounts to choose from, where the third party has named none. The request is approved after the choice.
    pub offer: Option<AccountOffer>,
    /// The right password was entered here.
    pub signed_in: bool,
    /// The challenge still accepts an OTP.
    pub otp_open: bool,
    /// One more OTP may be requested, now or after a short wait.
    pub otp_resend: bool,
    /// The target was authorised with success. A finalised authorisation of another customer's account is not.
    pub granted: bool,
    /// Why the payment that was to be made was rejected. Present for the customer who authorised it.
    pub rejection: Option<PaymentRejection>,
    pub redirect_uri: Option<String>,
    pub nok_redirect_uri: Option<String>,
}

/// What a link shows before it is opened, or in another browser: enough to start, and to find the way back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedirectPreview {
    pub tpp_name: String,
    pub kind: TargetKind,
    /// The link was not opened yet and can still be.
    pub unopened: bool,
    pub redirect_uri: Option<String>,
    pub nok_redirect_uri: Option<String>,
}

impl App {
    /// Reads a link without an effect, because link previews open links, too.
    pub async fn redirect_preview(&self, token: &str) -> Result<RedirectPreview, UseCaseError> {
        let (record, now) = (self.redirect_record(token).await?, self.now());
        let next = next_steps(&record.authorisation, record.challenge.as_ref(), now);
        Ok(RedirectPreview {
            kind: record.authorisation.target.kind(),
            unopened: record.redirect_session.is_none() && next.contains(&NextStep::ScaRedirect),
            tpp_name: record.tpp_name,
            redirect_uri: record.redirect_uri,
            nok_redirect_uri: record.nok_redirect_uri,
        })
    }

    /// Opens a link in the browser with this session token: for the first time, or again in the same browser.
    pub async fn redirect_open(&self, token: &str, session: &str) -> Result<RedirectView, UseCaseError> {
        let (context, request) = self.redirect_context(token, session).await?;
        self.store
            .write(move |tx| {
                let (loaded, record) = load(tx, &context, &request, redirect_not_found)?;
                let record = match record.redirect_session {
                    Some(_) => check_redirect_session(&context, record)?,
                    None => open_first(tx, &context, record)?,
                };
                tx.authorisation_update(&record)?;
                view(tx, &context, &loaded, &record)
            })
            .await
    }

    /// What the page shows as of now.
    pub async fn redirect_view(&self, token: &str, session: &str) -> Result<RedirectView, UseCaseError> {
        let (context, request) = self.redirect_context(token, session).await?;
        self.store
            .write(move |tx| {
                let (loaded, record) = load(tx, &context, &request, redirect_not_found)?;
                view(tx, &context, &loaded, &check_redirect_session(&context, record)?)
            })
            .await
    }

    /// Takes a step on the page. Messages that it sends are in the language of the page.
    pub async fn redirect_step(
        &self,
        token: &str,
        session: &str,
        language: Language,
        step: Step,
    ) -> Result<RedirectView, UseCaseError> {
        let (first, request) = self.redirect_context(token, session).await?;
        let (application, organisation, channel) = (first.application, first.organisation, first.channel);
        let context = || StepContext {
            language: Some(language),
            ..self.step_context(application, organisation.clone(), channel)
        };
        match self.run_step(context, request, step).await? {
            StepOutcome::Refused(refusal) => Err(refusal.into()),
            StepOutcome::Done(_) | StepOutcome::Replayed(_) => self.redirect_view(token, session).await,
        }
    }

    /// The customer rejects. After the password this rejects the target; before it, it only ends the authorisation.
    pub async fn redirect_reject(&self, token: &str, session: &str) -> Result<RedirectView, UseCaseError> {
        let (context, request) = self.redirect_context(token, session).await?;
        let rejected = self.store.write(move |tx| {
            let (loaded, record) = load(tx, &context, &request, redirect_not_found)?;
            let record = check_redirect_session(&context, record)?;
            let psu = record.authorisation.psu.filter(|_| is_signed_in(&record));
            let shown = view(tx, &context, &loaded, &record)?;
            let failed = record.authorisation.clone().fail(context.now())?;
            let record =
                save_transition(tx, &context, AuthorisationRecord { challenge: None, ..record }, failed)?;
            if let Some(psu) = psu {
                loaded.reject(tx, psu, context.now())?;
            }
            let result = StepResult::new(&record, context.now());
            Ok(RedirectView { authorisation: result.view(tx, context.keyring(), &record)?, ..shown })
        });
        rejected.await
    }

    pub(super) async fn redirect_context(
        &self,
        token: &str,
        session: &str,
    ) -> Result<(StepContext, StepRequest), UseCaseError> {
        let AuthorisationRecord { authorisation, organisation, .. } = self.redirect_record(token).await?;
        let session = session_token_hash(&self.keyring, session);
        let channel = Channel::Redirect { session };
        let context = self.step_context(authorisation.application, organisation, channel);
        let (target, id) = (Ok(authorisation.target), Some(authorisation.id));
        Ok((context, StepRequest { idempotency: None, target, id, payment: None }))
    }

    /// The authorisation of a link. A token that the bank did not issue matches none.
    async fn redirect_record(&self, token: &str) -> Result<AuthorisationRecord, UseCaseError> {
        let id = token.split_once('.').and_then(|(id, _)| AuthorisationId::parse(id));
        let id = id.filter(|id| redirect_token(&self.keyring, *id).as_bytes().ct_eq(token.as_bytes()).into());
        let id = id.ok_or_else(redirect_not_found)?;
        let found = self.store.read(move |tx| Ok(tx.authorisation_by_id(id)?)).await?;
        Ok(found.ok_or_else(redirect_not_found)?)
    }
}

/// Binds the link to the browser that opens it first.
fn open_first(
    tx: &mut Tx<'_>,
    context: &StepContext,
    record: AuthorisationRecord,
) -> Result<AuthorisationRecord, UseCaseError> {
    let Channel::Redirect { session } = context.channel else { return Err(redirect_not_found().into()) };
    let expired = record.authorisation.created_at.plus(REDIRECT_TTL) <= context.now();
    let started = record.authorisation.clone().start(ScaApproach::Redirect, None, context.now());
    let started = started.ok().filter(|_| !expired).ok_or_else(redirect_not_found)?;
    let page = Some(RedirectSession { token_hash: session, last_seen_at: context.now() });
    Ok(save_transition(tx, context, AuthorisationRecord { redirect_session: page, ..record }, started)?)
}

pub(super) fn is_signed_in(record: &AuthorisationRecord) -> bool {
    matches!(record.authorisation.state, ScaState::Started { password_verified: true, .. })
}

pub(super) fn view(
    tx: &mut Tx<'_>,
    context: &StepContext,
    loaded: &LoadedTarget,
    record: &AuthorisationRecord,
) -> Result<RedirectView, UseCaseError> {
    let (signed_in, challenge) = (is_signed_in(record), record.challenge.as_ref());
    let (request, offer) = match record.authorisation.psu.filter(|_| signed_in) {
        Some(psu) => (Some(approval_request(tx, context, loaded, psu)?), offer(tx, loaded, psu)?),
        None => (None, None),
    };
    Ok(RedirectView {
        authorisation: StepResult::new(record, context.now()).view(tx, context.keyring(), record)?,
        target: record.authorisation.target,
        psu_name: record.authorisation.psu_name.clone(),
        tpp_name: record.tpp_name.clone(),
        organisation: record.organisation.clone(),
        description: description(loaded, context, context.language.unwrap_or_default()),
        request,
        offer,
        signed_in,
        otp_open: challenge.is_some_and(|challenge| challenge.is_open(context.now())),
        otp_resend: challenge.is_none_or(|challenge| challenge.sends <= MAX_RESENDS),
        granted: loaded.is_granted(),
        rejection: loaded.rejection().filter(|_| record.authorisation.state == ScaState::Finalised),
        redirect_uri: record.redirect_uri.clone(),
        nok_redirect_uri: record.nok_redirect_uri.clone(),
    })
}
