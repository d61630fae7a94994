//! Samples of the template contexts about the session of the app.

use super::samples::app_header;
use super::session_templates::{DeviceCard, Devices, Help, Locked};
use crate::samples::{EVIL, Samples, form, layout};
use crate::summary::SummaryRow;
use trapeza_texts::page::{PageTexts, fill};

impl Samples for Locked {
    fn samples(texts: &'static PageTexts) -> Vec<Self> {
        let one = |text: String, error| Self {
            layout: layout(texts, &fill(texts.customer.locked_title, EVIL)),
            form: form(),
            text,
            error,
        };
        let timed_out = fill(texts.customer.timed_out, "1 March 2026, 14:05");
        vec![one(texts.customer.locked.to_owned(), Some(texts.app.wrong)), one(timed_out, None)]
    }
}

impl Samples for Devices {
    fn samples(texts: &'static PageTexts) -> Vec<Self> {
        let device = |name| DeviceCard {
            name,
            rows: vec![SummaryRow::new(texts.customer.device_since, "1 March 2026, 14:05")],
            href: "/app/devices/1".to_owned(),
        };
        vec![Self {
            layout: layout(texts, texts.customer.devices),
            top: app_header(texts, ""),
            devices: vec![device(texts.customer.device_this), device(texts.customer.device_other)],
            notice: Some(texts.customer.device_removed),
        }]
    }
}

impl Samples for Help {
    fn samples(texts: &'static PageTexts) -> Vec<Self> {
        let one = |address: Option<&str>| Self {
            layout: layout(texts, texts.customer.help),
            top: app_header(texts, ""),
            address: address.map(str::to_owned),
            no_contact: fill(texts.customer.help_no_contact, "Trapeza"),
        };
        vec![one(None), one(Some(EVIL))]
    }
}
