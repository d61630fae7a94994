//! The guides: what to do in which order, with the examples of the operations. A test runs them like those of the reference.

use super::command;
use super::example::{self, Example};
use super::layout::{GUIDES, Layout, slug};
use crate::docs::{DocVariant, index, operations};
use crate::operation as op;
use askama::Template;
use trapeza_http::operation::Operation;

#[derive(Template)]
#[template(path = "docs_guides.html")]
struct GuidePage {
    layout: Layout,
    setup: Vec<Example>,
    guides: Vec<Guide>,
}

struct Guide {
    id: &'static str,
    title: &'static str,
    about: &'static str,
    steps: Vec<Step>,
}

struct Step {
    /// The place in its guide, from one on.
    number: usize,
    text: &'static str,
    /// Page, id and name of the operation, if the example is that of one.
    operation: Option<(String, &'static str, &'static str)>,
    status: u16,
    /// The requests that the page can run, if the example is that of an operation.
    run: Option<String>,
    examples: Vec<Example>,
}

pub fn page(variant: &DocVariant) -> String {
    let setup = if variant.sandbox { example::setup(command::VARIABLES) } else { Vec::new() };
    let layout = Layout::new(variant, "Guides", GUIDES);
    let mut guides = vec![
        first_consent(variant),
        first_payment(variant),
        webhooks(variant),
        idempotency(variant),
        errors(variant),
        going_live(),
    ];
    for guide in &mut guides {
        guide.steps.iter_mut().zip(1..).for_each(|(step, number)| step.number = number);
    }
    let page = GuidePage { layout, setup, guides };
    page.render().expect("the template writes into a String, which cannot fail")
}

/// The steps whose operations exist in this variant.
fn steps(variant: &DocVariant, all: &[(&'static str, &'static Operation)]) -> Vec<Step> {
    let exists = |wanted: &Operation| operations(variant).any(|operation| operation.id == wanted.id);
    let step = |(text, operation): &(&'static str, &'static Operation)| {
        let doc = index::of(operation);
        Step {
            number: 0,
            text,
            operation: Some((slug(doc.tag), operation.id, doc.summary)),
            status: operation.success,
            run: variant.sandbox.then(|| command::requests(variant, operation)),
            examples: example::of(variant, operation),
        }
    };
    all.iter().filter(|(_, operation)| exists(operation)).map(step).collect()
}

fn own_step(text: &'static str, status: u16, [shell, python, typescript]: [String; 3]) -> Step {
    let examples = example::examples(shell, python, typescript);
    Step { number: 0, text, operation: None, status, run: None, examples }
}

fn first_consent(variant: &DocVariant) -> Guide {
    Guide {
        id: "first-consent",
        title: "First consent",
        about: "A consent lets you read a customer's accounts. It has no effect until the customer has authorised it with two factors.",
        steps: steps(
            variant,
            &[
                (
                    "Create the consent for a customer. The response has its id and links to what is possible next.",
                    &op::CONSENT_CREATE,
                ),
                ("Start an authorisation.", &op::CONSENT_AUTHORISATION.start),
                (
                    "Send the customer's password, the chosen method and the code. In the sandbox the code is the otp of sandbox.json.",
                    &op::CONSENT_AUTHORISATION.update,
                ),
                ("The consent is valid. List the accounts that it covers.", &op::ACCOUNT_LIST),
                ("Read the balances of the first one.", &op::ACCOUNT_BALANCES),
            ],
        ),
    }
}

fn first_payment(variant: &DocVariant) -> Guide {
    let initiate = ("Initiate another payment for the next way.", &op::PAYMENT_INITIATE);
    let mut all = steps(
        variant,
        &[
            ("Initiate a payment. Nothing is known yet about funds or owners.", &op::PAYMENT_INITIATE),
            (
                "Embedded: the customer enters everything on your screen. Start the authorisation.",
                &op::PAYMENT_AUTHORISATION.start,
            ),
            ("Send password, method and code. The payment is accepted.", &op::PAYMENT_AUTHORISATION.update),
            ("Read its status, which is a number here.", &op::PAYMENT_STATUS),
            initiate,
        ],
    );
    all.push(own_step(
        "Redirect: send the customer's browser to the link scaRedirect. The customer returns to one of your registered addresses; read the result from the status, never from that \
         address.",
        200,
        started_by(variant, "Redirect", ".scaRedirect.href", "[\"scaRedirect\"][\"href\"]"),
    ));
    all.extend(steps(variant, &[initiate]));
    all.push(own_step(
        "Decoupled: the customer approves in the bank's app, and chooses there the number that you show.",
        200,
        started_by(variant, "Decoupled", ".scaStatus.href", "[\"scaStatus\"][\"href\"]"),
    ));
    Guide {
        id: "first-payment",
        title: "First payment in three ways",
        about: "A payment is initiated, authorised and then executed. How the customer authorises it is your choice at the start of the authorisation.",
        steps: all,
    }
}

/// The start of a payment's authorisation by an approach; prints one of its links.
fn started_by(variant: &DocVariant, approach: &str, link: &str, subscripts: &str) -> [String; 3] {
    let (url, lower) = (&variant.public_url, approach.to_lowercase());
    let path = "/v1/payments/sepa-credit-transfers/$PAYMENT_ID/authorisations";
    let product = "\"sepa-credit-transfers\"";
    [
        format!(
            "curl -s \"{url}{path}\" -X POST {TPP_HEADERS} \\\n  -H \"TPP-{approach}-Preferred: true\" | jq -r '._links{link}'"
        ),
        format!(
            "response = tpp.start_payment_authorisation({product}, payment_id, tpp_{lower}_preferred=True)\n\
             print(response[\"_links\"]{subscripts})"
        ),
        format!(
            "const response = await tpp.startPaymentAuthorisation({product}, paymentId, undefined, {{ tpp{approach}Preferred: true }});\n\
             console.log(response._links{link});"
        ),
    ]
}

