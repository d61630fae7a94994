//! The console with two people of the staff: what they sign in with, their tokens, what they request and decide, and their
//! enrolments.

use super::{Created, Side, Turns, postpone_login_times, take_turns};
use crate::http::payment::{psu, text};
use crate::staff::enrolment::response;
use crate::staff::reason;
use trapeza_app::login::{Ceremony, RelyingParty};
use trapeza_app::staff::{ActionParameters, ActionResult};
use trapeza_domain::audit_event::Actor;
use trapeza_domain::id::{ApplicationId, StaffId, StaffRequestId};
use trapeza_domain::login::LoginKind;
use trapeza_domain::refusal::RefusalReason;
use trapeza_domain::staff::{RequestStatus, StaffAction, StaffRole, StaffStatus};
use trapeza_domain::time::TimeDelta;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::staff_user::password;
use trapeza_testkit::{ConsoleUser, PortalUser, StaffUser, TestBank, TestPasskey};

const ACCOUNT: &str = "/console/account";

/// Runs an action as an operator; returns the token of the enrolment link that it issues.
async fn operate(bank: &TestBank, action: StaffAction, parameters: &[(&str, &str)]) -> Option<String> {
    let parameters = ActionParameters::new(parameters.iter().copied());
    let done = bank.app.staff_action_run(Actor::Operator(None), action, &parameters, "").await.unwrap();
    let ActionResult::Done(outcome) = done else { panic!("an operator needs no second person") };
    outcome.enrolment.map(|token| token.expose().clone())
}

fn party(passkey: &TestPasskey) -> RelyingParty {
    RelyingParty { id: passkey.party.clone(), origin: passkey.origin.clone() }
}

/// Adds a passkey to the account of a person.
async fn add_passkey(bank: &TestBank, person: &mut ConsoleUser) -> TestPasskey {
    let page = person.browser.get(ACCOUNT).await;
    let passkey = TestPasskey::new(&bank.base_url, page.attribute("data-user=\"").parse().unwrap());
    let sent = passkey.create(&page.attribute("data-challenge=\""));
    let mut fields = vec![("name", "Laptop")];
    fields.extend(sent.iter().map(|(name, value)| (*name, value.as_str())));
    let added = person.post(&format!("{ACCOUNT}/passkeys/create"), &fields).await;
    assert_eq!(added.status, 303, "{added:?}");
    postpone_login_times(bank);
    passkey
}

/// The person who signs in with a passkey.
async fn by_passkey(bank: &TestBank, passkey: &mut TestPasskey, token: &str) -> Option<StaffId> {
    let challenge = bank.app.login_challenge(LoginKind::Staff, "browser", Ceremony::Get);
    let sent = response(&passkey.get(&challenge));
    let begun = bank.app.staff_passkey_sign_in(("browser", &party(passkey)), &sent, token, "").await;
    postpone_login_times(bank);
    begun.ok().map(|caller| caller.staff.id)
}

