//! The sockets that the server accepts connections on.

use crate::config::Config;
use std::net::SocketAddr;
use tokio::net::TcpListener;

pub struct Listeners {
    pub public: TcpListener,
    /// For metrics and health, without TLS; `None` serves them on the public one.
    pub monitoring: Option<TcpListener>,
}

impl Listeners {
    /// Binds them. Errors name the setting.
    pub async fn bind(config: &Config) -> Result<Self, String> {
        let public = bind("listen", config.listen).await?;
        let monitoring = match config.metrics.listen {
            None => None,
            Some(address) => Some(bind("metrics.listen", address).await?),
        };
        Ok(Self { public, monitoring })
    }
}

async fn bind(setting: &str, address: SocketAddr) -> Result<TcpListener, String> {
    let bound = TcpListener::bind(address).await;
    bound.map_err(|error| format!("{setting}: cannot listen on {address}: {error}"))
}
