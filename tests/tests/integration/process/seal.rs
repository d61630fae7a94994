//! Signed requests and responses in production: the files of the settings, and their replacement while the bank runs.

use super::production::{add_application, fresh, now, open_with, printed_value, reported};
use super::reload::logged_after;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use trapeza::demo::authority::{ApplicationOwner, Authority, Issued, Validity};
use trapeza_app::certificate;
use trapeza_domain::application::Role;
use trapeza_domain::time::TimeDelta;
use trapeza_testkit::TestSeal;

const CHANGED: &str = "reload: the files of the seals have changed and are in use";
const UNUSABLE: &str = "cannot use the changed files of the seals, the old ones stay in use";

fn holder(organisation: &str) -> ApplicationOwner<'_> {
    ApplicationOwner { name: "Kyklos Finance", organisation, roles: &[Role::AccountInformation] }
}

fn write(directory: &Path, name: &str, content: &str) -> String {
    let file = directory.join(name);
    std::fs::write(&file, content).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    file.to_str().unwrap().to_owned()
}

fn base64_of(issued: &Issued) -> String {
    STANDARD.encode(certificate::decode_header(&issued.certificate_pem).unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn seals_and_their_authorities_are_replaced_without_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let begin = now().minus(TimeDelta::days(1));
    let [authority, next_authority] = [(); 2].map(|()| Authority::generate(begin).unwrap());
    let tls = authority.issue(holder("PSDGR-BOG-000001"), Validity::TenYears).unwrap();
    let [seal, next_seal] = [&authority, &next_authority]
        .map(|authority| authority.issue_seal(holder("PSDGR-BOG-000001"), Validity::TenYears).unwrap());
    let [bank_seal, next_bank_seal] =
        [(); 2].map(|()| authority.issue_seal(holder("PSDGR-BOG-000009"), Validity::TenYears).unwrap());
    let seal_ca = write(directory, "seals.pem", &authority.certificate_pem());
    let (own, own_key) = (
        write(directory, "seal.pem", &bank_seal.certificate_pem),
        write(directory, "seal.key", &bank_seal.key_pem),
    );
    let callers = format!(
        "signature = \"required\"\nseal_ca = {seal_ca:?}\n[seal]\ncertificate = {own:?}\nkey = {own_key:?}\n"
    );
    let bank = open_with(directory, &authority.certificate_pem(), "", &callers).await;
    let pem = write(directory, "tpp.pem", &tls.certificate_pem);
    let lines = add_application(directory.join("bank.toml").to_str().unwrap(), &pem);
    let (client, key) = (printed_value(&lines, "ClientId"), printed_value(&lines, "key"));
    let body = json!({
        "access": { "allPsd2": "allAccounts" }, "recurringIndicator": true,
        "validUntil": "2099-12-31", "frequencyPerDay": 4,
    })
    .to_string();
    let create = async |seal: Option<&Issued>| {
        let covered = [("x-Request-ID", fresh().to_string()), ("PSU_ID", "customer".to_owned())]
            .map(|(name, value)| (name.to_owned(), value));
        let signature = seal.map(|seal| TestSeal::of_issued(seal).sign(&covered, body.as_bytes()));
        let headers = covered.into_iter().chain(signature.into_iter().flatten());
        let headers: String = headers.map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let head = format!(
            "POST /v1/consents HTTP/1.1\r\nOcp-Apim-Subscription-Key: {key}\r\nClientId: {client}\r\n{headers}"
        );
        let (head, body) =
            bank.with_roots(bank.roots.clone()).exchange(&head, &body, Some(&tls)).await.unwrap();
        let status: u16 = head.split(' ').nth(1).unwrap().parse().unwrap();
        let signer = head.lines().find_map(|line| line.strip_prefix("aspsp-signature-certificate: "));
        let answer = (status, serde_json::from_str(&body).unwrap());
        let (status, name) = reported(&answer);
        (status, name.to_owned(), signer.unwrap().to_owned())
    };
    let outcome = |status: u16, name: &str, signer: &Issued| (status, name.to_owned(), base64_of(signer));

    assert_eq!(create(Some(&seal)).await, outcome(201, "", &bank_seal));
    assert_eq!(create(None).await, outcome(401, "SIGNATURE_MISSING", &bank_seal), "refusals are signed");
    assert_eq!(create(Some(&next_seal)).await, outcome(401, "CERTIFICATE_INVALID", &bank_seal));

    let both = [authority.certificate_pem(), next_authority.certificate_pem()].concat();
    logged_after(directory, CHANGED, || drop(write(directory, "seals.pem", &both))).await;
    assert_eq!(create(Some(&seal)).await, outcome(201, "", &bank_seal));
    assert_eq!(
        create(Some(&next_seal)).await,
        outcome(201, "", &bank_seal),
        "the second authority is accepted"
    );

    let replace_key = || drop(write(directory, "seal.key", &next_bank_seal.key_pem));
    let log = logged_after(directory, UNUSABLE, replace_key).await;
    assert!(log.contains("seal.key") && log.contains("not that of the seal's certificate"), "{log}");
    assert_eq!(create(Some(&seal)).await, outcome(201, "", &bank_seal), "the old seal stays in use");
    let replace = || drop(write(directory, "seal.pem", &next_bank_seal.certificate_pem));
    logged_after(directory, CHANGED, replace).await;
    assert_eq!(create(Some(&seal)).await, outcome(201, "", &next_bank_seal));

    let url = format!("http://127.0.0.1:{}/metrics", bank.monitoring_port);
    let metrics = reqwest::get(url).await.unwrap().text().await.unwrap();
    for kind in ["seal", "seal_ca"] {
        let series = format!("trapeza_certificate_left_days{{certificate=\"{kind}\"}} 36");
        assert!(metrics.contains(&series), "{kind}: {metrics}");
    }
}