#[tokio::test(flavor = "multi_thread")]
async fn logins_of_two_people_are_apart() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let (bank, turns, created) = (&bank, Turns::begin(&bank), &Created::default());
    let changes = take_turns(&turns, |scenario| async move {
        let address = scenario.side.email("anna");
        let token = |name: &str| format!("{name} {}", scenario.side.of("first", "second"));
        PortalUser::sign_up(bank, scenario.side.of("First", "Second"), &address).await;
        postpone_login_times(bank);
        scenario.step("member of the portal with the same address").await;
        let mut person = ConsoleUser::enrol(bank, StaffRole::Operations, &address).await;
        postpone_login_times(bank);
        scenario.step("enrolled, signed in").await;
        let own = bank.app.staff_session(person.session()).await.unwrap().unwrap();
        let id = own.staff.id;
        assert_eq!((id, own.staff.email.as_str()), (person.staff.id, address.as_str()));
        let (first, secret) = bank.app.staff_token_create(id, "first", 30).await.unwrap();
        let (second, other) = bank.app.staff_token_create(id, "second", 30).await.unwrap();
        let (old, expired) = bank.app.staff_token_create(id, "third", 30).await.unwrap();
        bank.database.tamper(&format!(
            "UPDATE staff_token SET expires_at = expires_at - 31 * 86400000000 WHERE id = {}",
            bank.database.uuid_literal(old.id.uuid())
        ));
        scenario.step("three tokens").await;
        let by_token = async |secret: &str| {
            let found = bank.app.staff_token_authenticate(secret).await.unwrap();
            found.map(|staff| staff.id)
        };
        assert_eq!((by_token(secret.expose()).await, by_token(expired.expose()).await), (Some(id), None));
        scenario.step("token used").await;
        let mut first_passkey = add_passkey(bank, &mut person).await;
        add_passkey(bank, &mut person).await;
        scenario.step("two passkeys").await;
        assert_eq!(by_passkey(bank, &mut first_passkey, &token("passkey")).await, Some(id));
        scenario.step("sign-in with the first passkey").await;
        let begun = person.staff.sign_in(&person.staff.recovery_codes[0], &token("recovery")).await.unwrap();
        postpone_login_times(bank);
        scenario.step("sign-in with a recovery code").await;
        let (login, tokens) = (own.login(), bank.app.staff_token_list(id).await.unwrap());
        let sessions = bank.app.login_session_list(&login).await.unwrap();
        let passkeys = bank.app.login_passkey_list(&login).await.unwrap();
        let ids: Vec<_> = tokens.iter().map(|token| token.id).collect();
        assert_eq!((ids, sessions.len(), passkeys.len()), (vec![first.id, second.id], 3, 2));
        for path in [
            format!("{ACCOUNT}/tokens/{}/revoke", first.id),
            format!("{ACCOUNT}/sessions/{}/end", begun.session.id),
            format!("{ACCOUNT}/passkeys/{}/remove", passkeys[0].id),
        ] {
            created.push(scenario.side, path);
        }
        scenario.step("read").await;
        for path in created.of_other(scenario.side) {
            let page = person.post(&path, &[]).await;
            assert_eq!(page.status, 404, "{path}: {page:?}");
        }
        scenario.step("sent to the neighbour's").await;
        for (session, column) in [(begun.session.id, "created_at"), (sessions[1].id, "last_seen_at")] {
            bank.database.tamper(&format!(
                "UPDATE login_session SET {column} = {column} - 9 * 3600000000 WHERE id = {}",
                bank.database.uuid_literal(session.uuid())
            ));
        }
        scenario.step("a session begun long ago, one unused").await;
        assert_eq!(bank.app.login_session_list(&login).await.unwrap().len(), 1, "two have expired");
        for name in ["recovery", "passkey"] {
            assert!(bank.app.staff_session(&token(name)).await.unwrap().is_none(), "{name}");
        }
        let again = person.staff.sign_in(&person.staff.recovery_codes[1], &token("again")).await.unwrap();
        postpone_login_times(bank);
        scenario.step("sign-in, which deletes the expired sessions").await;
        bank.app.login_session_revoke(&login, again.session.id).await.unwrap();
        scenario.step("session ended").await;
        bank.app.login_passkey_remove(&login, passkeys[0].id).await.unwrap();
        assert_eq!(by_passkey(bank, &mut first_passkey, &token("removed")).await, None);
        scenario.step("passkey removed").await;
        bank.app.staff_token_revoke(id, first.id).await.unwrap();
        scenario.step("token revoked").await;
        assert_eq!((by_token(secret.expose()).await, by_token(other.expose()).await), (None, Some(id)));
        let tokens = bank.app.staff_token_list(id).await.unwrap();
        assert_eq!(tokens.iter().map(|token| token.id).collect::<Vec<_>>(), [second.id]);
        scenario.step("the other token used").await;
        assert!(person.staff.sign_in("000000", &token("wrong")).await.is_err());
        scenario.step("wrong code").await;
        let text = id.to_string();
        operate(bank, StaffAction::StaffDisable, &[("staff", &text)]).await;
        scenario.step("disabled").await;
        operate(bank, StaffAction::StaffEnable, &[("staff", &text)]).await;
        scenario.step("enabled").await;
        assert_eq!(by_token(other.expose()).await, None, "its tokens were revoked");
        person.staff.sign_in(&person.staff.recovery_codes[2], &token("enabled")).await.unwrap();
        bank.app.staff_token_create(id, "third", 30).await.unwrap();
        postpone_login_times(bank);
        scenario.step("signed in, with a token").await;
        let link = operate(bank, StaffAction::StaffReset, &[("staff", &text)]).await.unwrap();
        scenario.step("reset").await;
        StaffUser::accept(bank, &link).await.sign_in("000000", &token("reset")).await.unwrap_err();
        scenario.step("enrolled again").await;
    })
    .await;
    insta::assert_snapshot!("login", changes);
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_of_two_people_are_apart() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let (bank, turns) = (&bank, Turns::begin(&bank));
    let changes = take_turns(&turns, |scenario| async move {
        let number = scenario.side.of(0, 1);
        let anna = StaffUser::enrol(bank, StaffRole::Operations, &scenario.side.email("anna")).await;
        let rika = StaffUser::enrol(bank, StaffRole::Risk, &scenario.side.email("rika")).await;
        scenario.step("two people").await;
        let application = text(&bank.sandbox_file["tpps"][number]["client_id"]);
        let application = ("application", application);
        let merchant = bank.app.merchant_list().await.unwrap().remove(number).merchant;
        let code = ("code", merchant.code.as_str());
        let disable = StaffAction::ApplicationDisable;
        let approved = anna.request(disable, &[application]).await;
        scenario.step("request").await;
        let mut requests = vec![approved];
        for discount in ["701", "702", "703"] {
            let terms = [code, ("discount_basis_points", discount)];
            requests.push(anna.request(StaffAction::MerchantTerms, &terms).await);
        }
        scenario.step("three requests with other parameters").await;
        let [_, rejected, cancelled, expired] = requests[..] else { panic!("{requests:?}") };
        let last = [code, ("discount_basis_points", "703")];
        let again = anna.run(StaffAction::MerchantTerms, &last).await;
        assert_eq!(reason(again), Some(RefusalReason::StatusInvalid), "the same is pending");
        let of_other = rika.request(StaffAction::MerchantTerms, &last).await;
        scenario.step("the same of another person").await;
        let status =
            async |id: StaffRequestId| bank.app.staff_request_view(anna.id, id).await.unwrap().status;
        let listed = async |by: StaffId| -> Vec<StaffRequestId> {
            let all = bank.app.staff_request_list(rika.id, 100).await.unwrap();
            all.iter().filter(|one| one.requested_by == by).map(|one| one.id).collect()
        };
        requests.reverse();
        assert_eq!((listed(anna.id).await, listed(rika.id).await), (requests, vec![of_other]));
        let tpp = || bank.tpp(number).with("PSU_ID", text(&psu(bank, number)["psu_id"]));
        assert_ne!(tpp().get("/v1/accounts").await.status, 401);
        bank.app.staff_request_approve(rika.id, approved).await.unwrap();
        assert_eq!(tpp().get("/v1/accounts").await.status, 401, "disabled");
        scenario.step("approved").await;
        bank.app.staff_request_reject(rika.id, rejected, "not now").await.unwrap();
        scenario.step("rejected").await;
        bank.app.staff_request_cancel(anna.id, cancelled).await.unwrap();
        scenario.step("cancelled").await;
        let statuses = [
            status(approved).await,
            status(rejected).await,
            status(cancelled).await,
            status(expired).await,
            status(of_other).await,
        ];
        use RequestStatus::{Approved, Cancelled, Pending, Rejected};
        assert_eq!(statuses, [Approved, Rejected, Cancelled, Pending, Pending]);
        let enabled = anna.request(StaffAction::ApplicationEnable, &[application]).await;
        bank.app.staff_request_approve(rika.id, enabled).await.unwrap();
        scenario.step("enabled again").await;
        let failed = anna.request(disable, &[application]).await;
        let id = ApplicationId::parse(application.1).unwrap();
        bank.app.application_update(id, Some(scenario.side.of("One", "Two").to_owned()), None).await.unwrap();
        scenario.step("request, and its application is renamed").await;
        assert!(bank.app.staff_request_approve(rika.id, failed).await.is_err());
        scenario.step("failed").await;
        let (key, login) = (bank.app.staff_action_key(), text(&psu(bank, number)["psu_id"]));
        let parameters = ActionParameters::new([("login", login)]);
        let unblock = StaffAction::PsuUnblock;
        let first =
            bank.app.staff_action_run_once(key, anna.id, unblock, &parameters, "called").await.unwrap();
        scenario.step("customer unblocked").await;
        let again =
            bank.app.staff_action_run_once(key, anna.id, unblock, &parameters, "called").await.unwrap();
        assert_eq!(format!("{first:?}"), format!("{again:?}"));
        scenario.step("the same form again").await;
        anna.run(unblock, &[("login", login)]).await.unwrap();
        scenario.step("unblocked again").await;
        let key = bank.app.staff_action_key();
        let result =
            bank.app.staff_action_run_once(key, anna.id, unblock, &parameters, "called").await.unwrap();
        assert!(matches!(result, ActionResult::Requested(_)), "{result:?}");
        scenario.step("the third time is requested").await;
        if scenario.side == Side::First {
            // The sweep is late: the requests are stored as pending.
            bank.pass(TimeDelta::hours(25)).await;
        }
        let again = anna.request(StaffAction::MerchantTerms, &last).await;
        scenario.step("requested again after a day").await;
        bank.advance("PT1M").await;
        scenario.step("swept").await;
        assert_eq!((status(expired).await, status(again).await), (RequestStatus::Expired, Pending));
    })
    .await;
    insta::assert_snapshot!("request", changes);
}

