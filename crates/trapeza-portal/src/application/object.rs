//! Consents, payments and signing baskets of a third party, baskets and loans of a merchant: lists, state and history, refunds and voids by hand.

use super::{id, path};
use crate::portal_request::PortalRequest;
use axum::http::StatusCode;
use trapeza_app::UseCaseError;
use trapeza_app::organisation::{BasketAction, ObjectKind, ObjectView};
use trapeza_domain::field::Field;
use trapeza_domain::id::ApplicationId;
use trapeza_domain::organisation::MemberRole;
use trapeza_web::layout::redirect;
use trapeza_web::site::route::PageResult;
use trapeza_web::site::{
    Block, Cell, Form, Input, Page, Table, format_time, is_form_error, require_confirmation,
};

/// The fact of a basket that names it in the API.
const BASKET_ID: &str = "basketId";

pub async fn consents(request: &PortalRequest) -> PageResult {
    list(request, ObjectKind::Consent).await
}

pub async fn consent(request: &PortalRequest) -> PageResult {
    show(request, ObjectKind::Consent).await
}

pub async fn payments(request: &PortalRequest) -> PageResult {
    list(request, ObjectKind::Payment).await
}

pub async fn payment(request: &PortalRequest) -> PageResult {
    show(request, ObjectKind::Payment).await
}

pub async fn signing_baskets(request: &PortalRequest) -> PageResult {
    list(request, ObjectKind::SigningBasket).await
}

pub async fn signing_basket(request: &PortalRequest) -> PageResult {
    show(request, ObjectKind::SigningBasket).await
}

pub async fn baskets(request: &PortalRequest) -> PageResult {
    list(request, ObjectKind::Basket).await
}

pub async fn basket(request: &PortalRequest) -> PageResult {
    show(request, ObjectKind::Basket).await
}

pub async fn loans(request: &PortalRequest) -> PageResult {
    list(request, ObjectKind::Loan).await
}

pub async fn loan(request: &PortalRequest) -> PageResult {
    show(request, ObjectKind::Loan).await
}

/// The lists of an application, for its page.
pub fn links(id: ApplicationId, is_merchant: bool) -> Block {
    let kinds: &[ObjectKind] = match is_merchant {
        true => &[ObjectKind::Basket, ObjectKind::Loan],
        false => &[ObjectKind::Consent, ObjectKind::Payment, ObjectKind::SigningBasket],
    };
    Block::Links(kinds.iter().map(|kind| (path(id, folder(*kind)), title(*kind).to_owned())).collect())
}

async fn list(request: &PortalRequest, kind: ObjectKind) -> PageResult {
    let (caller, id) = (request.signed_in()?, id(request)?);
    let page = request.app().portal_object_list(caller, id, kind, request.web.query("before")).await?;
    let rows = page.objects.into_iter().map(|object| {
        let facts = object.facts.iter().map(|(name, value)| format!("{name}: {value}"));
        vec![
            Cell::link(path(id, &format!("{}/{}", folder(kind), object.id)), object.id.clone()),
            Cell::text(object.status),
            Cell::text(format_time(object.created_at)),
            Cell::text(facts.collect::<Vec<_>>().join(", ")),
        ]
    });
    let table = Table {
        label: title(kind).to_owned(),
        head: vec!["Id", "Status", "Created", "Details"],
        rows: rows.collect(),
        empty: "There are none.",
    };
    let mut links = vec![(path(id, ""), "Back to the application".to_owned())];
    links.extend(
        page.next.map(|next| (format!("{}?before={next}", path(id, folder(kind))), "Older".to_owned())),
    );
    Ok(Page::new(title(kind)).with(Block::Table(table)).with(Block::Links(links)).ok(request))
}

async fn show(request: &PortalRequest, kind: ObjectKind) -> PageResult {
    Ok(object_page(request, kind, None).await?.ok(request))
}

pub async fn refund(request: &PortalRequest) -> PageResult {
    let (caller, object, id) = basket_of(request).await?;
    let (basket, idempotency_key) =
        (fact(&object, BASKET_ID).to_owned(), request.web.field("idempotency_key").to_owned());
    let action = BasketAction { application: id, basket: &basket, idempotency_key: &idempotency_key };
    match request.app().portal_refund(caller, action, request.web.field("amount")).await {
        Ok(_) => Ok(redirect(&path(id, &format!("/baskets/{}?done=refund", object.id)))),
        Err(UseCaseError::Refused(refusal)) if is_form_error(&refusal) => {
            let form = refund_form(request, id, &object)
                .filled(&request.web)
                .refused(&refusal, &[(Field::Amount, "amount")]);
            let page = object_page(request, ObjectKind::Basket, Some(form)).await?;
            Ok(page.respond(request, StatusCode::BAD_REQUEST))
        }
        Err(error) => Err(error),
    }
}

