//! The price quote of a merchant: what a purchase costs with each plan, and the widget that shows it in the shop.

use super::{id, path};
use crate::portal_request::PortalRequest;
use axum::http::StatusCode;
use trapeza_app::merchant_terms::{PlanQuote, PriceQuote};
use trapeza_domain::id::ApplicationId;
use trapeza_domain::money::Money;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_web::site::route::PageResult;
use trapeza_web::site::{Block, Cell, Form, Input, Page, Table};

pub async fn show(request: &PortalRequest) -> PageResult {
    let (caller, id) = (request.signed_in()?, id(request)?);
    let view = request.app().portal_application_view(caller, id).await?;
    let merchant = view.merchant;
    let merchant =
        merchant.ok_or_else(|| Refusal::new(RefusalReason::ResourceUnknown, "unknown merchant"))?;
    let terms = request.app().merchant_terms_by_number(merchant.number).await?;
    let amount = request.web.query("amount").unwrap_or_default().trim().to_owned();
    let form = form(id).filled_from_query(&request.web);
    if amount.is_empty() {
        return Ok(page(id, form, Vec::new()).ok(request));
    }
    match terms.quote(&amount, request.app().clock().today()) {
        Ok(quote) => {
            let mut blocks = vec![Block::Table(table(&quote)), Block::heading("Widget")];
            blocks.extend(widget(request.public_url(), merchant.number, quote.amount));
            Ok(page(id, form, blocks).ok(request))
        }
        Err(refusal) => {
            let text = refusal.errors.first().map_or("is wrong", |error| error.text.as_str());
            Ok(page(id, form.with_error("amount", text), Vec::new())
                .respond(request, StatusCode::BAD_REQUEST))
        }
    }
}

fn form(id: ApplicationId) -> Form {
    Form::search(&path(id, "/price"), "Show the price")
        .field(Input::text("amount", "Value of the purchase").hint("For example 120.30."))
}

fn page(id: ApplicationId, form: Form, blocks: Vec<Block>) -> Page {
    Page::new("Price quote")
        .with(Block::text(
            "What a purchase costs with each of your plans, as GET /configuration?amount= answers it.",
        ))
        .with(Block::form(form))
        .with_all(blocks)
        .with(Block::Links(vec![(path(id, ""), "Back to the application".to_owned())]))
}

fn table(quote: &PriceQuote) -> Table {
    Table {
        label: "Plans".to_owned(),
        head: vec!["Installments", "Each", "Last", "Interest", "Total", "APR"],
        rows: quote.plans.iter().map(row).collect(),
        empty: "No plan is possible for this amount.",
    }
}

fn row(plan: &PlanQuote) -> Vec<Cell> {
    let amount = |money: Option<&Money>| Cell::text(money.map(Money::to_string).unwrap_or_default());
    let apr = plan.apr_tenths_of_percent;
    vec![
        Cell::text(plan.offer.plan.installments.to_string()),
        amount(plan.payments.first()),
        amount(plan.payments.last()),
        amount(Some(&plan.interest)),
        amount(Some(&plan.total)),
        Cell::text(format!("{}.{}%", apr / 10, apr % 10)),
    ]
}

/// How a shop embeds the price of the default plan.
fn widget(base: &str, merchant: i64, amount: Money) -> Vec<Block> {
    let address = |rest: &str| format!("{base}/price/{merchant}{rest}?amount={}", amount.to_decimal_string());
    let (page, picture) = (address(""), address("/image.svg"));
    let frame = format!(
        "<iframe src=\"{page}&amp;lang=en\" title=\"Pay in installments\" width=\"360\" height=\"170\"></iframe>"
    );
    let image = format!(
        "<img src=\"{picture}&amp;lang=en\" alt=\"Pay in installments\" width=\"640\" height=\"92\">"
    );
    vec![
        Block::text(
            "Embed the price of your default plan, as a frame or as a picture. Without lang it has the language of the browser; \
             lang=en and lang=el choose one. The warning about borrowing is part of it, as the law requires from 20 November 2026.",
        ),
        Block::Code("Frame".to_owned(), frame),
        Block::Code("Picture".to_owned(), image),
        Block::Links(vec![(page, "See the frame".to_owned()), (picture, "See the picture".to_owned())]),
    ]
}
