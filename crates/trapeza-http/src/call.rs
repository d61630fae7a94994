//! A call on its way in: every check in the order that the documentation promises (docs/decisions.md, "Order of checks").
//!
//! Route and method were the table's. Here: size → key → rate limit → client and certificate → role → Accept →
//! x-Request-ID. Then the handler: its headers, the path, the body, and the use case. The first that fails answers.

use crate::Bank;
use crate::error_response::{self, Context};
use crate::header;
use crate::json::{self, Json};
use crate::operation::{BodyLimit, Operation, Right};
use crate::path::Segments;
use crate::query::Query;
use crate::router::{Arrival, Handler};
use crate::server::{Peer, body_timed_out};
use crate::settings::CertificateMode;
use axum::body::{Body, HttpBody as _};
use axum::extract::Request;
use axum::http::header::{ACCEPT, CONTENT_LENGTH};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use std::future::Future;
use std::net::IpAddr;
use std::sync::Arc;
use trapeza_app::account_information::ConsentedRequest;
use trapeza_app::authentication::PresentedCertificate;
use trapeza_app::idempotency::{IdempotentRequest, RequestIdentity};
use trapeza_app::{App, Merchant, Tpp, TppCredentials, UseCaseError};
use trapeza_domain::application::Application;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use uuid::Uuid;

/// A call that was let in, by whom (`Tpp`, `Merchant`, `Application`, or nobody in particular).
pub struct Call<W> {
    pub bank: Arc<Bank>,
    pub operation: &'static Operation,
    pub who: W,
    pub parts: Parts,
    pub body: Bytes,
    path: Segments,
    request_id: Uuid,
}

/// The correlation id that the outermost layer gave the request, for pages.
#[derive(Clone, Copy, Debug)]
pub struct Correlation(pub Uuid);

pub type TppCall = Call<Tpp>;
pub type MerchantCall = Call<Merchant>;
pub type ApplicationCall = Call<Arc<Application>>;
pub type OpenCall = Call<()>;

/// Who may make a call, as a type: a handler's signature shows its right.
pub trait Caller: Sized + Send {
    fn admit(
        bank: &Bank,
        operation: &'static Operation,
        parts: &Parts,
        peer: &Peer,
    ) -> impl Future<Output = Result<Self, UseCaseError>> + Send;
}

/// Makes what answers an operation from a function of `api/`.
pub fn handler<W, H, F>(handle: H) -> Handler
where
    W: Caller + 'static,
    H: Fn(Call<W>) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Result<Response, UseCaseError>> + Send + 'static,
{
    Box::new(move |bank, operation, Arrival { request, peer, correlation }| {
        let handle = handle.clone();
        Box::pin(async move {
            let answered = match admit::<W>(bank, operation, request, peer).await {
                Ok(call) => handle(call).await.map_err(Entry::Stopped),
                Err(entry) => Err(entry),
            };
            let context = Context::of(operation, correlation);
            match answered {
                Ok(response) => response,
                Err(Entry::Stopped(stop)) => error_response::stop(&context, stop),
                Err(Entry::TooSlow) => {
                    error_response::broken(&context, StatusCode::REQUEST_TIMEOUT, error_response::TOO_SLOW)
                }
            }
        })
    })
}

enum Entry {
    Stopped(UseCaseError),
    TooSlow,
}

impl<E: Into<UseCaseError>> From<E> for Entry {
    fn from(error: E) -> Self {
        Self::Stopped(error.into())
    }
}

async fn admit<W: Caller>(
    bank: Arc<Bank>,
    operation: &'static Operation,
    request: Request,
    peer: Peer,
) -> Result<Call<W>, Entry> {
    let path = Segments::parse(request.uri().path())?;
    let (parts, body) = request.into_parts();
    let limit = match operation.body_limit {
        BodyLimit::Usual => bank.settings.body_bytes,
        BodyLimit::Basket => bank.settings.basket_body_bytes,
    };
    let body = whole_body(&parts.headers, body, limit).await?;
    let who = W::admit(&bank, operation, &parts, &peer).await?;
    let mut request_id = Uuid::nil();
    if operation.right != Right::Open {
        accepts_json(&parts.headers)?;
    }
    if let Right::Tpp(_) = operation.right {
        request_id = read_request_id(&parts.headers)?;
    }
    Ok(Call { bank, operation, who, parts, body, path, request_id })
}

