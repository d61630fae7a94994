//! A bank in production with one customer, whose services the test answers for.

use super::super::{Collector, Secrets, code};
use crate::http::payment::text;
use crate::process::production::{Production, add_application, now, open_with, printed_value, run_with};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use trapeza::demo::authority::{ApplicationOwner, Authority, Validity};
use trapeza_domain::application::Role;
use trapeza_domain::time::TimeDelta;
use trapeza_testkit::{ApiClient, Reply, WebhookReceiver};

pub(super) const LOGIN: &str = "eleni";
pub(super) const NAME: &str = "Papadaki, Eleni";
pub(super) const PASSWORD: &str = "olive-tree-7";
pub(super) const PHONE: &str = "+306912345601";
pub(super) const IBAN: &str = "GR1601101250000000012300695";
pub(super) const TOKEN: &str = "gateway-token-of-the-test";
/// How long a message or a file may take before the test gives up. Not a measurement.
pub(super) const TIMEOUT: Duration = Duration::from_secs(60);

pub(super) struct Bank {
    pub(super) program: Production,
    directory: tempfile::TempDir,
    pub(super) sms: WebhookReceiver,
    pub(super) payees: WebhookReceiver,
    pub(super) collector: Collector,
    pub(super) secrets: Secrets,
    /// Messages whose code was used: the bank sends a message again that the gateway did not accept.
    pub(super) used: BTreeSet<String>,
}

impl Bank {
    /// A bank whose services answer so, with one customer.
    pub(super) async fn open(reply: Reply) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let sms = WebhookReceiver::start(move |_, _| reply).await;
        let payees = WebhookReceiver::start(move |_, _| reply).await;
        let collector = Collector::start().await;
        let file = |name: &str| directory.path().join(name);
        std::fs::write(file("token"), TOKEN).unwrap();
        std::fs::write(file("routes"), "FR * BANKFRPP\n").unwrap();
        let mut clearing = format!("[clearing]\nroutes = {:?}\n", file("routes"));
        for name in ["outgoing", "incoming", "done"] {
            std::fs::create_dir(file(name)).unwrap();
            clearing.push_str(&format!("{name} = {:?}\n", file(name)));
        }
        // The certificate of the bank is the only one that the directory has.
        let service = |section: &str, url: String| {
            let (token, ca) = (file("token"), file("own.pem"));
            format!("[{section}]\nurl = {url:?}\ntoken_file = {token:?}\nca_file = {ca:?}\n")
        };
        let settings = [
            "certificate_mode = \"proxy\"\ntrusted_proxies = \"127.0.0.1\"\n".to_owned(),
            collector.settings(),
            clearing,
            service("sms", sms.url()),
            service("payee_verification", payees.url()),
        ];
        let program = open_with(directory.path(), "", "", &settings.concat()).await;
        let mut secrets = Secrets::new();
        [NAME, PASSWORD, PHONE, IBAN, TOKEN].iter().for_each(|secret| secrets.add(secret));
        let bank = Self { program, directory, sms, payees, collector, secrets, used: BTreeSet::new() };
        let customer = format!(
            "login,name,phone,methods,iban,bic,balance\n{LOGIN},\"{NAME}\",{PHONE},sms,{IBAN},TRPZGRAA,1250.50\n"
        );
        let customers = bank.file("customers.csv");
        std::fs::write(&customers, customer).unwrap();
        bank.run(&["import", customers.to_str().unwrap()]);
        bank.run(&["psu", "reset-password", LOGIN]);
        bank
    }

    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Runs a command, with the customer's password on its standard input.
    pub(super) fn run(&self, words: &[&str]) -> String {
        let config = self.file("bank.toml");
        let (printed, succeeded) =
            run_with(&format!("{PASSWORD}\n"), &[words, &["--config", config.to_str().unwrap()]].concat());
        assert!(succeeded, "{words:?}: {printed}");
        printed
    }

    pub(super) fn base_url(&self) -> String {
        format!("http://127.0.0.1:{}", self.program.port)
    }

    pub(super) fn log(&self) -> String {
        std::fs::read_to_string(self.file("bank.log")).unwrap()
    }

    /// A third party, whose certificate the proxy of the test has verified.
    pub(super) fn tpp(&mut self) -> ApiClient {
        let authority = Authority::generate(now().minus(TimeDelta::days(1))).unwrap();
        let roles = &[Role::AccountInformation, Role::PaymentInitiation];
        let owner = ApplicationOwner { name: "Kyklos Finance", organisation: "PSDGR-BOG-000001", roles };
        let issued = authority.issue(owner, Validity::TenYears).unwrap();
        let pem = self.file("tpp.pem");
        std::fs::write(&pem, &issued.certificate_pem).unwrap();
        let config = self.file("bank.toml");
        let lines = add_application(config.to_str().unwrap(), pem.to_str().unwrap());
        let key = printed_value(&lines, "key");
        let der = CertificateDer::from_pem_slice(issued.certificate_pem.as_bytes()).unwrap();
        let certificate = STANDARD.encode(&der);
        self.secrets.add(&key);
        self.secrets.add(&certificate);
        let client = ApiClient::to(&self.base_url()).with_request_id().with("PSU_ID", LOGIN);
        let client = client.with("Ocp-Apim-Subscription-Key", &key);
        let client = client.with("ClientId", &printed_value(&lines, "ClientId"));
        client.with("Client-Cert", &format!(":{certificate}:")).with("pSUIPAddress", "192.0.2.1")
    }

    pub(super) fn merchant(&mut self) -> ApiClient {
        let words =
            "merchant add --code PAPYRUS --number 1001 --minimum 30 --maximum 1500 --plan 3 --name Papyrus";
        let lines = self.run(&words.split(' ').collect::<Vec<_>>());
        let key = printed_value(&lines, "key");
        self.secrets.add(&key);
        let secret = lines.split_whitespace().find(|word| word.starts_with("whsec_")).unwrap();
        self.secrets.add(secret);
        let client = ApiClient::to(&self.base_url()).with("Ocp-Apim-Subscription-Key", &key);
        client.with("X-Application-ID", &printed_value(&lines, "X-Application-ID"))
    }

    /// The code of the next message, which the gateway has received whether or not it has accepted it.
    pub(super) async fn next_code(&mut self) -> String {
        let began = Instant::now();
        loop {
            for request in self.sms.seen() {
                let message: Value = serde_json::from_str(&request.body).unwrap();
                let message = text(&message["text"]);
                if let Some(code) = code(message)
                    && self.used.insert(message.to_owned())
                {
                    return code.to_owned();
                }
            }
            assert!(began.elapsed() < TIMEOUT, "no message with a code: {}", self.log());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}
