//! The same steps on our own page. The link opens it, once: the first browser to open it is the only one, so that a
//! link that somebody else catches leads nowhere. Pictures, forms and cookies are the edge's.

use super::aim::Aim;
use super::answer::{Answer, page_token};
use super::asked::{Asked, asked};
use super::browser::mark_hash;
use super::ending::settle;
use super::update::{Ended, Place, Step, keep};
use super::{AuthorisationView, Desk, Side};
use crate::{App, UseCaseError};
use subtle::ConstantTimeEq;
use trapeza_domain::authorisation::throttle::RESENDS;
use trapeza_domain::authorisation::{
    Approach, NextStep, REDIRECT_LIFE, ScaState, Target, TargetKind, next_steps,
};
use trapeza_domain::id::AuthorisationId;
use trapeza_domain::refusal::{Reason, Refusal};
use trapeza_domain::time::Span;
use trapeza_store::{AuthorisationRecord, RedirectSession, Tx};

/// How long the page may lie idle.
const IDLE: Span = Span::minutes(5);

/// What our page shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageView {
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
    pub asked: Option<Asked>,
    /// The password was right here.
    pub signed_in: bool,
    /// An answer to the challenge is still looked at.
    pub code_open: bool,
    /// One more code may be asked for, now or in a moment.
    pub code_again: bool,
    /// The object was set free: a finalised authorisation of what is not the customer's does not.
    pub granted: bool,
    pub redirect_uri: Option<String>,
    pub nok_redirect_uri: Option<String>,
}

/// What anybody who has a link may know: enough to begin, and to find the way back when it is too late.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageGlance {
    pub tpp_name: String,
    pub kind: TargetKind,
    /// Nobody has opened it, and it can be opened still.
    pub fresh: bool,
    pub redirect_uri: Option<String>,
    pub nok_redirect_uri: Option<String>,
}

impl App {
    /// Looks at a link and changes nothing: programs that show previews open links too.
    pub async fn page_glance(&self, token: &str) -> Result<PageGlance, UseCaseError> {
        let (record, now) = (self.page_record(token).await?, self.now());
        let next = next_steps(&record.authorisation, record.challenge.as_ref(), now);
        Ok(PageGlance {
            kind: record.authorisation.target.kind(),
            fresh: record.page.is_none() && next.contains(&NextStep::ScaRedirect),
            tpp_name: record.tpp_name,
            redirect_uri: record.redirect_uri,
            nok_redirect_uri: record.nok_redirect_uri,
        })
    }

    /// Opens our page by its link, in the browser that has this mark: for the first time, or again in the same one.
    pub async fn page_open(&self, token: &str, browser: &str) -> Result<PageView, UseCaseError> {
        let (desk, place) = self.page_desk(token, browser).await?;
        self.store
            .write(move |tx| {
                let (aim, record) = load(tx, &desk, &place)?;
                let record = match record.page {
                    Some(_) => keep_seen(&desk, record)?,
                    None => first_opening(tx, &desk, record)?,
                };
                tx.authorisation_update(&record)?;
                view(tx, &desk, &aim, &record)
            })
            .await
    }

    /// What the page shows now.
    pub async fn page_find(&self, token: &str, browser: &str) -> Result<PageView, UseCaseError> {
        let (desk, place) = self.page_desk(token, browser).await?;
        self.store
            .write(move |tx| {
                let (aim, record) = load(tx, &desk, &place)?;
                view(tx, &desk, &aim, &keep_seen(&desk, record)?)
            })
            .await
    }

    /// Takes a step there.
    pub async fn page_step(&self, token: &str, browser: &str, step: Step) -> Result<PageView, UseCaseError> {
        let (first, place) = self.page_desk(token, browser).await?;
        let (application, organisation, side) = (first.application, first.organisation, first.side);
        let desk = || self.desk(application, organisation.clone(), side);
        match self.step(desk, place, step).await? {
            Ended::Refused(refusal) => Err(refusal.into()),
            Ended::Done(_) | Ended::Before(_) => self.page_find(token, browser).await,
        }
    }

    /// The customer leaves by "no". Who has signed in refuses the object itself; anybody else only goes away.
    pub async fn page_refuse(&self, token: &str, browser: &str) -> Result<PageView, UseCaseError> {
        let (desk, place) = self.page_desk(token, browser).await?;
        let refused = self.store.write(move |tx| {
            let (aim, record) = load(tx, &desk, &place)?;
            let record = keep_seen(&desk, record)?;
            let signed_in = is_signed_in(&record);
            let shown = view(tx, &desk, &aim, &record)?;
            let failed = record.authorisation.clone().fail(desk.now)?;
            let psu = record.authorisation.psu.filter(|_| signed_in);
            let record = keep(tx, &desk, AuthorisationRecord { challenge: None, ..record }, failed)?;
            if let Some(psu) = psu {
                aim.refuse(tx, psu, desk.now)?;
            }
            let authorisation = Answer::of(&record, desk.now).view(tx, &desk.keyring, &record)?;
            Ok(PageView { authorisation, ..shown })
        });
        refused.await
    }

