//! `trapeza device` computes the OTP of a customer's card reader, with and without a running server.

use serde_json::json;
use trapeza_testkit::ServerProcess;
use trapeza_testkit::process;

/// The command's output, and whether it succeeded.
fn device(data: &str, method: &str, challenge: &str) -> (String, bool) {
    let output = process::run(&["device", "--data", data, "--method", method, challenge]);
    (String::from_utf8_lossy(&output.stdout).trim().to_owned(), output.status.success())
}

#[tokio::test(flavor = "multi_thread")]
async fn device_otp_authorises_a_consent() {
    let directory = tempfile::tempdir().unwrap();
    let data_dir = directory.path().join("data");
    let data = data_dir.to_str().unwrap();
    let mut program = ServerProcess::sandbox(&data_dir, "", &[]).await;
    let psu = program.sandbox_file["psus"][0].clone();
    let find = |kind: &str| {
        let found = psu["methods"].as_array().unwrap().iter().find(|method| method["type"] == kind).unwrap();
        found["id"].as_str().unwrap().to_owned()
    };
    let (chip, sms) = (find("CHIPOTP"), find("SMSOTP"));
    let tpp = program.tpp(0).with("PSU_ID", psu["psu_id"].as_str().unwrap());
    let order = json!({
        "access": { "allPsd2": "allAccounts" }, "recurringIndicator": false,
        "validUntil": "2099-12-31", "frequencyPerDay": 1,
    });
    let consent = tpp.post("/v1/consents", &order).await.text("/consentId").to_owned();
    let all = format!("/v1/consents/{consent}/authorisations");
    let own = format!("{all}/{}", tpp.post(&all, &json!({})).await.text("/authorisationId"));
    tpp.put(&own, &json!({ "psuData": { "password": psu["password"] } })).await;
    let chosen = tpp.put(&own, &json!({ "authenticationMethodId": chip })).await;
    let shown = &chosen.body["challengeData"]["data"];
    let shown = shown.as_str().or_else(|| shown[0].as_str()).unwrap();

    let (otp, succeeded) = device(data, &chip, shown);
    assert!(succeeded && otp.len() == 6 && otp.bytes().all(|byte| byte.is_ascii_digit()), "{otp}");
    let end = tpp.put(&own, &json!({ "scaAuthenticationData": otp })).await;
    assert_eq!((end.status, end.text("/scaStatus")), (200, "finalised"), "{end:?}");
    for (method, challenge) in [(sms.as_str(), shown), ("unknown", shown), (&chip, "twelve")] {
        assert!(!device(data, method, challenge).1, "{method} {challenge}");
    }

    assert!(program.terminate().success());
    assert_eq!(device(data, &chip, shown), (otp, true), "the same without a server");
    std::fs::remove_file(data_dir.join("sandbox.json")).unwrap();
    let (output, succeeded) = device(data, &chip, shown);
    assert!(!succeeded, "{output}");
}