#[tokio::test(flavor = "multi_thread")]
async fn enrolments_of_two_people_are_apart() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let administrator = StaffUser::enrol(&bank, StaffRole::Administrator, "admin@bank.example").await;
    let (bank, turns, administrator) = (&bank, Turns::begin(&bank), &administrator);
    let changes = take_turns(&turns, |scenario| async move {
        let run = async |action: StaffAction, parameters: &[(&str, &str)]| {
            let done = administrator.run(action, parameters).await.unwrap();
            let ActionResult::Done(outcome) = done else { panic!("{done:?}") };
            outcome.enrolment.map(|link| link.expose().clone())
        };
        let address = scenario.side.email("anna");
        let person = [("email", address.as_str()), ("name", "Anna"), ("role", "risk")];
        let link = run(StaffAction::StaffCreate, &person).await.unwrap();
        scenario.step("login created by an administrator").await;
        let waiting = StaffUser::invite(bank, StaffRole::Support, &scenario.side.email("jonas")).await;
        scenario.step("login created by command").await;
        let expired = StaffUser::invite(bank, StaffRole::Support, &scenario.side.email("late")).await;
        let late = bank.app.staff_enrolment(&expired).await.unwrap().unwrap().staff;
        assert_eq!(late.email.as_str(), scenario.side.email("late"));
        bank.database.tamper(&format!(
            "UPDATE staff_enrolment SET expires_at = expires_at - 3 * 86400000000 WHERE staff = {}",
            bank.database.uuid_literal(late.id.uuid())
        ));
        assert!(bank.app.staff_enrolment(&expired).await.unwrap().is_none(), "expired");
        scenario.step("a link that has expired").await;
        let anna = StaffUser::accept(bank, &link).await;
        scenario.step("enrolled").await;
        assert!(bank.app.staff_enrolment(&link).await.unwrap().is_none(), "used");
        let status = async |id: StaffId| {
            let all = bank.app.staff_list().await.unwrap();
            let own = all.into_iter().find(|one| one.id == id).unwrap();
            (own.role, own.status)
        };
        assert_eq!(status(anna.id).await, (StaffRole::Risk, StaffStatus::Unconfirmed));
        assert!(anna.sign_in(&anna.recovery_codes[0], &address).await.is_err());
        scenario.step("sign-in before the confirmation").await;
        anna.confirm(Actor::Operator(Some(0))).await.unwrap();
        scenario.step("confirmed").await;
        let id = anna.id.to_string();
        run(StaffAction::StaffRoleChange, &[("staff", &id), ("role", "auditor")]).await;
        scenario.step("role").await;
        assert_eq!(status(anna.id).await, (StaffRole::Auditor, StaffStatus::Active));
        run(StaffAction::StaffDisable, &[("staff", &id)]).await;
        scenario.step("disabled").await;
        run(StaffAction::StaffEnable, &[("staff", &id)]).await;
        scenario.step("enabled").await;
        run(StaffAction::StaffReset, &[("staff", &id)]).await.unwrap();
        scenario.step("reset").await;
        let link = run(StaffAction::StaffReset, &[("staff", &id)]).await.unwrap();
        scenario.step("reset again").await;
        let again = StaffUser::accept(bank, &link).await;
        again.confirm(Actor::Operator(Some(0))).await.unwrap();
        scenario.step("enrolled again").await;
        let staff = bank.app.staff_enrolment(&waiting).await.unwrap().unwrap().staff;
        assert_eq!(staff.email.as_str(), scenario.side.email("jonas"));
        let passkey = TestPasskey::new(&bank.base_url, staff.id.uuid());
        let challenge = bank.app.login_challenge(LoginKind::Staff, &waiting, Ceremony::Create);
        let sent = response(&passkey.create(&challenge));
        bank.app
            .staff_enrol_with_passkey(&waiting, password(), &party(&passkey), "Key", &sent)
            .await
            .unwrap();
        postpone_login_times(bank);
        scenario.step("enrolled with a passkey").await;
    })
    .await;
    insta::assert_snapshot!("enrolment", changes);
}