/// The body, whole. One that is too large is read on for a while and thrown away: a connection that is closed while the
/// caller still writes loses them the answer.
async fn whole_body(headers: &HeaderMap, mut body: Body, limit: usize) -> Result<Bytes, Entry> {
    if body.is_end_stream() {
        return Ok(Bytes::new());
    }
    let announced = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    let mut whole = BytesMut::with_capacity(announced.unwrap_or(0).min(limit));
    let mut length = 0;
    while let Some(frame) = body.frame().await {
        let frame = match frame {
            Ok(frame) => frame,
            Err(error) if body_timed_out(&error) => return Err(Entry::TooSlow),
            Err(_) => return Err(Refusal::malformed("", "the body broke off").into()),
        };
        let Ok(data) = frame.into_data() else { continue };
        length += data.len();
        if length <= limit {
            whole.extend_from_slice(&data);
        } else if length > limit + READ_AND_DROPPED {
            break;
        }
    }
    if length > limit {
        return Err(
            Refusal::new(RefusalReason::TooLarge, format!("the body has more than {limit} bytes")).into()
        );
    }
    Ok(whole.freeze())
}

/// How much of a body that is too large is read for the sake of the answer.
const READ_AND_DROPPED: usize = 4 << 20;

impl Caller for () {
    async fn admit(_: &Bank, _: &'static Operation, _: &Parts, _: &Peer) -> Result<Self, UseCaseError> {
        Ok(())
    }
}

impl Caller for Arc<Application> {
    async fn admit(
        bank: &Bank,
        _: &'static Operation,
        parts: &Parts,
        peer: &Peer,
    ) -> Result<Self, UseCaseError> {
        authenticate_key(bank, parts, peer).await
    }
}

impl Caller for Merchant {
    async fn admit(
        bank: &Bank,
        _: &'static Operation,
        parts: &Parts,
        peer: &Peer,
    ) -> Result<Self, UseCaseError> {
        let application = authenticate_key(bank, parts, peer).await?;
        Ok(App::authenticate_merchant(&application, header::APPLICATION.of(&parts.headers)?)?)
    }
}

impl Caller for Tpp {
    async fn admit(
        bank: &Bank,
        operation: &'static Operation,
        parts: &Parts,
        peer: &Peer,
    ) -> Result<Self, UseCaseError> {
        let Right::Tpp(role) = operation.right else {
            return Err(
                Refusal::new(RefusalReason::RoleMissing, "the operation is not for third parties").into()
            );
        };
        let key = header::SUBSCRIPTION_KEY.of(&parts.headers)?;
        let shown = header::CERTIFICATE
            .of(&parts.headers)
            .map(|text| text.filter(|text| !text.is_empty()).map(PresentedCertificate::Header));
        // What is wrong with the certificate is said after what is wrong with the key.
        let likely = match bank.settings.certificates {
            CertificateMode::Header => shown.as_ref().ok().copied().flatten(),
            CertificateMode::Mtls => der(peer),
        };
        let opened = bank.app.authenticate_tpp_key(key, likely).await;
        let opened = opened.map_err(|stop| count_failure(bank, peer, stop))?;
        bank.limits.call(opened.application.id)?;
        let certificate = match bank.settings.certificates {
            CertificateMode::Header => shown?,
            CertificateMode::Mtls => proven(bank, peer, shown?)?,
        };
        let client = header::CLIENT.of(&parts.headers)?;
        let admitted = bank.app.authenticate_tpp(opened, TppCredentials { client, certificate }, role).await;
        admitted.map_err(|stop| count_failure(bank, peer, stop))
    }
}

fn der(peer: &Peer) -> Option<PresentedCertificate<'_>> {
    peer.certificate.as_deref().map(PresentedCertificate::Der)
}

/// The certificate that the connection has proven. A header beside it has to say the same.
fn proven<'a>(
    bank: &Bank,
    peer: &'a Peer,
    shown: Option<PresentedCertificate<'a>>,
) -> Result<Option<PresentedCertificate<'a>>, Refusal> {
    let Some(proven) = der(peer) else { return Ok(None) };
    if let Some(shown) = shown
        && !bank.app.is_same_certificate(shown, proven)
    {
        let text = "the certificate is not the one that the connection was made with";
        return Err(Refusal::at(RefusalReason::CertificateInvalid, "Certificate", text));
    }
    Ok(Some(proven))
}

async fn authenticate_key(bank: &Bank, parts: &Parts, peer: &Peer) -> Result<Arc<Application>, UseCaseError> {
    let key = header::SUBSCRIPTION_KEY.of(&parts.headers)?;
    let application = bank.app.authenticate_key(key).await.map_err(|stop| count_failure(bank, peer, stop))?;
    bank.limits.call(application.id)?;
    Ok(application)
}

/// An address that keeps failing is told to wait; calls from it that succeed are not held up.
fn count_failure(bank: &Bank, peer: &Peer, stop: UseCaseError) -> UseCaseError {
    match stop {
        UseCaseError::Refused(refusal) => {
            bank.limits.failure(peer.address.ip()).err().unwrap_or(refusal).into()
        }
        failed => failed,
    }
}

