//! The same steps on our own page. The link opens it, once: the first browser to open it is the only one, so that a
//! link that somebody else catches leads nowhere. Pictures, forms and cookies are the edge's.

use super::answer::{Answer, redirect_token};
use super::asked::{ApprovalRequest, asked};
use super::browser::session_token_hash;
use super::ending::settle;
use super::target::LoadedTarget;
use super::update::{Step, StepOutcome, StepRequest, keep};
use super::{AuthorisationView, Channel, StepContext};
use crate::{App, UseCaseError};
use subtle::ConstantTimeEq;
use trapeza_domain::authorisation::throttle::MAX_RESENDS;
use trapeza_domain::authorisation::{
    NextStep, REDIRECT_TTL, ScaApproach, ScaState, Target, TargetKind, next_steps,
};
use trapeza_domain::id::AuthorisationId;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::time::TimeDelta;
use trapeza_store::{AuthorisationRecord, RedirectSession, Tx};

/// How long the page may lie idle.
const IDLE: TimeDelta = TimeDelta::minutes(5);

/// What our page shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedirectView {
    pub authorisation: AuthorisationView,
    /// What it is for, so that the page can go on to show the object.
    pub target: Target,
    pub psu_name: String,
    pub tpp_name: String,
    /// The number of its licence, as its certificate says.
    pub organisation: String,
    /// What the customer agrees to, after "… asks to".
    pub words: String,
    /// The same as facts; there once the customer has signed in, since accounts are named in it.
    pub asked: Option<ApprovalRequest>,
    /// The password was right here.
    pub signed_in: bool,
    /// An answer to the challenge is still looked at.
    pub code_open: bool,
    /// One more code may be asked for, now or in a context.
    pub code_again: bool,
    /// The object was set free: a finalised authorisation of what is not the customer's does not.
    pub granted: bool,
    pub redirect_uri: Option<String>,
    pub nok_redirect_uri: Option<String>,
}

/// What anybody who has a link may know: enough to begin, and to find the way back when it is too late.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedirectPreview {
    pub tpp_name: String,
    pub kind: TargetKind,
    /// Nobody has opened it, and it can be opened still.
    pub fresh: bool,
    pub redirect_uri: Option<String>,
    pub nok_redirect_uri: Option<String>,
}

impl App {
    /// Looks at a link and changes nothing: programs that show previews open links too.
    pub async fn redirect_preview(&self, token: &str) -> Result<RedirectPreview, UseCaseError> {
        let (record, now) = (self.page_record(token).await?, self.now());
        let next = next_steps(&record.authorisation, record.challenge.as_ref(), now);
        Ok(RedirectPreview {
            kind: record.authorisation.target.kind(),
            fresh: record.page.is_none() && next.contains(&NextStep::ScaRedirect),
            tpp_name: record.tpp_name,
            redirect_uri: record.redirect_uri,
            nok_redirect_uri: record.nok_redirect_uri,
        })
    }

    /// Opens our page by its link, in the browser that has this mark: for the first time, or again in the same one.
    pub async fn redirect_open(&self, token: &str, browser: &str) -> Result<RedirectView, UseCaseError> {
        let (context, place) = self.page_desk(token, browser).await?;
        self.store
            .write(move |tx| {
                let (loaded, record) = load(tx, &context, &place)?;
                let record = match record.page {
                    Some(_) => keep_seen(&context, record)?,
                    None => first_opening(tx, &context, record)?,
                };
                tx.authorisation_update(&record)?;
                view(tx, &context, &loaded, &record)
            })
            .await
    }

    /// What the page shows now.
    pub async fn redirect_view(&self, token: &str, browser: &str) -> Result<RedirectView, UseCaseError> {
        let (context, place) = self.page_desk(token, browser).await?;
        self.store
            .write(move |tx| {
                let (loaded, record) = load(tx, &context, &place)?;
                view(tx, &context, &loaded, &keep_seen(&context, record)?)
            })
            .await
    }

    /// Takes a step there.
    pub async fn redirect_step(
        &self,
        token: &str,
        browser: &str,
        step: Step,
    ) -> Result<RedirectView, UseCaseError> {
        let (first, place) = self.page_desk(token, browser).await?;
        let (application, organisation, side) = (first.application, first.organisation, first.side);
        let context = || self.step_context(application, organisation.clone(), side);
        match self.step(context, place, step).await? {
            StepOutcome::Refused(refusal) => Err(refusal.into()),
            StepOutcome::Done(_) | StepOutcome::Before(_) => self.redirect_view(token, browser).await,
        }
    }

    /// The customer leaves by "no". Who has signed in refuses the object itself; anybody else only goes away.
    pub async fn redirect_reject(&self, token: &str, browser: &str) -> Result<RedirectView, UseCaseError> {
        let (context, place) = self.page_desk(token, browser).await?;
        let refused = self.store.write(move |tx| {
            let (loaded, record) = load(tx, &context, &place)?;
            let record = keep_seen(&context, record)?;
            let signed_in = is_signed_in(&record);
            let shown = view(tx, &context, &loaded, &record)?;
            let failed = record.authorisation.clone().fail(context.now)?;
            let psu = record.authorisation.psu.filter(|_| signed_in);
            let record = keep(tx, &context, AuthorisationRecord { challenge: None, ..record }, failed)?;
            if let Some(psu) = psu {
                loaded.refuse(tx, psu, context.now)?;
            }
            let authorisation = Answer::of(&record, context.now).view(tx, &context.keyring, &record)?;
            Ok(RedirectView { authorisation, ..shown })
        });
        refused.await
    }