    async fn page_desk(&self, token: &str, browser: &str) -> Result<(Desk, Place), UseCaseError> {
        let AuthorisationRecord { authorisation, organisation, .. } = self.page_record(token).await?;
        let browser = mark_hash(&self.keyring, browser);
        let desk = self.desk(authorisation.application, organisation, Side::Page { browser });
        let place =
            Place { call: None, target: Ok(authorisation.target), id: Some(authorisation.id), product: None };
        Ok((desk, place))
    }

    /// Reads the link. One that the bank has not made opens nothing.
    async fn page_record(&self, token: &str) -> Result<AuthorisationRecord, UseCaseError> {
        let id = token.split_once('.').and_then(|(id, _)| AuthorisationId::parse(id));
        let id = id.filter(|id| page_token(&self.keyring, *id).as_bytes().ct_eq(token.as_bytes()).into());
        let id = id.ok_or_else(no_page)?;
        let found = self.store.read(move |tx| Ok(tx.authorisation_by_id(id)?)).await?;
        Ok(found.ok_or_else(no_page)?)
    }
}

/// The object and its authorisation, locked, as they are now.
fn load(tx: &mut Tx<'_>, desk: &Desk, place: &Place) -> Result<(Aim, AuthorisationRecord), UseCaseError> {
    let target = place.target.clone()?;
    let aim = Aim::load(tx, desk, target)?;
    let found = match place.id {
        Some(id) => tx.authorisation_lock(desk.application, target, id)?,
        None => None,
    };
    let record = settle(tx, found.ok_or_else(no_page)?, desk.now)?;
    Ok((aim, record))
}

fn first_opening(
    tx: &mut Tx<'_>,
    desk: &Desk,
    record: AuthorisationRecord,
) -> Result<AuthorisationRecord, UseCaseError> {
    let Side::Page { browser } = desk.side else { return Err(no_page().into()) };
    let late = record.authorisation.created_at.plus(REDIRECT_LIFE) <= desk.now;
    let started = record.authorisation.clone().start(Approach::Redirect, None, desk.now);
    let started = started.ok().filter(|_| !late).ok_or_else(no_page)?;
    let page = Some(RedirectSession { browser, seen_at: desk.now });
    Ok(keep(tx, desk, AuthorisationRecord { page, ..record }, started)?)
}

/// On our page: it has to be the browser that opened it, which has not been away for long. Elsewhere: nothing to say.
pub(super) fn keep_seen(desk: &Desk, record: AuthorisationRecord) -> Result<AuthorisationRecord, Refusal> {
    let Side::Page { browser } = desk.side else { return Ok(record) };
    let Some(page) = record.page else { return Err(no_page()) };
    let same: bool = page.browser.ct_eq(&browser).into();
    // What has ended may still be looked at: the customer has to find the way back.
    let awake = desk.now < page.seen_at.plus(IDLE) || record.authorisation.state.is_final();
    if !same || !awake {
        return Err(no_page());
    }
    Ok(AuthorisationRecord { page: Some(RedirectSession { seen_at: desk.now, ..page }), ..record })
}

fn is_signed_in(record: &AuthorisationRecord) -> bool {
    matches!(record.authorisation.state, ScaState::Started { proven: true, .. })
}

fn view(
    tx: &mut Tx<'_>,
    desk: &Desk,
    aim: &Aim,
    record: &AuthorisationRecord,
) -> Result<PageView, UseCaseError> {
    let (signed_in, challenge) = (is_signed_in(record), record.challenge.as_ref());
    let asked = match record.authorisation.psu.filter(|_| signed_in) {
        Some(psu) => Some(asked(tx, desk, aim, psu)?),
        None => None,
    };
    Ok(PageView {
        authorisation: Answer::of(record, desk.now).view(tx, &desk.keyring, record)?,
        target: record.authorisation.target,
        psu_name: record.authorisation.psu_name.clone(),
        tpp_name: record.tpp_name.clone(),
        organisation: record.organisation.clone(),
        words: aim.words(desk),
        asked,
        signed_in,
        code_open: challenge.is_some_and(|challenge| challenge.is_open(desk.now)),
        code_again: challenge.is_none_or(|challenge| challenge.sends <= RESENDS),
        granted: aim.is_granted(),
        redirect_uri: record.redirect_uri.clone(),
        nok_redirect_uri: record.nok_redirect_uri.clone(),
    })
}

/// The same words for a link that never was, that is over, and that somebody else has opened.
fn no_page() -> Refusal {
    Refusal::new(Reason::ResourceUnknown, "this link is not good, or not any more")
}