/// Whether the caller takes JSON. No Accept means anything.
fn accepts_json(headers: &HeaderMap) -> Result<(), Refusal> {
    const ANSWERS: [&str; 3] = ["application/json", "*/*", "application/*"];
    let mut said = headers.get_all(ACCEPT).iter().peekable();
    if said.peek().is_none() {
        return Ok(());
    }
    let accepted =
        said.filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(',')).any(|range| {
            let mut parts = range.split(';').map(str::trim);
            let kind = parts.next().unwrap_or_default();
            let weight = parts.find_map(|part| part.strip_prefix("q=")).unwrap_or("1");
            let refused = !weight.is_empty() && weight.bytes().all(|byte| matches!(byte, b'0' | b'.'));
            ANSWERS.iter().any(|answer| kind.eq_ignore_ascii_case(answer)) && !refused
        });
    if accepted {
        return Ok(());
    }
    Err(Refusal::at(RefusalReason::NotAcceptable, "Accept", "answers are application/json"))
}

fn read_request_id(headers: &HeaderMap) -> Result<Uuid, Refusal> {
    let text = header::REQUEST.of(headers)?.unwrap_or_default();
    let id = (text.len() == 36).then(|| Uuid::try_parse(text).ok()).flatten();
    id.ok_or_else(|| {
        header::REQUEST.malformed("a UUID is required, such as 6f9619ff-8b86-4011-b42d-00cf4fc964ff")
    })
}

impl<W> Call<W> {
    /// A path parameter, as text. It is there, since the route has it.
    pub fn path(&self, name: &str) -> &str {
        self.path.named(name, self.operation.path, self.parts.uri.path()).unwrap_or_default()
    }

    /// A header by its spec name and its aliases.
    pub fn header(&self, names: &[&'static str]) -> Result<Option<&str>, Refusal> {
        let values = names.iter().flat_map(|name| self.parts.headers.get_all(*name));
        header::one(names.first().copied().unwrap_or_default(), values)
    }

    /// The query parameters.
    pub fn query(&self) -> Result<Query, Refusal> {
        Query::parse(self.parts.uri.query().unwrap_or_default())
    }

    /// The body as JSON.
    pub fn json(&self) -> Result<Json<'_>, Refusal> {
        let read = json::parse(&self.body, self.bank.settings.json_depth);
        read.map_err(|fault| Refusal::malformed("", fault))
    }
}

impl Call<Tpp> {
    /// The customer that the call is about, as the third party names them (§5.2).
    pub fn psu_id(&self) -> Result<&str, Refusal> {
        let text = header::PSU.of(&self.parts.headers)?.unwrap_or_default();
        let fits = !text.is_empty() && text.chars().count() <= 50 && !text.chars().any(char::is_control);
        if fits {
            Ok(text)
        } else {
            Err(header::PSU.malformed("the PSU's user name is required, at most 50 characters"))
        }
    }

    /// A read under a consent: which one, and whether the customer is here now.
    pub fn visit(&self) -> Result<ConsentedRequest, Refusal> {
        let consent = header::CONSENT.of(&self.parts.headers)?.unwrap_or_default();
        if consent.is_empty() {
            return Err(header::CONSENT.malformed("the id of a consent is required"));
        }
        Ok(ConsentedRequest::new(&self.who, consent, self.psu_address()?.is_some()))
    }

    /// The customer's address, which says that they are here now.
    pub fn psu_address(&self) -> Result<Option<IpAddr>, Refusal> {
        let Some(text) = header::PSU_ADDRESS.of(&self.parts.headers)? else { return Ok(None) };
        text.parse().map(Some).map_err(|_| header::PSU_ADDRESS.malformed("an IP address is wanted"))
    }

    /// Names this call, so that a second one of it has no second effect.
    pub fn named(&self, psu: &str, consent: &str) -> IdempotentRequest {
        self.bank.app.idempotent_request(&RequestIdentity {
            application: self.who.application,
            operation: self.operation.name,
            request: self.request_id,
            field: "x-Request-ID",
            path: self.parts.uri.path(),
            psu,
            consent,
            body: &self.body,
        })
    }
}

impl Call<Merchant> {
    /// The query, once its api-version is found to be one of those there are. Without one the newest is meant.
    pub fn version(&self, known: &[&str]) -> Result<Query, Refusal> {
        let query = self.query()?;
        match query.get("api-version") {
            Some(asked) if !known.contains(&asked) => {
                let text = format!("this operation has the version {} only", known.join(" or "));
                Err(Refusal::malformed("api-version", text))
            }
            _ => Ok(query),
        }
    }

    /// Names this call by the merchant's own id of it, so that a second one of it has no second effect.
    pub fn named(&self, request: Uuid) -> IdempotentRequest {
        self.bank.app.idempotent_request(&RequestIdentity {
            application: self.who.application,
            operation: self.operation.name,
            request,
            field: "requestId",
            path: self.parts.uri.path(),
            psu: "",
            consent: "",
            body: &self.body,
        })
    }
}
