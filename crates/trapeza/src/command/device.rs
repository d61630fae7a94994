//! `trapeza device`: simulates a customer's chip or photo device, for a sandbox. In production only the customer holds the
//! device, and the server refuses this command.

use super::{AdminRequest, run};
use crate::admin::AdminResponse;
use crate::cli::Device;
use crate::demo::sandbox_file;
use trapeza_app::App;
use trapeza_domain::id::MethodId;

pub fn simulate(device: Device) -> (String, bool) {
    match device.bank.sources().load() {
        Err(error) => return (format!("{error}\n"), false),
        Ok(resolved) if sandbox_file::read(&resolved.config.data).is_none() => {
            let data = resolved.config.data.display().to_string();
            return (format!("{data} is not the data directory of a sandbox\n"), false);
        }
        Ok(_) => {}
    }
    let bank = device.bank.clone();
    run(&bank, AdminRequest::Device(device))
}

/// The digits that the device displays.
pub fn execute(app: &App, device: &Device) -> AdminResponse {
    let Device { method, challenge, .. } = device;
    let Some(method) = MethodId::parse(method) else {
        return AdminResponse { text: format!("{method} is not the id of a method\n"), exit: 1 };
    };
    match app.device_answer(method, challenge) {
        Ok(Some(answer)) => AdminResponse { text: format!("{answer}\n"), exit: 0 },
        Ok(None) => {
            let text = "unknown device, or the challenge has other than its number of digits; sandbox.json lists the \
                        CHIPOTP and PHOTOOTP methods\n";
            AdminResponse { text: text.to_owned(), exit: 1 }
        }
        Err(error) => AdminResponse { text: format!("cannot read the device: {error}\n"), exit: 1 },
    }
}
