//! The session of the app: the locked app, the devices of the customer, and help.

use super::session_templates::{DeviceCard, Devices, Help, Locked};
use super::templates::Confirm;
use super::{Customer, app_header};
use crate::internal_error;
use crate::layout::{Form, Layout, redirect, render};
use crate::page_request::PageRequest;
use crate::summary::SummaryRow;
use axum::http::StatusCode;
use axum::response::Response;
use trapeza_app::UseCaseError;
use trapeza_app::device::CustomerDevice;
use trapeza_domain::time::Timestamp;
use trapeza_texts::format;
use trapeza_texts::page::fill;

const DEVICES: &str = "/app/devices";

/// Asks the customer of an enrolled device for the password only, and says why.
pub fn locked_page(
    request: &PageRequest,
    (name, ended_at): (&str, Timestamp),
    (status, error): (StatusCode, Option<&'static str>),
) -> Response {
    let words = request.texts.customer;
    // The first name is enough to recognise oneself.
    let first = name.split_whitespace().next().unwrap_or_default();
    let is_locked = request.query("notice").as_deref() == Some("locked");
    let text = match is_locked || error.is_some() {
        true => words.locked.to_owned(),
        false => fill(words.timed_out, &moment(request, ended_at)),
    };
    let layout = Layout::of(request, &fill(words.locked_title, first));
    render(request, status, &Locked { layout, form: Form::of(request), text, error })
}

fn moment(request: &PageRequest, at: Timestamp) -> String {
    let zone = request.state.app.clock().zone();
    format::day_and_time(request.texts.language, zone.day(at), &zone.clock_time(at))
}

/// The page of the app to which a form returns; the first one for anything else.
pub fn next_page(request: &PageRequest) -> &str {
    let next = request.field("next");
    let is_ours = next.starts_with("/app/") && !next.contains(['\\', '\r', '\n']);
    if is_ours { next } else { "/app" }
}

/// The devices that are enrolled as the customer's app.
pub async fn list_devices(request: &PageRequest, customer: &Customer) -> Response {
    let found = match request.state.app.customer_device_list(customer.psu, &request.session).await {
        Ok(found) => found,
        Err(error) => return internal_error(request, &error),
    };
    let words = request.texts.customer;
    let card = |device: &CustomerDevice| DeviceCard {
        name: if device.is_this { words.device_this } else { words.device_other },
        rows: device_rows(request, device),
        href: if device.is_this { "/app/device".to_owned() } else { format!("{DEVICES}/{}", device.id) },
    };
    let page = Devices {
        layout: Layout::of(request, words.devices),
        top: app_header(request, customer, DEVICES),
        devices: found.iter().map(card).collect(),
        notice: request.query("notice").filter(|notice| notice == "removed").map(|_| words.device_removed),
    };
    render(request, StatusCode::OK, &page)
}

fn device_rows(request: &PageRequest, device: &CustomerDevice) -> Vec<SummaryRow> {
    let (texts, words) = (request.texts, request.texts.customer);
    let zone = request.state.app.clock().zone();
    let mut rows = vec![
        SummaryRow::new(words.device_since, moment(request, device.enrolled_at)),
        SummaryRow::new(words.device_expires, texts.day(zone.day(device.expires_at))),
    ];
    rows.extend(device.is_signed_in.then(|| SummaryRow::new(words.status, words.device_signed_in)));
    rows
}

/// Asks whether another device shall be removed, and removes it.
pub async fn serve_removal(request: &PageRequest, customer: &Customer, id: &str, sent: bool) -> Response {
    let app = &request.state.app;
    if sent {
        return match app.customer_device_remove(customer.psu, id).await {
            Ok(()) => redirect(&format!("{DEVICES}?notice=removed")),
            Err(UseCaseError::Refused(_)) => redirect(DEVICES),
            Err(error) => internal_error(request, &error),
        };
    }
    let found = match app.customer_device_list(customer.psu, &request.session).await {
        Ok(found) => found,
        Err(error) => return internal_error(request, &error),
    };
    // An unknown device: show the list.
    let Some(device) = found.iter().find(|device| device.id == id) else { return redirect(DEVICES) };
    let words = request.texts.customer;
    let page = Confirm {
        layout: Layout::of(request, words.device_remove_title),
        top: app_header(request, customer, DEVICES),
        form: Form::of(request),
        rows: device_rows(request, device),
        text: words.device_remove_text,
        label: words.device_remove.to_owned(),
        cancel: DEVICES,
        approval: None,
        error: None,
    };
    render(request, StatusCode::OK, &page)
}

pub fn help(request: &PageRequest, customer: &Customer) -> Response {
    let (words, bank) = (request.texts.customer, request.state.app.bank_profile());
    let page = Help {
        layout: Layout::of(request, words.help),
        top: app_header(request, customer, "/app/help"),
        address: bank.contact.postal_address.clone(),
        no_contact: fill(words.help_no_contact, &bank.name),
    };
    render(request, StatusCode::OK, &page)
}
