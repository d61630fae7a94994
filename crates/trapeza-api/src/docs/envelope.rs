//! What the answers of a whole area share: open banking's envelope and references, Pay Later's problem body.

use super::schema::Schema::{self, Formatted, Integer, Open, Place, Text};
use super::schema::{Component, Field, always, list, map, perhaps};

pub static ACCOUNT_REFERENCE: Component = Component {
    name: "AccountReference",
    description: "Names an account or a card by exactly one identifier, and by its currency where an account has several.",
    schema: || {
        Schema::Object(vec![
            perhaps("iban", Text, "The account's IBAN."),
            perhaps("bban", Text, "The account's number within its country."),
            perhaps("pan", Text, "The card's number."),
            perhaps("maskedPan", Text, "The card's number with its middle hidden."),
            perhaps("msisdn", Text, "The phone number that the account is known by."),
            perhaps("currency", Text, "The account's currency, ISO 4217."),
        ])
    },
};

pub static SCA_METHOD: Component = Component {
    name: "ScaMethod",
    description: "A way in which the customer can prove who they are.",
    schema: || {
        Schema::Object(vec![
            always("authenticationType", Place(&["SMSOTP", "CHIPOTP", "PHOTOOTP", "PUSHOTP"]), ""),
            perhaps("authenticationVersion", Text, "The version of the method's tool."),
            always("authenticationMethodId", Text, "What to send in order to choose this method."),
            always("name", Text, "What the customer calls it."),
            perhaps("explanation", Text, "What the customer has to do."),
        ])
    },
};

pub static CHALLENGE_DATA: Component = Component {
    name: "ChallengeData",
    description: "What the customer needs in order to make the code.",
    schema: || {
        Schema::Object(vec![
            perhaps("image", Text, "A picture, PNG in base64."),
            perhaps("data", list(Text), "Digits to type into the device."),
            perhaps("imageLink", Text, "Where the picture is found."),
            perhaps("otpMaxLength", Integer, "How long the code is."),
            perhaps("otpFormat", Place(&["CHARACTERS", "INTEGER"]), ""),
            perhaps("additionalInformation", Text, "What the customer has to do."),
        ])
    },
};

pub static TPP_MESSAGE: Component = Component {
    name: "TppMessage",
    description: "Something the bank has to say about a call.",
    schema: || {
        Schema::Object(vec![
            always("category", Place(&["ERROR", "WARNING"]), ""),
            always(
                "code",
                Integer,
                "The code's place in its list, which depends on the status and the service. The text begins with its name.",
            ),
            perhaps("path", Text, "The field or header that it is about: `access.accounts[0].iban`."),
            always("text", Text, "The code's name, and what to change."),
        ])
    },
};

pub static LINKS: Component = Component {
    name: "Links",
    description: "Exactly the steps that are possible next, by name.",
    schema: || {
        map(Schema::Object(vec![always("href", Text, "Where; relative to this server unless it is a page.")]))
    },
};

/// The fields that every answer of open banking has.
pub fn with_envelope(mut fields: Vec<Field>) -> Schema {
    fields.extend([
        always("_links", Schema::Component(&LINKS), "What can be done next."),
        always("authenticationSchemes", list(Text), "Ways to authenticate; empty."),
        always("properties", Open, "Further properties; empty."),
        always("statusCode", Place(&["success", "refusal"]), ""),
        always(
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
            always("tppMessages", list(Schema::Component(&TPP_MESSAGE)), "What is wrong, and where."),
            always("statusCode", Place(&["success", "refusal"]), ""),
            always("_links", Schema::Component(&LINKS), "What can be done next."),
        ])
    },
};

pub static PROBLEM: Component = Component {
    name: "Problem",
    description: "A refusal. Everything that is wrong is said at once, one item of `errors` each.",
    schema: || {
        let item = Schema::Object(vec![
            perhaps("field", Text, "The field or header that it is about; empty when it is about none."),
            perhaps("code", Text, "On loans, the kind of fault by name."),
            always("message", Text, "What to change."),
        ]);
        Schema::Object(vec![
            always("type", Formatted("uri"), "The kind of problem."),
            always("title", Text, "The status in words."),
            always("status", Integer, "The HTTP status."),
            always("detail", Text, "What is wrong."),
            always("instance", Formatted("uri"), "This occurrence: the id to name when you ask for help."),
            always("message", Text, "What is wrong, as in `detail`."),
            always("errors", list(item), "Each fault by itself."),
        ])
    },
};