    async fn page_desk(
        &self,
        token: &str,
        browser: &str,
    ) -> Result<(StepContext, StepRequest), UseCaseError> {
        let AuthorisationRecord { authorisation, organisation, .. } = self.page_record(token).await?;
        let browser = session_token_hash(&self.keyring, browser);
        let context = self.step_context(authorisation.application, organisation, Channel::Page { browser });
        let place = StepRequest {
            call: None,
            target: Ok(authorisation.target),
            id: Some(authorisation.id),
            product: None,
        };
        Ok((context, place))
    }

    /// Reads the link. One that the bank has not made opens nothing.
    async fn page_record(&self, token: &str) -> Result<AuthorisationRecord, UseCaseError> {
        let id = token.split_once('.').and_then(|(id, _)| AuthorisationId::parse(id));
        let id = id.filter(|id| redirect_token(&self.keyring, *id).as_bytes().ct_eq(token.as_bytes()).into());
        let id = id.ok_or_else(no_page)?;
        let found = self.store.read(move |tx| Ok(tx.authorisation_by_id(id)?)).await?;
        Ok(found.ok_or_else(no_page)?)
    }
}

/// The object and its authorisation, locked, as they are now.
fn load(
    tx: &mut Tx<'_>,
    context: &StepContext,
    place: &StepRequest,
) -> Result<(LoadedTarget, AuthorisationRecord), UseCaseError> {
    let target = place.target.clone()?;
    let loaded = LoadedTarget::load(tx, context, target)?;
    let found = match place.id {
        Some(id) => tx.authorisation_lock(context.application, target, id)?,
        None => None,
    };
    let record = settle(tx, found.ok_or_else(no_page)?, context.now)?;
    Ok((loaded, record))
}

fn first_opening(
    tx: &mut Tx<'_>,
    context: &StepContext,
    record: AuthorisationRecord,
) -> Result<AuthorisationRecord, UseCaseError> {
    let Channel::Page { browser } = context.side else { return Err(no_page().into()) };
    let late = record.authorisation.created_at.plus(REDIRECT_TTL) <= context.now;
    let started = record.authorisation.clone().start(ScaApproach::Redirect, None, context.now);
    let started = started.ok().filter(|_| !late).ok_or_else(no_page)?;
    let page = Some(RedirectSession { browser, seen_at: context.now });
    Ok(keep(tx, context, AuthorisationRecord { page, ..record }, started)?)
}

/// On our page: it has to be the browser that opened it, which has not been away for long. Elsewhere: nothing to say.
pub(super) fn keep_seen(
    context: &StepContext,
    record: AuthorisationRecord,
) -> Result<AuthorisationRecord, Refusal> {
    let Channel::Page { browser } = context.side else { return Ok(record) };
    let Some(page) = record.page else { return Err(no_page()) };
    let same: bool = page.browser.ct_eq(&browser).into();
    // What has ended may still be looked at: the customer has to find the way back.
    let awake = context.now < page.seen_at.plus(IDLE) || record.authorisation.state.is_final();
    if !same || !awake {
        return Err(no_page());
    }
    Ok(AuthorisationRecord { page: Some(RedirectSession { seen_at: context.now, ..page }), ..record })
}

fn is_signed_in(record: &AuthorisationRecord) -> bool {
    matches!(record.authorisation.state, ScaState::Started { password_verified: true, .. })
}

fn view(
    tx: &mut Tx<'_>,
    context: &StepContext,
    loaded: &LoadedTarget,
    record: &AuthorisationRecord,
) -> Result<RedirectView, UseCaseError> {
    let (signed_in, challenge) = (is_signed_in(record), record.challenge.as_ref());
    let asked = match record.authorisation.psu.filter(|_| signed_in) {
        Some(psu) => Some(asked(tx, context, loaded, psu)?),
        None => None,
    };
    Ok(RedirectView {
        authorisation: Answer::of(record, context.now).view(tx, &context.keyring, record)?,
        target: record.authorisation.target,
        psu_name: record.authorisation.psu_name.clone(),
        tpp_name: record.tpp_name.clone(),
        organisation: record.organisation.clone(),
        words: loaded.words(context),
        asked,
        signed_in,
        code_open: challenge.is_some_and(|challenge| challenge.is_open(context.now)),
        code_again: challenge.is_none_or(|challenge| challenge.sends <= MAX_RESENDS),
        granted: loaded.is_granted(),
        redirect_uri: record.redirect_uri.clone(),
        nok_redirect_uri: record.nok_redirect_uri.clone(),
    })
}

/// The same words for a link that never was, that is over, and that somebody else has opened.
fn no_page() -> Refusal {
    Refusal::new(RefusalReason::ResourceUnknown, "this link is not good, or not any more")
}
