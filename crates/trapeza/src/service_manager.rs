//! Reports the state of the server to systemd, by the protocol of `sd_notify`: one datagram to the socket that `NOTIFY_SOCKET` names.
//! Without the variable nothing is sent.

use std::ffi::OsStr;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};

/// The server accepts requests. With `Type=notify` the start of the service ends here.
pub fn notify_ready() {
    notify("READY=1\nSTATUS=Ready");
}

/// The server has received its stop signal and finishes the requests in progress.
pub fn notify_stopping() {
    notify("STOPPING=1\nSTATUS=Finishing requests in progress");
}

fn notify(state: &str) {
    let Some(socket) = std::env::var_os("NOTIFY_SOCKET") else { return };
    if let Err(error) = send(&socket, state) {
        tracing::warn!(%error, "service manager: the state cannot be reported, continuing");
    }
}

fn send(socket: &OsStr, state: &str) -> std::io::Result<()> {
    // A name that begins with @ is in the abstract namespace, where a zero byte takes its place.
    let address = match socket.as_bytes() {
        [b'@', name @ ..] => SocketAddr::from_abstract_name(name)?,
        _ => SocketAddr::from_pathname(socket)?,
    };
    UnixDatagram::unbound()?.send_to_addr(state.as_bytes(), &address).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn received(socket: &UnixDatagram) -> String {
        let mut buffer = [0; 64];
        let length = socket.recv(&mut buffer).unwrap();
        String::from_utf8_lossy(&buffer[..length]).into_owned()
    }

    #[test]
    fn send_reaches_a_socket_in_the_file_system_and_an_abstract_one() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("notify");
        let socket = UnixDatagram::bind(&path).unwrap();
        send(path.as_os_str(), "READY=1").unwrap();
        assert_eq!(received(&socket), "READY=1");

        let name = format!("trapeza-test-{}", std::process::id());
        let socket = UnixDatagram::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
        send(OsStr::new(&format!("@{name}")), "STOPPING=1").unwrap();
        assert_eq!(received(&socket), "STOPPING=1");
    }

    #[test]
    fn send_to_a_missing_socket_is_an_error() {
        assert!(send(OsStr::new("/nonexistent/notify"), "READY=1").is_err());
    }
}
