//! `trapeza device`: plays a customer's card reader or photo reader, so that a sandbox needs none. A production bank does
//! not know this command: there, only the customer holds the device.

use super::on_the_bank;
use crate::admin::{Answer, Command};
use crate::cli::Device;
use crate::demo::sandbox_file;
use trapeza_app::App;
use trapeza_domain::id::MethodId;

/// What it is called on the admin socket.
pub const NAME: &str = "device";

pub fn run(device: &Device) -> (String, bool) {
    match device.bank.sources().load() {
        Err(error) => return (format!("{error}\n"), false),
        Ok(effective) if sandbox_file::read(&effective.config.data).is_none() => {
            let data = effective.config.data.display().to_string();
            return (
                format!("{data} is not a sandbox's data directory; only a sandbox plays devices\n"),
                false,
            );
        }
        Ok(_) => {}
    }
    let arguments = vec![device.method.clone(), device.challenge.clone()];
    let command = Command { command: NAME.to_owned(), arguments: arguments.clone() };
    on_the_bank(&device.bank, command, |app| report(app, &arguments))
}

/// What the device shows. The arguments are its method's id and the digits it is given.
pub fn report(app: &App, arguments: &[String]) -> Answer {
    let [method, challenge] = arguments else {
        return Answer { text: "a device is given a method and a challenge\n".to_owned(), exit: 2 };
    };
    let Some(method) = MethodId::parse(method) else {
        return Answer { text: format!("{method} is not the id of a method\n"), exit: 1 };
    };
    match app.device_answer(method, challenge) {
        Ok(Some(answer)) => Answer { text: format!("{answer}\n"), exit: 0 },
        Ok(None) => {
            let text = "there is no such device, or the challenge is not its digits; sandbox.json lists the \
                        methods, CHIPOTP and PHOTOOTP are devices\n";
            Answer { text: text.to_owned(), exit: 1 }
        }
        Err(stop) => Answer { text: format!("the device could not be read: {stop}\n"), exit: 1 },
    }
}
