//! SMS and push messages. A message says who asks, for what, and the code; nothing else. An SMS begins with the bank's name,
//! because the customer cannot rely on the number it comes from.

use crate::{Language, format};
use trapeza_domain::loan::ReviewKind;
use trapeza_domain::money::Money;
use trapeza_domain::time::Date;

/// The longest name of a third party or merchant in a message, in characters.
const MAX_NAME_CHARS: usize = 40;

/// The SMS with the OTP of an authorisation. `description` comes from [`crate::approval::description`].
pub fn authorisation_otp(
    language: Language,
    bank: &str,
    third_party: &str,
    description: &str,
    otp: &str,
) -> String {
    match language {
        Language::English => {
            format!(
                "{bank}: {third_party} asks to {description}. If you agree, your code is {otp}. Do not share it."
            )
        }
        Language::Greek => {
            format!(
                "{bank}: {third_party} ζητά να {description}. Αν συμφωνείτε, ο κωδικός σας είναι {otp}. Μην τον δώσετε σε κανέναν."
            )
        }
    }
}

/// The push message that asks for an approval in the bank's app.
pub fn approval_request(language: Language, third_party: &str, description: &str) -> String {
    match language {
        Language::English => {
            format!("{third_party} asks to {description}. Open the app to approve or reject it.")
        }
        Language::Greek => {
            format!(
                "{third_party} ζητά να {description}. Ανοίξτε την εφαρμογή για να το εγκρίνετε ή να το απορρίψετε."
            )
        }
    }
}

/// The SMS with the OTP that enrols a device.
pub fn device_enrolment_otp(language: Language, bank: &str, otp: &str) -> String {
    match language {
        Language::English => {
            format!("{bank}: your code to use the bank's app on a new device is {otp}. Do not share it.")
        }
        Language::Greek => {
            format!(
                "{bank}: ο κωδικός σας για την εφαρμογή της τράπεζας σε νέα συσκευή είναι {otp}. Μην τον δώσετε σε κανέναν."
            )
        }
    }
}

/// The SMS with the OTP that verifies a telephone number at a checkout.
pub fn checkout_otp(language: Language, bank: &str, amount: Money, merchant: &str, otp: &str) -> String {
    let amount = format::money(language, amount);
    match language {
        Language::English => {
            format!("{bank}: your code to pay {amount} later at {merchant} is {otp}. Do not share it.")
        }
        Language::Greek => {
            format!(
                "{bank}: ο κωδικός σας για να πληρώσετε αργότερα {amount} στο κατάστημα {merchant} είναι {otp}. Μην τον δώσετε σε κανέναν."
            )
        }
    }
}

/// The SMS with the OTP that opens the page of a loan.
pub fn loan_otp(language: Language, bank: &str, merchant: &str, otp: &str) -> String {
    match language {
        Language::English => {
            format!("{bank}: your code to see your loan for {merchant} is {otp}. Do not share it.")
        }
        Language::Greek => {
            format!(
                "{bank}: ο κωδικός σας για να δείτε το δάνειό σας για το κατάστημα {merchant} είναι {otp}. Μην τον δώσετε σε κανέναν."
            )
        }
    }
}

/// What a person decided after a review.
#[derive(Clone, Copy, Debug)]
pub struct ReviewOutcome<'a> {
    pub kind: ReviewKind,
    /// The amount of the loan or of the declined purchase.
    pub amount: Money,
    pub is_granted: bool,
    /// The last day on which an approval can be used.
    pub valid_until: Option<Date>,
    /// The reasons, as a member of the staff wrote them.
    pub explanation: &'a str,
}

