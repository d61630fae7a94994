//! What the creation of consents, funds consents and payments has in common: the customer and the start of the authorisation.

use super::notification::Notification;
use crate::header::{self, AuthorisationOptions, EffectiveHeaders};
use crate::link::Links;
use crate::wire::authorisation::{ChallengeData, ScaMethod, challenge_data, selectable_methods};
use crate::wire::text::cut;
use axum::http::HeaderValue;
use axum::response::Response;
use trapeza_app::sca::{AuthorisationView, StartOption, StartPreferences};
use trapeza_domain::authorisation::ApproachSelection;
use trapeza_domain::refusal::Refusal;
use trapeza_http::berlin_group::MAX_TEXT_CHARS;
use trapeza_http::extract::TppRequest;

/// The customer of a new object and how its authorisation starts.
pub struct Creation {
    /// Empty while the customer is not known.
    pub psu: String,
    /// The headers that change the effect, for the comparison of two requests with one id.
    pub headers: String,
    explicit: bool,
    preferences: StartPreferences,
    notification: Option<Notification>,
}

impl Creation {
    pub fn read(request: &TppRequest) -> Result<Self, Refusal> {
        let sent = EffectiveHeaders::read(request)?;
        let AuthorisationOptions { explicit, mut preferences } =
            header::authorisation_options(request, &sent)?;
        let notification = Notification::read(&sent)?;
        preferences.notification = notification.as_ref().and_then(Notification::wanted);
        let psu = sent.psu_id.unwrap_or_default().to_owned();
        Ok(Self { psu, headers: sent.joined(), explicit, preferences, notification })
    }

    pub fn start(&self) -> StartOption {
        match self.explicit {
            true => StartOption::Explicit(self.preferences.clone()),
            false => StartOption::Implicit(self.preferences.clone()),
        }
    }

    /// Chooses the bank's page where the third party has no wish: the customer has something to choose there.
    pub fn prefer_redirect(&mut self) {
        if !self.preferences.decoupled_preferred {
            self.preferences.redirect_preferred.get_or_insert(true);
        }
    }

    /// The answer with the approach of the authorisation that was started with the object, and with what will be notified.
    pub fn answer(&self, response: Response, view: Option<&AuthorisationView>) -> Response {
        let mut response = with_started(response, view);
        if let Some(notification) = &self.notification {
            notification.answer(&mut response);
        }
        response
    }

    /// The links of the new object with this path: to its authorisation where that was started with it, otherwise to the start.
    pub fn links(
        &self,
        request: &TppRequest,
        path: &str,
        authorisations: &str,
        view: Option<&AuthorisationView>,
    ) -> Links {
        let links = Links::of_object(path);
        let all = format!("{path}/{authorisations}");
        match view {
            Some(view) => {
                let own = format!("{all}/{}", view.id);
                links.and_authorisation(view, &own, &request.state.settings.public_url)
            }
            None => {
                let StartPreferences { redirect_preferred, decoupled_preferred, redirect_uri, .. } =
                    &self.preferences;
                let has_psu = !self.psu.is_empty();
                let (redirect, has_uri) = (*redirect_preferred, redirect_uri.is_some());
                let chosen = ApproachSelection::choose_one(redirect, *decoupled_preferred, has_uri, has_psu);
                links.and_start(chosen.reported(), has_psu, all)
            }
        }
    }
}

/// What the answer to a creation shows of the authorisation that was started with it.
#[derive(Default)]
pub struct StartedParts<'a> {
    pub sca_methods: Vec<ScaMethod<'a>>,
    pub chosen_sca_method: Option<ScaMethod<'a>>,
    pub challenge_data: Option<ChallengeData<'a>>,
    pub psu_message: Option<&'a str>,
}

impl<'a> StartedParts<'a> {
    pub fn of(view: Option<&'a AuthorisationView>) -> Self {
        let Some(view) = view else { return Self::default() };
        Self {
            sca_methods: selectable_methods(view),
            chosen_sca_method: view.chosen.as_ref().map(ScaMethod::from),
            challenge_data: view.challenge.as_ref().map(challenge_data),
            psu_message: view.psu_message.as_deref().map(|text| cut(text, MAX_TEXT_CHARS)),
        }
    }
}

/// Adds the approach of the authorisation that was started with the object.
pub fn with_started(response: Response, view: Option<&AuthorisationView>) -> Response {
    match view {
        Some(view) => with_approach(response, view),
        None => response,
    }
}

/// Adds the approach of an authorisation.
pub fn with_approach(mut response: Response, view: &AuthorisationView) -> Response {
    let approach = HeaderValue::from_static(view.approach.name());
    response.headers_mut().insert("aspsp-sca-approach", approach);
    response
}
