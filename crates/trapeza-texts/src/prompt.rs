//! The texts that a third party shows to the customer with a challenge: `psuMessage`, and the instruction beside its data.

use crate::Language;
use trapeza_domain::psu::MethodKind;

/// `display` is what the challenge displays: digits for a device, or the number to compare in the app.
pub fn challenge(language: Language, method: MethodKind, display: &str) -> String {
    match (language, method) {
        (Language::English, MethodKind::Sms) => {
            "We have sent you a text message with a code. Please enter the code.".to_owned()
        }
        (Language::Greek, MethodKind::Sms) => {
            "Σας στείλαμε μήνυμα με έναν κωδικό. Παρακαλούμε εισαγάγετε τον κωδικό.".to_owned()
        }
        (Language::English, MethodKind::Chip) => {
            format!("Please type {display} into your card reader and enter the code it shows.")
        }
        (Language::Greek, MethodKind::Chip) => {
            format!(
                "Πληκτρολογήστε {display} στη συσκευή της κάρτας σας και εισαγάγετε τον κωδικό που δείχνει."
            )
        }
        (Language::English, MethodKind::Photo) => {
            "Please scan the picture with your photo reader and enter the code it shows.".to_owned()
        }
        (Language::Greek, MethodKind::Photo) => {
            "Σαρώστε την εικόνα με τη συσκευή σας και εισαγάγετε τον κωδικό που δείχνει.".to_owned()
        }
        (Language::English, MethodKind::Push) => {
            format!("Please open your banking app and confirm there. The number is {display}.")
        }
        (Language::Greek, MethodKind::Push) => {
            format!("Ανοίξτε την εφαρμογή της τράπεζας και επιβεβαιώστε εκεί. Ο αριθμός είναι {display}.")
        }
    }
}

/// The instruction beside the data of a challenge, shorter than [`challenge`].
pub const fn instruction(language: Language, method: MethodKind) -> &'static str {
    match (language, method) {
        (Language::English, MethodKind::Sms) => "The code was sent by text message.",
        (Language::Greek, MethodKind::Sms) => "Ο κωδικός στάλθηκε με μήνυμα SMS.",
        (Language::English, MethodKind::Chip) => "Type these digits into the card reader.",
        (Language::Greek, MethodKind::Chip) => "Πληκτρολογήστε αυτά τα ψηφία στη συσκευή της κάρτας.",
        (Language::English, MethodKind::Photo) => "Scan the picture with the photo reader.",
        (Language::Greek, MethodKind::Photo) => "Σαρώστε την εικόνα με τη συσκευή σας.",
        (Language::English, MethodKind::Push) => "Choose this number in the banking app.",
        (Language::Greek, MethodKind::Push) => "Επιλέξτε αυτόν τον αριθμό στην εφαρμογή της τράπεζας.",
    }
}
