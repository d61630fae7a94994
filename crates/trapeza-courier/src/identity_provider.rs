//! The bank's identity provider by OpenID Connect: discovery, authorisation code with PKCE, ID token, user info.
//!
//! What the provider publishes of itself is cached for an hour; its keys are read again when a token names one that is not among
//! them. Every request has a timeout, and every response a maximum size. Errors contain nothing of a response.

mod id_token;

use crate::api_client::{ApiClient, ApiResponse};
use crate::http_client::{Roots, service_url};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use id_token::{Expected, IdToken, ProviderKey, parse_keys};
use serde_json::Value;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;
use trapeza_app::staff::{
    CodeExchange, Identity, IdentityProvider, ProviderError, ProviderFuture, ProviderRequest,
};
use trapeza_domain::secret::Secret;
use url::{Url, form_urlencoded};

/// The timeout of one request. A person waits for at most four.
const TIMEOUT: Duration = Duration::from_secs(5);
/// How long the provider's metadata and keys are cached.
const METADATA_TTL: Duration = Duration::from_secs(3600);
const FORM: &str = "application/x-www-form-urlencoded";

pub struct OpenIdProvider {
    issuer: String,
    name: String,
    client_id: String,
    client_secret: Secret<String>,
    client: ApiClient,
    cached: Mutex<Option<(Instant, Arc<Metadata>)>>,
}

/// What the provider publishes of itself.
struct Metadata {
    authorisation: Url,
    token: String,
    user_info: Option<String>,
    key_set: String,
    keys: Vec<ProviderKey>,
}

impl OpenIdProvider {
    /// `issuer` is https, or http on loopback. Nothing is sent before the first sign-in.
    pub fn parse(
        issuer: &str,
        name: &str,
        (client_id, client_secret): (&str, Secret<String>),
        roots: Roots,
    ) -> Result<Self, &'static str> {
        let url = service_url(issuer)?;
        if url.query().is_some() || url.fragment().is_some() {
            return Err("must have no query and no fragment");
        }
        Ok(Self {
            issuer: issuer.to_owned(),
            name: name.to_owned(),
            client_id: client_id.to_owned(),
            client_secret,
            client: ApiClient::for_services(roots)?,
            cached: Mutex::new(None),
        })
    }

    /// The metadata with the keys, from the cache unless it is too old.
    async fn metadata(&self) -> Result<Arc<Metadata>, ProviderError> {
        // Others wait for the first one, so that the provider is asked once.
        let mut cached = self.cached.lock().await;
        if let Some((since, metadata)) = &*cached
            && since.elapsed() < METADATA_TTL
        {
            return Ok(metadata.clone());
        }
        let metadata = Arc::new(self.discover().await.map_err(ProviderError::Unavailable)?);
        *cached = Some((Instant::now(), metadata.clone()));
        Ok(metadata)
    }

    async fn discover(&self) -> Result<Metadata, String> {
        let url = format!("{}/.well-known/openid-configuration", self.issuer.trim_end_matches('/'));
        let found = json("the metadata", self.get(&url, &[]).await?)?;
        if found["issuer"] != self.issuer.as_str() {
            return Err("the metadata is of another issuer".to_owned());
        }
        let endpoint = |name: &str| {
            let url = found[name].as_str().ok_or_else(|| format!("the metadata has no {name}"))?;
            service_url(url).map_err(|error| format!("{name} {error}"))
        };
        let key_set = endpoint("jwks_uri")?.to_string();
        let keys = self.keys(&key_set).await?;
        Ok(Metadata {
            authorisation: endpoint("authorization_endpoint")?,
            token: endpoint("token_endpoint")?.to_string(),
            user_info: endpoint("userinfo_endpoint").ok().map(String::from),
            key_set,
            keys,
        })
    }

    async fn keys(&self, url: &str) -> Result<Vec<ProviderKey>, String> {
        Ok(parse_keys(&json("the key set", self.get(url, &[]).await?)?))
    }

    async fn get(&self, url: &str, headers: &[(&str, &str)]) -> Result<ApiResponse, String> {
        self.client.send("GET", url, headers, String::new(), TIMEOUT).await
    }

    /// The response of the token endpoint to a code.
    async fn exchange(&self, metadata: &Metadata, exchange: &CodeExchange) -> Result<Value, ProviderError> {
        let body = form_urlencoded::Serializer::new(String::new())
            .append_pair("grant_type", "authorization_code")
            .append_pair("code", exchange.code.expose())
            .append_pair("redirect_uri", &exchange.redirect_uri)
            .append_pair("code_verifier", exchange.code_verifier.expose())
            .finish();
        // Both parts are form-encoded first (RFC 6749, §2.3.1).
        let encoded = |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
        let client = format!("{}:{}", encoded(&self.client_id), encoded(self.client_secret.expose()));
        let authorization = format!("Basic {}", STANDARD.encode(client));
        let headers = [
            ("authorization", authorization.as_str()),
            ("content-type", FORM),
            ("accept", "application/json"),
        ];
        let response = self.client.send("POST", &metadata.token, &headers, body, TIMEOUT).await;
        let response = response.map_err(ProviderError::Unavailable)?;
        // Of the errors only this one is caused by the browser: the code is unknown, was used or has expired.
        let parsed: Option<Value> = serde_json::from_slice(&response.body).ok();
        if response.status == 400 && parsed.is_some_and(|body| body["error"] == "invalid_grant") {
            return Err(ProviderError::Refused("the code is not valid".to_owned()));
        }
        json("the token", response).map_err(ProviderError::Unavailable)
    }

    /// The claims of an ID token that is valid.
    async fn claims(
        &self,
        metadata: &Metadata,
        text: &str,
        exchange: &CodeExchange,
    ) -> Result<Value, ProviderError> {
        let refused = |error: &str| ProviderError::Refused(error.to_owned());
        let token = IdToken::parse(text).ok_or_else(|| refused("the ID token cannot be read"))?;
        let expected = Expected {
            issuer: &self.issuer,
            client_id: &self.client_id,
            nonce: &exchange.nonce,
            now: exchange.now,
        };
        if !token.has_unknown_key(&metadata.keys) {
            return token.verify(&metadata.keys, &expected).cloned().map_err(refused);
        }
        // The provider has new keys.
        *self.cached.lock().await = None;
        let keys = self.keys(&metadata.key_set).await.map_err(ProviderError::Unavailable)?;
        token.verify(&keys, &expected).cloned().map_err(refused)
    }

    /// The claims about the same person that only the user info has.
    async fn user_info(
        &self,
        metadata: &Metadata,
        access_token: &str,
        subject: &Value,
    ) -> Result<Value, ProviderError> {
        let Some(url) = &metadata.user_info else { return Ok(Value::Null) };
        let authorization = format!("Bearer {access_token}");
        let response = self.get(url, &[("authorization", &authorization)]).await;
        let response = response.and_then(|response| json("the user info", response));
        let claims = response.map_err(ProviderError::Unavailable)?;
        if &claims["sub"] != subject {
            return Err(ProviderError::Refused("the user info is of another person".to_owned()));
        }
        Ok(claims)
    }
}