pub async fn void(request: &PortalRequest) -> PageResult {
    let (caller, object, id) = basket_of(request).await?;
    require_confirmation(&request.web)?;
    let (basket, idempotency_key) =
        (fact(&object, BASKET_ID).to_owned(), request.web.field("idempotency_key").to_owned());
    let action = BasketAction { application: id, basket: &basket, idempotency_key: &idempotency_key };
    request.app().portal_void(caller, action).await?;
    Ok(redirect(&path(id, &format!("/baskets/{}?done=void", object.id))))
}

async fn basket_of(
    request: &PortalRequest,
) -> Result<(&trapeza_app::organisation::PortalMember, ObjectView, ApplicationId), UseCaseError> {
    let (caller, id) = (request.signed_in()?, id(request)?);
    let object =
        request.app().portal_object(caller, id, ObjectKind::Basket, request.parameter("basket")).await?;
    Ok((caller, object, id))
}

async fn object_page(
    request: &PortalRequest,
    kind: ObjectKind,
    refund: Option<Form>,
) -> Result<Page, UseCaseError> {
    let (caller, id) = (request.signed_in()?, id(request)?);
    let object = request.app().portal_object(caller, id, kind, request.parameter(parameter(kind))).await?;
    let mut facts =
        vec![("Id".to_owned(), Cell::text(&object.id)), ("Status".to_owned(), Cell::text(&object.status))];
    facts.extend(object.facts.iter().map(|(name, value)| ((*name).to_owned(), Cell::text(value))));
    let timeline = Table {
        label: "Timeline".to_owned(),
        head: vec!["Time", "Event"],
        rows: object
            .timeline
            .iter()
            .map(|(at, event)| vec![Cell::text(format_time(*at)), Cell::text(event)])
            .collect(),
        empty: "",
    };
    let done = match request.web.query("done").as_deref() {
        Some("refund") => Some("The refund was made."),
        Some("void") => Some("The basket was voided."),
        _ => None,
    };
    let mut page = Page::new(singular(kind));
    if let Some(done) = done {
        page = page.with(Block::Good(done.to_owned()));
    }
    page = page.with(Block::Facts(facts)).with(Block::heading("Timeline")).with(Block::Table(timeline));
    if kind == ObjectKind::Basket && caller.member.role.includes(MemberRole::Developer) {
        if object.status == "approved" {
            let form = refund.unwrap_or_else(|| refund_form(request, id, &object));
            page = page.with(Block::heading("Refund")).with(Block::form(form));
        }
        let action = path(id, &format!("/baskets/{}/void", object.id));
        let idempotency_key = request.app().entropy().uuid().to_string();
        let form = Form::new(&request.web, &action, "Void the basket")
            .field(Input::hidden("idempotency_key", &idempotency_key))
            .field(Input::confirmation("This cannot be undone"))
            .class("no");
        page = page
            .with(Block::heading("Void"))
            .with(Block::text("An undecided basket ends; an approved one is refunded completely."))
            .with(Block::form(form));
    }
    Ok(page.with(Block::Links(vec![(path(id, folder(kind)), title(kind).to_owned())])))
}

fn refund_form(request: &PortalRequest, id: ApplicationId, object: &ObjectView) -> Form {
    let idempotency_key = request.app().entropy().uuid().to_string();
    Form::new(&request.web, &path(id, &format!("/baskets/{}/refund", object.id)), "Refund")
        .field(Input::hidden("idempotency_key", &idempotency_key))
        .field(
            Input::text("amount", "Amount").hint("For example 12.50. Empty refunds everything that is left."),
        )
}

fn fact<'a>(object: &'a ObjectView, name: &str) -> &'a str {
    object.facts.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value)
}

const fn folder(kind: ObjectKind) -> &'static str {
    match kind {
        ObjectKind::Consent => "/consents",
        ObjectKind::Payment => "/payments",
        ObjectKind::SigningBasket => "/signing-baskets",
        ObjectKind::Basket => "/baskets",
        ObjectKind::Loan => "/loans",
    }
}

const fn title(kind: ObjectKind) -> &'static str {
    match kind {
        ObjectKind::Consent => "Consents",
        ObjectKind::Payment => "Payments",
        ObjectKind::SigningBasket => "Signing baskets",
        ObjectKind::Basket => "Baskets",
        ObjectKind::Loan => "Loans",
    }
}

const fn singular(kind: ObjectKind) -> &'static str {
    match kind {
        ObjectKind::Consent => "Consent",
        ObjectKind::Payment => "Payment",
        ObjectKind::SigningBasket => "Signing basket",
        ObjectKind::Basket => "Basket",
        ObjectKind::Loan => "Loan",
    }
}

const fn parameter(kind: ObjectKind) -> &'static str {
    match kind {
        ObjectKind::Consent => "consent",
        ObjectKind::Payment => "payment",
        ObjectKind::SigningBasket => "signing_basket",
        ObjectKind::Basket => "basket",
        ObjectKind::Loan => "loan",
    }
}
