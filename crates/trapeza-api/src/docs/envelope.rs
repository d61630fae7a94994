//! What the answers of a whole area share: open banking's envelope and references, Pay Later's problem body.

use super::schema::Schema::{self, AnyObject, EnumIndex, Formatted, Integer, Text};
use super::schema::{Component, Field, list, map, optional, required};

pub static ACCOUNT_REFERENCE: Component = Component {
    name: "AccountReference",
    description: "Names an account or a card by exactly one identifier, and by its currency where an account has several.",
    schema: || {
        Schema::Object(vec![
            optional("iban", Text, "The account's IBAN."),
            optional("bban", Text, "The account's number within its country."),
            optional("pan", Text, "The card's number."),
            optional("maskedPan", Text, "The card's number with its middle hidden."),
            optional("msisdn", Text, "The phone number that the account is known by."),
            optional("currency", Text, "The account's currency, ISO 4217."),
        ])
    },
};

pub static SCA_METHOD: Component = Component {
    name: "ScaMethod",
    description: "A way in which the customer can prove who they are.",
    schema: || {
        Schema::Object(vec![
            required("authenticationType", EnumIndex(&["SMSOTP", "CHIPOTP", "PHOTOOTP", "PUSHOTP"]), ""),
            optional("authenticationVersion", Text, "The version of the method's tool."),
            required("authenticationMethodId", Text, "What to send in order to choose this method."),
            required("name", Text, "What the customer calls it."),
            optional("explanation", Text, "What the customer has to do."),
        ])
    },
};

pub static CHALLENGE_DATA: Component = Component {
    name: "ChallengeData",
    description: "What the customer needs in order to make the code.",
    schema: || {
        Schema::Object(vec![
            optional("image", Text, "A picture, PNG in base64."),
            optional("data", list(Text), "Digits to type into the device."),
            optional("imageLink", Text, "Where the picture is found."),
            optional("otpMaxLength", Integer, "How long the code is."),
            optional("otpFormat", EnumIndex(&["CHARACTERS", "INTEGER"]), ""),
            optional("additionalInformation", Text, "What the customer has to do."),
        ])
    },
};

pub static TPP_MESSAGE: Component = Component {
    name: "TppMessage",
    description: "Something the bank has to say about a call.",
    schema: || {
        Schema::Object(vec![
            required("category", EnumIndex(&["ERROR", "WARNING"]), ""),
            required(
                "code",
                Integer,
                "The code's place in its list, which depends on the status and the service. The text begins with its name.",
            ),
            optional("path", Text, "The field or header that it is about: `access.accounts[0].iban`."),
            required("text", Text, "The code's name, and what to change."),
        ])
    },
};

pub static LINKS: Component = Component {
    name: "Links",
    description: "Exactly the steps that are possible next, by name.",
    schema: || {
        map(Schema::Object(vec![required(
            "href",
            Text,
            "Where; relative to this server unless it is a page.",
        )]))
    },
};

/// The fields that every answer of open banking has.
pub fn with_envelope(mut fields: Vec<Field>) -> Schema {
    fields.extend([
        required("_links", Schema::Component(&LINKS), "What can be done next."),
        required("authenticationSchemes", list(Text), "Ways to authenticate; empty."),
        required("properties", AnyObject, "Further properties; empty."),
        required("statusCode", EnumIndex(&["success", "refusal"]), ""),
        required(
            "tppMessages",
            list(Schema::Component(&TPP_MESSAGE)),
            "What the bank has to say about the call.",
        ),
    ]);
    Schema::Object(fields)
}

pub static OPEN_BANKING_ERROR: Component = Component {
    name: "OpenBankingError",
    description: "A refusal. Everything that is wrong is said at once, one message each.",
    schema: || {
        Schema::Object(vec![
            required("tppMessages", list(Schema::Component(&TPP_MESSAGE)), "What is wrong, and where."),
            required("statusCode", EnumIndex(&["success", "refusal"]), ""),
            required("_links", Schema::Component(&LINKS), "What can be done next."),
        ])
    },
};

pub static PROBLEM: Component = Component {
    name: "Problem",
    description: "A refusal. Everything that is wrong is said at once, one item of `errors` each.",
    schema: || {
        let item = Schema::Object(vec![
            optional("field", Text, "The field or header that it is about; empty when it is about none."),
            optional("code", Text, "On loans, the kind of fault by name."),
            required("message", Text, "What to change."),
        ]);
        Schema::Object(vec![
            required("type", Formatted("uri"), "The kind of problem."),
            required("title", Text, "The status in words."),
            required("status", Integer, "The HTTP status."),
            required("detail", Text, "What is wrong."),
            required("instance", Formatted("uri"), "This occurrence: the id to name when you ask for help."),
            required("message", Text, "What is wrong, as in `detail`."),
            required("errors", list(item), "Each fault by itself."),
        ])
    },
};