/// The SMS with the decision of a person.
pub fn loan_review(language: Language, bank: &str, review: &ReviewOutcome<'_>) -> String {
    let amount = format::money(language, review.amount);
    let until = review.valid_until.map(|day| format::day(language, day)).unwrap_or_default();
    let decision = match (language, review.kind, review.is_granted) {
        (Language::English, ReviewKind::Decision, true) => {
            format!(
                "a person has reviewed our decision. You can buy for up to {amount} in installments until {until}."
            )
        }
        (Language::English, ReviewKind::Decision, false) => {
            format!("a person has reviewed our decision about {amount}. It stays as it is.")
        }
        (Language::English, ReviewKind::Extension, true) => {
            format!("your loan of {amount} has a longer plan. You see it on the page of the loan.")
        }
        (Language::English, ReviewKind::Extension, false) => {
            format!("a longer plan for your loan of {amount} is not possible.")
        }
        (Language::Greek, ReviewKind::Decision, true) => {
            format!(
                "ένας υπάλληλος επανεξέτασε την απόφασή μας. Μπορείτε να αγοράσετε με δόσεις έως {amount} μέχρι τις {until}."
            )
        }
        (Language::Greek, ReviewKind::Decision, false) => {
            format!("ένας υπάλληλος επανεξέτασε την απόφασή μας για {amount}. Η απόφαση παραμένει.")
        }
        (Language::Greek, ReviewKind::Extension, true) => {
            format!(
                "το δάνειό σας ύψους {amount} έχει μεγαλύτερη διάρκεια. Θα δείτε το νέο πρόγραμμα στη σελίδα του δανείου."
            )
        }
        (Language::Greek, ReviewKind::Extension, false) => {
            format!("δεν είναι δυνατή μεγαλύτερη διάρκεια για το δάνειό σας ύψους {amount}.")
        }
    };
    format!("{bank}: {decision} {}", review.explanation)
}

/// The reminder of the right of withdrawal.
pub fn withdrawal_reminder(
    language: Language,
    bank: &str,
    merchant: &str,
    amount: Money,
    last: Date,
) -> String {
    let (amount, last) = (format::money(language, amount), format::day(language, last));
    match language {
        Language::English => format!(
            "{bank}: you can withdraw from your loan of {amount} for {merchant} until {last}, without giving a reason, in the app or on the page of your loan. You then pay back the amount and the interest of the days within 30 days."
        ),
        Language::Greek => format!(
            "{bank}: μπορείτε να υπαναχωρήσετε από το δάνειό σας ύψους {amount} για το κατάστημα {merchant} έως τις {last}, χωρίς αιτιολογία, στην εφαρμογή ή στη σελίδα του δανείου. Τότε επιστρέφετε το ποσό και τους τόκους των ημερών μέσα σε 30 ημέρες."
        ),
    }
}

/// What a borrower in arrears is offered.
#[derive(Clone, Copy, Debug)]
pub struct ForbearanceOffer<'a> {
    pub merchant: &'a str,
    /// What is overdue.
    pub amount: Money,
    /// Whether the installments can be paused without a decision.
    pub can_pause: bool,
    /// Who advises people in debt.
    pub advice: Option<&'a str>,
}

/// The SMS to a borrower in arrears.
pub fn forbearance_offer(language: Language, bank: &str, offer: &ForbearanceOffer<'_>) -> String {
    let (amount, merchant) = (format::money(language, offer.amount), offer.merchant);
    let mut text = match (language, offer.can_pause) {
        (Language::English, true) => format!(
            "{bank}: {amount} of your loan for {merchant} is overdue. If you cannot pay now, you can pause it for a month or ask for a longer plan, free of charge, in the app or on the page of your loan."
        ),
        (Language::English, false) => format!(
            "{bank}: {amount} of your loan for {merchant} is overdue. If you cannot pay now, speak to us: we look for a solution with you."
        ),
        (Language::Greek, true) => format!(
            "{bank}: {amount} του δανείου σας για το κατάστημα {merchant} είναι σε καθυστέρηση. Αν δεν μπορείτε να πληρώσετε τώρα, μπορείτε χωρίς χρέωση να το αναβάλετε για έναν μήνα ή να ζητήσετε μεγαλύτερη διάρκεια, στην εφαρμογή ή στη σελίδα του δανείου."
        ),
        (Language::Greek, false) => format!(
            "{bank}: {amount} του δανείου σας για το κατάστημα {merchant} είναι σε καθυστέρηση. Αν δεν μπορείτε να πληρώσετε τώρα, μιλήστε μας: θα βρούμε μαζί μια λύση."
        ),
    };
    if let Some(advice) = offer.advice {
        text.push_str(&match language {
            Language::English => format!(" Independent advice: {advice}."),
            Language::Greek => format!(" Ανεξάρτητη συμβουλή: {advice}."),
        });
    }
    text
}

/// How the first installment of a loan is paid by transfer.
#[derive(Clone, Copy, Debug)]
pub struct LoanInstructions<'a> {
    pub merchant: &'a str,
    pub amount: Money,
    pub day: Date,
    /// IBAN and reference in their printed forms.
    pub iban: &'a str,
    pub reference: &'a str,
    /// The address of the loan's page.
    pub page: &'a str,
}