const TPP_HEADERS: &str = "-H \"x-Request-ID: $(uuidgen)\" -H \"Certificate: $CERTIFICATE\" \\\n  \
                           -H \"ClientId: $CLIENT_ID\" -H \"Ocp-Apim-Subscription-Key: $SUBSCRIPTION_KEY\"";

fn webhooks(variant: &DocVariant) -> Guide {
    Guide {
        id: "webhooks",
        title: "Webhooks",
        about: "When a basket is decided, the bank calls your endpoint, at least once and signed according to Standard Webhooks. Verify the signature over the body as you received it, \
                refuse timestamps that differ by more than five minutes from your clock, and answer 2xx within 15 seconds. The clients do the first two: trapeza.webhook.verify(secret, \
                headers, body) in Python, verifyWebhook(secret, headers, body) in TypeScript. Store the ids that you have processed. To test on your machine, run trapeza listen --forward-to \
                http://localhost:3000/hook beside the sandbox, and trapeza trigger basket.approved.",
        steps: steps(
            variant,
            &[
                ("In the sandbox, set the addresses of your endpoint.", &op::SANDBOX_APPLICATION),
                ("Create a basket.", &op::BASKET_CREATE),
                ("Decide it without a browser; the callback follows.", &op::LOAN_SIMULATE),
                ("Read the loan, in case the callback is late.", &op::LOAN_GET),
            ],
        ),
    }
}

fn idempotency(variant: &DocVariant) -> Guide {
    let url = &variant.public_url;
    let send = format!(
        "$(curl -s \"{url}/createbasket\" -d \"$ORDER\" \\\n  \
         -H \"X-Application-ID: $APPLICATION_ID\" -H \"Ocp-Apim-Subscription-Key: $MERCHANT_KEY\" | jq -r .publicBasketId)"
    );
    let shell = format!(
        "ORDER=\"{{\\\"requestId\\\": \\\"$(uuidgen)\\\", \\\"basketValue\\\": 120.3, \\\"orderIdentifier\\\": \\\"order-2\\\"}}\"\n\
         FIRST={send}\nSECOND={send}\n[ \"$FIRST\" = \"$SECOND\" ]"
    );
    let python = "import uuid\n\norder = {\"requestId\": str(uuid.uuid4()), \"basketValue\": 120.3, \"orderIdentifier\": \"order-2\"}\n\
                  first = merchant.create_basket(order)\nsecond = merchant.create_basket(order)\n\
                  assert first[\"publicBasketId\"] == second[\"publicBasketId\"]";
    let typescript = "const order = { requestId: crypto.randomUUID(), basketValue: 120.3, orderIdentifier: \"order-2\" };\n\
                      const first = await merchant.createBasket(order);\nconst second = await merchant.createBasket(order);\n\
                      if (first.publicBasketId !== second.publicBasketId) throw new Error(\"two baskets\");";
    Guide {
        id: "idempotency",
        title: "Idempotency",
        about: "If a response does not arrive, send the same request with the same key again: x-Request-ID of third parties, requestId of merchants. You get the first response, with the \
                header Idempotent-Replay. The same key with another request is refused. The clients create keys and repeat requests by themselves where that is safe.",
        steps: vec![own_step(
            "Two requests, one basket.",
            201,
            [shell, python.to_owned(), typescript.to_owned()],
        )],
    }
}

fn errors(variant: &DocVariant) -> Guide {
    let url = &variant.public_url;
    let shell = format!(
        "curl -s \"{url}/createbasket\" -H \"X-Application-ID: $APPLICATION_ID\" \\\n  \
         -H \"Ocp-Apim-Subscription-Key: $MERCHANT_KEY\" -d '{{\"basketValue\": -1}}' || true"
    );
    let python = "try:\n    merchant.create_basket({\"basketValue\": -1, \"orderIdentifier\": \"order-3\"})\n\
                  except trapeza.InvalidRequest as error:\n    \
                  print(error.status, error.code, error.field, error.correlation_id)\n    \
                  for one in error.errors:\n        print(one.field, one.message)";
    let typescript = "try {\n  await merchant.createBasket({ basketValue: -1, orderIdentifier: \"order-3\" });\n} catch (error) {\n  \
                      console.log(error.status, error.code, error.field, error.correlationId);\n  \
                      for (const { field, message } of error.errors) console.log(field, message);\n}";
    Guide {
        id: "errors",
        title: "Errors",
        about: "Evaluate the HTTP status and the name of the code. All errors of a body are reported together, each with its field. Log the X-Correlation-ID. Repeat 503 after Retry-After with the \
                same key, and do not repeat any other error unchanged. The page Errors has the cause and the remedy of every refusal.",
        steps: vec![own_step(
            "A basket with a wrong amount.",
            400,
            [shell, python.to_owned(), typescript.to_owned()],
        )],
    }
}

fn going_live() -> Guide {
    Guide {
        id: "going-live",
        title: "Going live",
        about: "In production the TLS connection proves your certificate, so configure your HTTP client with its key; the header Certificate is optional. Your certificate needs the PSD2 roles of the \
                operations that you call. Register https addresses for redirects and callbacks, store subscription keys and webhook secrets as secrets, and rotate them. There are no sandbox \
                operations, and codes are real. Before you start: handle 401 after a customer's revocation, 429 with Retry-After, 503 with the same key, callbacks that arrive twice, and \
                consents that end after 180 days.",
        steps: Vec::new(),
    }
}
