//! Components that the responses of an API family share: the envelope and references of open banking, the problem body of Pay
//! Later.

use super::schema::Schema::{self, AnyObject, EnumIndex, Formatted, Integer, Text};
use super::schema::{Component, Field, list, map, optional, required};

pub static ACCOUNT_REFERENCE: Component = Component {
    name: "AccountReference",
    description: "An account or card, by exactly one identifier, and by its currency where an account has several.",
    schema: || {
        Schema::Object(vec![
            optional("iban", Text, "The account's IBAN."),
            optional("bban", Text, "The account's number within its country."),
            optional("pan", Text, "The card's number."),
            optional("maskedPan", Text, "The masked card number."),
            optional("msisdn", Text, "The phone number of the account."),
            optional("currency", Text, "The account's currency, ISO 4217."),
        ])
    },
};

pub static SCA_METHOD: Component = Component {
    name: "ScaMethod",
    description: "An SCA method of the customer.",
    schema: || {
        Schema::Object(vec![
            required("authenticationType", EnumIndex(&["SMSOTP", "CHIPOTP", "PHOTOOTP", "PUSHOTP"]), ""),
            optional("authenticationVersion", Text, "The version of the authentication tool."),
            required("authenticationMethodId", Text, "The id to send in order to select this method."),
            required("name", Text, "The customer's name for it."),
            optional("explanation", Text, "Instructions for the customer."),
        ])
    },
};

pub static CHALLENGE_DATA: Component = Component {
    name: "ChallengeData",
    description: "The challenge for the customer.",
    schema: || {
        Schema::Object(vec![
            optional("image", Text, "An image, as a PNG in base64."),
            optional("data", list(Text), "Digits to type into the device."),
            optional("imageLink", Text, "The URL of the image."),
            optional("otpMaxLength", Integer, "The length of the OTP."),
            optional("otpFormat", EnumIndex(&["CHARACTERS", "INTEGER"]), ""),
            optional("additionalInformation", Text, "Instructions for the customer."),
        ])
    },
};

pub static TPP_MESSAGE: Component = Component {
    name: "TppMessage",
    description: "A message about a request.",
    schema: || {
        Schema::Object(vec![
            required("category", EnumIndex(&["ERROR", "WARNING"]), ""),
            required(
                "code",
                Integer,
                "The index of the code in its list, which depends on status and service. The text begins with its name.",
            ),
            optional("path", Text, "The field or header: `access.accounts[0].iban`."),
            required("text", Text, "The name of the code and what to change."),
        ])
    },
};

pub static LINKS: Component = Component {
    name: "Links",
    description: "The possible next steps, by name.",
    schema: || {
        map(Schema::Object(vec![required(
            "href",
            Text,
            "The URL; relative to this server unless it is a page.",
        )]))
    },
};

/// Adds the fields of the envelope of open banking.
pub fn with_envelope(mut fields: Vec<Field>) -> Schema {
    fields.extend([
        required("_links", Schema::Component(&LINKS), "The possible next steps."),
        required("authenticationSchemes", list(Text), "Always empty."),
        required("properties", AnyObject, "Always empty."),
        required("statusCode", EnumIndex(&["success", "refusal"]), ""),
        required("tppMessages", list(Schema::Component(&TPP_MESSAGE)), "Messages about the request."),
    ]);
    Schema::Object(fields)
}

pub static OPEN_BANKING_ERROR: Component = Component {
    name: "OpenBankingError",
    description: "An error. All field errors are reported at once, one message each.",
    schema: || {
        Schema::Object(vec![
            required("tppMessages", list(Schema::Component(&TPP_MESSAGE)), "The errors and their fields."),
            required("statusCode", EnumIndex(&["success", "refusal"]), ""),
            required("_links", Schema::Component(&LINKS), "The possible next steps."),
        ])
    },
};

pub static PROBLEM: Component = Component {
    name: "Problem",
    description: "An error. All field errors are reported at once, one item of `errors` each.",
    schema: || {
        let item = Schema::Object(vec![
            optional("field", Text, "The field or header."),
            optional("code", Text, "The error code, on loans."),
            required("message", Text, "What to change."),
        ]);
        Schema::Object(vec![
            required("type", Formatted("uri"), "The kind of problem."),
            required("title", Text, "The reason phrase of the status."),
            required("status", Integer, "The HTTP status."),
            required("detail", Text, "A description of the error."),
            required("instance", Formatted("uri"), "The id of this occurrence, for support."),
            required("message", Text, "The same as `detail`."),
            required("errors", list(item), "The field errors."),
        ])
    },
};
