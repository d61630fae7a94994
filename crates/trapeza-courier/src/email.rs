//! E-mail through an SMTP server: TLS from the first byte (`smtps`) or by STARTTLS (`smtp`), plain on loopback only.

use crate::client_span::ClientSpan;
use crate::http_client::Roots;
use lettre::message::Mailbox;
use lettre::message::header::ContentType;
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Certificate, CertificateStore, Tls, TlsParameters};
use lettre::transport::smtp::extension::ClientId;
use lettre::{AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};
use trapeza_app::notification::ClaimedMessage;
use trapeza_app::{App, UseCaseError};
use trapeza_domain::secret::Secret;
use url::{Host, Url};

/// Poll interval; no page waits for an e-mail.
const POLL_INTERVAL: Duration = Duration::from_secs(2);
/// The longest time of one step of a delivery, and of a delivery.
const STEP_TIMEOUT: Duration = Duration::from_secs(10);
const TIMEOUT: Duration = Duration::from_secs(15);
/// Messages of a claim that are not begun by then are left to the next one: when the claim expires, another process may send them.
const ROUND_TIME: Duration = Duration::from_secs(10);

#[derive(Clone)]
pub struct EmailGateway {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    from: Arc<Mailbox>,
}

/// How the server is reached.
pub struct EmailSettings<'a> {
    /// `smtps://host[:port]` or `smtp://host[:port]`.
    pub url: &'a str,
    /// The sender: an address, with a name if wanted.
    pub from: &'a str,
    /// User name and password.
    pub credentials: Option<(String, Secret<String>)>,
    /// The CA certificates of the server, in PEM.
    pub ca: &'a [u8],
}

impl EmailGateway {
    /// Errors begin with the name of the setting.
    pub fn parse(settings: &EmailSettings<'_>) -> Result<Self, String> {
        const FORM: &str = "url must be smtps://host or smtp://host, with a port if it is not the usual one";
        let url = Url::parse(settings.url).map_err(|_| FORM)?;
        let host = url.host_str().filter(|host| !host.is_empty()).ok_or(FORM)?.to_owned();
        let from: Mailbox = settings.from.parse().map_err(|_| "from must be an e-mail address")?;
        let (tls, port) = match url.scheme() {
            "smtps" => (Tls::Wrapper(tls(&host, settings.ca)?), 465),
            "smtp" if is_loopback(&url) => (Tls::None, 25),
            "smtp" => (Tls::Required(tls(&host, settings.ca)?), 587),
            _ => return Err(FORM.to_owned()),
        };
        let mut builder = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(host)
            .port(url.port().unwrap_or(port))
            .hello_name(ClientId::Domain(from.email.domain().to_owned()))
            .timeout(Some(STEP_TIMEOUT))
            .tls(tls);
        if let Some((user, password)) = &settings.credentials {
            builder = builder.credentials(Credentials::new(user.clone(), password.expose().clone()));
        }
        Ok(Self { transport: builder.build(), from: Arc::new(from) })
    }

    /// Sends pending messages for as long as the future lives.
    pub async fn run(&self, app: Arc<App>) {
        let mut look = interval(POLL_INTERVAL);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            look.tick().await;
            if let Err(error) = self.round(&app).await {
                tracing::warn!(%error, "email: claim failed, retrying");
            }
        }
    }

    /// Sends pending messages one after another. Returns how many the server accepted; the others are retried when their claim expires.
    pub async fn round(&self, app: &App) -> Result<usize, UseCaseError> {
        let (mut sent, started) = (0, Instant::now());
        for message in app.email_claim().await? {
            if started.elapsed() > ROUND_TIME {
                break;
            }
            sent += usize::from(self.send(app, message).await);
        }
        Ok(sent)
    }

    /// Recipient, subject and text stay out of the log.
    async fn send(&self, app: &App, message: ClaimedMessage) -> bool {
        let trace = message.trace.trace_id();
        let Some(email) = self.email(&message) else {
            tracing::error!(%trace, "email: a message has no valid recipient, it will be dropped");
            return false;
        };
        let span = ClientSpan::start("SMTP send", message.trace, message.trace_parent);
        let sent = timeout(TIMEOUT, self.transport.send(email)).await;
        span.finish(None, !matches!(sent, Ok(Ok(_))));
        match sent {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => {
                // The server's own words may contain the recipient.
                let code = error.status().map(|code| code.to_string());
                tracing::warn!(%trace, code, timeout = error.is_timeout(), "email: the server did not accept a message, retrying");
                return false;
            }
            Err(_) => {
                tracing::warn!(%trace, "email: a delivery timed out, retrying");
                return false;
            }
        }
        if let Err(error) = app.notification_mark_sent(message.id).await {
            tracing::warn!(%error, "email: a sent message could not be recorded, it may be sent twice");
        }
        true
    }

    /// The first line of the text is the subject.
    fn email(&self, message: &ClaimedMessage) -> Option<Message> {
        let (subject, body) = message.text.expose().split_once('\n')?;
        let id = format!("<{}@{}>", message.id, self.from.email.domain());
        Message::builder()
            .from((*self.from).clone())
            .to(message.to.parse().ok()?)
            .message_id(Some(id))
            .subject(subject)
            .header(ContentType::TEXT_PLAIN)
            .body(body.trim_start().to_owned())
            .ok()
    }
}

fn tls(host: &str, ca: &[u8]) -> Result<TlsParameters, String> {
    let wrong = "ca_file contains no CA certificate";
    Roots::parse(ca).map_err(|error| format!("ca_file {error}"))?;
    let certificate = Certificate::from_pem(ca).map_err(|_| wrong)?;
    let parameters = TlsParameters::builder(host.to_owned())
        .certificate_store(CertificateStore::None)
        .add_root_certificate(certificate);
    parameters.build().map_err(|_| wrong.to_owned())
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        // Other schemes than http have no parsed addresses.
        Some(Host::Domain(name)) => {
            name == "localhost" || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
        }
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trapeza_app::notification::CLAIM_LEASE;

    /// Otherwise another process could send the message as well.
    #[test]
    fn claim_outlives_the_last_delivery_of_a_round() {
        let longest = i64::try_from((ROUND_TIME + TIMEOUT).as_micros()).unwrap();
        assert!(longest < CLAIM_LEASE.0);
    }

    #[test]
    fn settings_without_tls_are_for_loopback_only() {
        let parse =
            |url, from, ca| EmailGateway::parse(&EmailSettings { url, from, credentials: None, ca }).err();
        assert_eq!(parse("smtp://127.0.0.1:2525", "a@b.example", b""), None);
        for (url, from, expected) in [
            ("smtp://mail.example", "a@b.example", "ca_file contains no CA certificate"),
            ("smtps://mail.example", "a@b.example", "ca_file contains no CA certificate"),
            ("https://mail.example", "a@b.example", "url must be smtps://host"),
            ("smtp://localhost", "no address", "from must be an e-mail address"),
        ] {
            let error = parse(url, from, b"").unwrap();
            assert!(error.starts_with(expected), "{url}: {error}");
        }
    }
}
