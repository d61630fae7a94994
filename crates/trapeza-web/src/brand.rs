//! The bank's brand on its pages: the rules that replace the colours of the style, the logo and its file.

use super::security_policy::source_hash;
use axum::body::{Body, Bytes};
use axum::extract::{Path, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use std::sync::Arc;
use trapeza_app::bank_profile::{BankProfile, Brand, Colour, LogoKind};
use trapeza_http::{AppState, not_found};

/// The address of the mark that a bank without a logo has.
const DEFAULT_ICON: &str = "/app/icon.svg";
/// The address of the logo changes with its content.
const LOGO_CACHE: &str = "public, max-age=31536000, immutable";
/// A logo that is opened by itself is a document: nothing in it may run.
const LOGO_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/// What pages show of a brand.
#[derive(Clone, Debug)]
pub struct BrandView {
    /// The rules after the style; none with the usual colours.
    pub style: Option<String>,
    /// The address of the logo; the usual mark is part of the page.
    pub logo: Option<String>,
    /// The icon of the page in the browser.
    pub icon: String,
    pub icon_type: &'static str,
}

impl BrandView {
    pub fn of(brand: &Brand) -> Self {
        let logo = brand.logo.as_ref().map(|logo| format!("/bank/{}", logo.file_name()));
        Self {
            style: style(brand),
            icon: logo.clone().unwrap_or_else(|| DEFAULT_ICON.to_owned()),
            icon_type: brand.logo.as_ref().map_or(LogoKind::Svg, |logo| logo.kind()).media_type(),
            logo,
        }
    }
}

/// The rules with the brand's colours.
fn style(brand: &Brand) -> Option<String> {
    let rule = |colour: Colour| format!(":root {{ --link: {colour}; --act: {colour}; }}");
    let light = brand.colour_light.map(|colour| {
        // A dark scheme without a colour of its own keeps the usual one.
        format!("@media not (prefers-color-scheme: dark) {{ {} }}", rule(colour))
    });
    let dark =
        brand.colour_dark.map(|colour| format!("@media (prefers-color-scheme: dark) {{ {} }}", rule(colour)));
    let rules: Vec<String> = light.into_iter().chain(dark).collect();
    (!rules.is_empty()).then(|| rules.join("\n"))
}

/// A content security policy that allows the rules of the brand beside the style.
pub fn branded_policy(policy: &HeaderValue, profile: &BankProfile) -> HeaderValue {
    let Some(style) = style(&profile.brand) else { return policy.clone() };
    let text = policy.to_str().unwrap_or_default();
    let allowed = text.replacen("style-src ", &format!("style-src {} ", source_hash(&style)), 1);
    HeaderValue::try_from(allowed).unwrap_or_else(|_| policy.clone())
}

/// The file of the logo.
pub async fn logo(
    State(state): State<Arc<AppState>>,
    Path(name): Path<String>,
    request: Request,
) -> Response {
    let logo = state.app.bank_profile().brand.logo.as_ref().filter(|logo| logo.file_name() == name);
    let Some(logo) = logo else { return not_found(request).await };
    let headers = [
        (header::CONTENT_TYPE, logo.kind().media_type()),
        (header::CACHE_CONTROL, LOGO_CACHE),
        (header::CONTENT_SECURITY_POLICY, LOGO_POLICY),
    ];
    (StatusCode::OK, headers, Body::from(Bytes::from_owner(logo.bytes().clone()))).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{STYLE, content_security_policy};
    use trapeza_app::bank_profile::Scheme;

    #[test]
    fn surfaces_that_colours_are_checked_with_are_those_of_the_style() {
        let [light, dark] =
            STYLE.split("@media (prefers-color-scheme: dark)").take(2).collect::<Vec<_>>()[..]
        else {
            panic!("the style has two schemes");
        };
        for (scheme, rules) in [(Scheme::Light, light), (Scheme::Dark, dark)] {
            let short =
                |colour: &str| if colour == "#ffffff" { "#fff".to_owned() } else { colour.to_owned() };
            let names = ["--paper", "--card", "--quiet", "--on-act"];
            for (name, (_, colour)) in names.into_iter().zip(scheme.partners()) {
                assert!(rules.contains(&format!("{name}: {};", short(colour))), "{name} {colour}");
            }
        }
    }

    #[test]
    fn policy_allows_the_rules_of_the_brand() {
        let policy = content_security_policy(STYLE, &[]);
        let mut profile = BankProfile::default();
        assert_eq!(branded_policy(&policy, &profile), policy);
        profile.brand.colour_light = Colour::parse("#6b21a8").ok();
        let branded = branded_policy(&policy, &profile);
        let hash = source_hash(&style(&profile.brand).unwrap());
        assert!(branded.to_str().unwrap().contains(&format!("style-src {hash} 'sha256-")), "{branded:?}");
    }
}