/// The SMS to a shopper without an account at the bank after a purchase.
pub fn loan_instructions(language: Language, bank: &str, loan: &LoanInstructions<'_>) -> String {
    let LoanInstructions { merchant, amount, day, iban, reference, page } = *loan;
    let (amount, day) = (format::money(language, amount), format::day(language, day));
    match language {
        Language::English => format!(
            "{bank}: for your purchase at {merchant}, transfer {amount} by {day} to {iban} with the reference {reference}. Your agreement: {page}"
        ),
        Language::Greek => format!(
            "{bank}: για την αγορά σας στο κατάστημα {merchant}, μεταφέρετε {amount} έως τις {day} στον λογαριασμό {iban} με κωδικό πληρωμής {reference}. Η σύμβασή σας: {page}"
        ),
    }
}

/// The e-mail with the link to the documents of a loan. Its first line is the subject.
pub fn loan_documents(language: Language, bank: &str, merchant: &str, page: &str) -> String {
    match language {
        Language::English => format!(
            "{bank}: your credit agreement for {merchant}\n\nYour credit agreement and the pre-contractual information for your purchase at {merchant} are here:\n\n{page}\n\nSave them. The bank stores them unchanged.\n\nThe bank never asks for codes or passwords by e-mail.\n"
        ),
        Language::Greek => format!(
            "{bank}: η σύμβαση πίστωσής σας για το κατάστημα {merchant}\n\nΗ σύμβαση πίστωσης και οι προσυμβατικές πληροφορίες για την αγορά σας στο κατάστημα {merchant} είναι εδώ:\n\n{page}\n\nΑποθηκεύστε τις. Η τράπεζα τις φυλάσσει αμετάβλητες.\n\nΗ τράπεζα δεν ζητά ποτέ κωδικούς με e-mail.\n"
        ),
    }
}

/// The SMS after too many wrong passwords.
pub fn password_block(language: Language, bank: &str) -> String {
    match language {
        Language::English => {
            format!(
                "{bank}: your password was entered wrongly several times, and signing in is blocked for a while. If it was not you, call the bank."
            )
        }
        Language::Greek => {
            format!(
                "{bank}: ο κωδικός πρόσβασής σας δόθηκε λανθασμένα πολλές φορές και η σύνδεση αποκλείστηκε προσωρινά. Αν δεν ήσασταν εσείς, καλέστε την τράπεζα."
            )
        }
    }
}

/// The SMS after the bank has set a new password.
pub fn password_reset(language: Language, bank: &str) -> String {
    match language {
        Language::English => {
            format!(
                "{bank}: the bank has set a new password for you. If you did not ask for it, call the bank."
            )
        }
        Language::Greek => {
            format!(
                "{bank}: η τράπεζα όρισε νέο κωδικό πρόσβασης για εσάς. Αν δεν το ζητήσατε, καλέστε την τράπεζα."
            )
        }
    }
}

/// The SMS after a change of the telephone number, to the old number and to the new one, which ends in these digits.
pub fn phone_change(language: Language, bank: &str, last_digits: &str) -> String {
    match language {
        Language::English => {
            format!(
                "{bank}: your telephone number is now the one that ends in {last_digits}, and codes are sent there. If you did not ask for it, call the bank."
            )
        }
        Language::Greek => {
            format!(
                "{bank}: ο αριθμός τηλεφώνου σας είναι πλέον αυτός που τελειώνει σε {last_digits} και οι κωδικοί στέλνονται εκεί. Αν δεν το ζητήσατε, καλέστε την τράπεζα."
            )
        }
    }
}

/// A name as messages show it: shortened, and without control characters that could fake another message.
pub fn display_name(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MAX_NAME_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn display_name_has_no_line_breaks_and_at_most_forty_characters() {
        assert_eq!(display_name("Best\r\nPay"), "Best  Pay");
        assert_eq!(display_name(&"ή".repeat(99)).chars().count(), 40);
    }

    #[test]
    fn otp_messages_contain_the_bank_and_the_otp_in_both_languages() {
        let amount = Money::new(5000, trapeza_domain::money::Currency::EUR);
        for language in Language::ALL {
            for text in [
                authorisation_otp(language, "Trapeza", "Best Pay", "read account …1234 once", "123456"),
                device_enrolment_otp(language, "Trapeza", "123456"),
                checkout_otp(language, "Trapeza", amount, "Shop", "123456"),
                loan_otp(language, "Trapeza", "Shop", "123456"),
            ] {
                assert!(text.starts_with("Trapeza: ") && text.contains("123456"), "{text}");
            }
        }
    }
}
