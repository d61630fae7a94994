//! The sockets that the server accepts connections on.

use crate::config::Config;
use std::net::{Ipv4Addr, SocketAddr};
use tokio::net::TcpListener;

pub struct Listeners {
    pub public: TcpListener,
    /// For metrics and health, without TLS; `None` serves them on the public one.
    pub monitoring: Option<TcpListener>,
    /// For the console of the bank's staff; `None` when there is none of its own.
    pub console: Option<TcpListener>,
    /// For the calls that the pages of a sandbox make to the program itself, on loopback and without TLS; `None` where the public
    /// one takes them.
    pub own: Option<TcpListener>,
}

impl Listeners {
    /// Binds them. Errors name the setting.
    pub async fn bind(config: &Config) -> Result<Self, String> {
        let public = bind("listen", config.listen).await?;
        let monitoring = bind_optional("metrics.listen", config.metrics.listen).await?;
        let console = bind_optional("console.listen", config.console.listen).await?;
        Ok(Self { public, monitoring, console, own: None })
    }

    /// Binds the listener of a sandbox's own calls where the public one has TLS, whose certificate the program need not trust.
    /// Returns the address that takes these calls.
    pub async fn bind_own(&mut self, has_tls: bool) -> Result<SocketAddr, String> {
        if has_tls {
            self.own = Some(bind("listener of the sandbox's pages", (Ipv4Addr::LOCALHOST, 0).into()).await?);
        }
        let listener = self.own.as_ref().unwrap_or(&self.public);
        listener.local_addr().map_err(|error| error.to_string())
    }
}

async fn bind_optional(setting: &str, address: Option<SocketAddr>) -> Result<Option<TcpListener>, String> {
    match address {
        None => Ok(None),
        Some(address) => bind(setting, address).await.map(Some),
    }
}

async fn bind(setting: &str, address: SocketAddr) -> Result<TcpListener, String> {
    let bound = TcpListener::bind(address).await;
    bound.map_err(|error| format!("{setting}: cannot listen on {address}: {error}"))
}
