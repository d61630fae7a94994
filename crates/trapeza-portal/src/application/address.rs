//! Redirect URIs of third parties; callback and redirect addresses of merchants.

use super::{Section, id, lines, path, redirect_input, refused};
use crate::portal_request::PortalRequest;
use trapeza_app::UseCaseError;
use trapeza_app::audit::run_as_member;
use trapeza_app::merchant::MerchantChange;
use trapeza_app::organisation::PortalApplication;
use trapeza_domain::application::MerchantUrls;
use trapeza_domain::field::Field;
use trapeza_domain::organisation::MemberRole;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_web::layout::redirect;
use trapeza_web::site::route::PageResult;
use trapeza_web::site::{Block, Form, Input, is_form_error};

/// The addresses of a merchant: field, name of the input, label.
const ADDRESSES: [(Field, &str, &str); 4] = [
    (Field::SuccessCallback, "success_callback", "Callback after an approval"),
    (Field::FailCallback, "fail_callback", "Callback after a decline or expiry"),
    (Field::SuccessRedirect, "success_redirect", "Shoppers return here after an approval"),
    (Field::FailureRedirect, "failure_redirect", "Shoppers return here otherwise"),
];

pub async fn redirects(request: &PortalRequest) -> PageResult {
    let (caller, id) = (request.signed_in()?, id(request)?);
    request.app().portal_application(caller, id, MemberRole::Developer).await?;
    let uris = lines(request.web.field("redirect_uris"));
    match run_as_member(caller.member.id, request.app().application_update(id, None, Some(uris))).await {
        Ok(()) => Ok(redirect(&path(id, ""))),
        Err(UseCaseError::Refused(refusal)) if is_form_error(&refusal) => {
            let form = redirect_form(request, &path(id, "/redirects"), "").filled(&request.web);
            refused(
                request,
                Section::Redirects,
                form.refused(&refusal, &[(Field::RedirectUris, "redirect_uris")]),
            )
            .await
        }
        Err(error) => Err(error),
    }
}

pub async fn merchant_addresses(request: &PortalRequest) -> PageResult {
    let (caller, id) = (request.signed_in()?, id(request)?);
    let view = request.app().portal_application_view(caller, id).await?;
    request.app().portal_application(caller, id, MemberRole::Developer).await?;
    let merchant = view.merchant;
    let merchant =
        merchant.ok_or_else(|| Refusal::new(RefusalReason::ResourceUnknown, "unknown merchant"))?;
    // An empty address removes the one that is stored.
    let url = |name: &str| Some(request.web.field(name).to_owned());
    let change = MerchantChange {
        urls: MerchantUrls {
            success_callback: url("success_callback"),
            fail_callback: url("fail_callback"),
            success_redirect: url("success_redirect"),
            failure_redirect: url("failure_redirect"),
        },
        ..MerchantChange::default()
    };
    match run_as_member(caller.member.id, request.app().merchant_update_terms(&merchant.code, change)).await {
        Ok(_) => Ok(redirect(&path(id, ""))),
        Err(UseCaseError::Refused(refusal)) if is_form_error(&refusal) => {
            let names = ADDRESSES.map(|(field, name, _)| (field, name));
            let form = merchant_form(request, &path(id, "/addresses"), &MerchantUrls::default());
            refused(request, Section::Addresses, form.filled(&request.web).refused(&refusal, &names)).await
        }
        Err(error) => Err(error),
    }
}

pub fn redirect_blocks(
    request: &PortalRequest,
    view: &PortalApplication,
    can_change: bool,
    form: Option<Form>,
) -> Vec<Block> {
    let uris = view.redirect_uris.join("\n");
    let action = path(view.record.application.id, "/redirects");
    let form = form.unwrap_or_else(|| redirect_form(request, &action, &uris));
    let content = if can_change {
        Block::form(form)
    } else if uris.is_empty() {
        Block::text("There are no redirect URIs.")
    } else {
        Block::Code("Redirect URIs".to_owned(), uris)
    };
    vec![Block::heading("Redirect URIs"), content]
}

pub fn merchant_blocks(
    request: &PortalRequest,
    view: &PortalApplication,
    can_change: bool,
    form: Option<Form>,
) -> Vec<Block> {
    let urls = &view.record.urls;
    let action = path(view.record.application.id, "/addresses");
    let content = if can_change {
        Block::form(form.unwrap_or_else(|| merchant_form(request, &action, urls)))
    } else {
        let lines = ADDRESSES.map(|(field, _, label)| format!("{label}: {}", address(urls, field)));
        Block::Code("Addresses".to_owned(), lines.join("\n"))
    };
    vec![Block::heading("Addresses"), content]
}

fn redirect_form(request: &PortalRequest, action: &str, uris: &str) -> Form {
    Form::new(&request.web, action, "Save").field(redirect_input().value(uris))
}

fn merchant_form(request: &PortalRequest, action: &str, urls: &MerchantUrls) -> Form {
    ADDRESSES.iter().fold(Form::new(&request.web, action, "Save"), |form, (field, name, label)| {
        form.field(Input::text(name, label).value(address(urls, *field)))
    })
}

fn address(urls: &MerchantUrls, field: Field) -> &str {
    let url = match field {
        Field::SuccessCallback => &urls.success_callback,
        Field::FailCallback => &urls.fail_callback,
        Field::SuccessRedirect => &urls.success_redirect,
        _ => &urls.failure_redirect,
    };
    url.as_deref().unwrap_or_default()
}