impl IdentityProvider for OpenIdProvider {
    fn issuer(&self) -> &str {
        &self.issuer
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn sign_in_url<'a>(&'a self, request: &'a ProviderRequest) -> ProviderFuture<'a, String> {
        Box::pin(async move {
            let mut url = self.metadata().await?.authorisation.clone();
            url.query_pairs_mut()
                .append_pair("response_type", "code")
                .append_pair("client_id", &self.client_id)
                .append_pair("redirect_uri", &request.redirect_uri)
                .append_pair("scope", "openid email")
                .append_pair("state", &request.state)
                .append_pair("nonce", &request.nonce)
                .append_pair("code_challenge", &request.code_challenge)
                .append_pair("code_challenge_method", "S256");
            Ok(url.into())
        })
    }

    fn identity<'a>(&'a self, exchange: &'a CodeExchange) -> ProviderFuture<'a, Identity> {
        Box::pin(async move {
            let metadata = self.metadata().await?;
            let response = self.exchange(&metadata, exchange).await?;
            let claims =
                self.claims(&metadata, response["id_token"].as_str().unwrap_or_default(), exchange).await?;
            let subject = claims["sub"].as_str().unwrap_or_default().to_owned();
            let email = match (&claims["email"], response["access_token"].as_str()) {
                (Value::Null, Some(token)) => {
                    verified_email(&self.user_info(&metadata, token, &claims["sub"]).await?)
                }
                _ => verified_email(&claims),
            };
            Ok(Identity { subject, email })
        })
    }
}

/// The e-mail address, unless the provider says that it is not verified. Some providers write booleans as texts.
fn verified_email(claims: &Value) -> Option<String> {
    let is_unverified = claims["email_verified"] == false || claims["email_verified"] == "false";
    claims["email"].as_str().filter(|_| !is_unverified).map(str::to_owned)
}

/// The JSON of a response that succeeded.
fn json(what: &str, response: ApiResponse) -> Result<Value, String> {
    if response.status != 200 {
        return Err(format!("{what}: answered {}", response.status));
    }
    serde_json::from_slice(&response.body).map_err(|_| format!("{what} is not JSON"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn issuer_must_be_https_or_loopback() {
        let parsed = |issuer: &str| {
            let client = ("console", Secret::new("s".to_owned()));
            OpenIdProvider::parse(issuer, "Bank", client, Roots::default()).err()
        };
        for good in ["https://id.example", "https://id.example/realms/bank", "http://127.0.0.1:1"] {
            assert_eq!(parsed(good), None, "{good}");
        }
        for bad in ["http://id.example", "id.example", "https://id.example/?a=b", "https://id.example/#a"] {
            assert!(parsed(bad).is_some(), "{bad}");
        }
    }

    #[test]
    fn email_counts_unless_it_is_not_verified() {
        let email =
            |verified: Value| verified_email(&json!({ "email": "a@b.example", "email_verified": verified }));
        assert!(email(Value::Null).is_some() && email(json!(true)).is_some());
        assert!(email(json!(false)).is_none() && email(json!("false")).is_none());
    }
}
