//! What time ends is found a microsecond before its end and not at it, whether or not a sweep has run: sessions, tokens, links, devices,
//! blocks, claims and alerts.

use rstest::rstest;
use trapeza_domain::authorisation::throttle::FailureCounter;
use trapeza_domain::clearing::InstantState;
use trapeza_domain::contact::{Email, Phone};
use trapeza_domain::id::{
    ApplicationId, BatchId, ClearingId, InvitationId, LoanId, LoginId, LoginSessionId, MemberId,
    OrganisationId, PaymentId, PsuId, StaffId, StaffRequestId, StaffTokenId,
};
use trapeza_domain::login::LoginKind;
use trapeza_domain::organisation::{Member, MemberRole, Organisation};
use trapeza_domain::psu::Psu;
use trapeza_domain::reference::{Bic, Iban};
use trapeza_domain::staff::{RequestStatus, Staff, StaffAction, StaffRequest, StaffRole, StaffStatus};
use trapeza_domain::time::{TimeDelta, Timestamp};
use trapeza_store::{
    ClearingTransaction, EnrolledDevice, EnrolmentRecord, GuestSession, InstantSubmission, InvitationRecord,
    LoginRecord, NewLoginSession, NotificationRecord, ScaCounterKey, ScaEventCount, StaffTokenRecord, Store,
    StoreError, Tx,
};
use trapeza_testkit::database::{Database, Engine};
use uuid::Uuid;

/// When everything here ends.
const END: Timestamp = Timestamp(1_800_000_000_000_000);
const BEGUN: Timestamp = END.minus(TimeDelta::hours(8));
const MEMBER: Uuid = Uuid::from_u128(1);
const STAFF: Uuid = Uuid::from_u128(2);
const ORGANISATION: OrganisationId = OrganisationId::new(Uuid::from_u128(3));

const fn just_before(at: Timestamp) -> Timestamp {
    at.minus(TimeDelta(1))
}

fn email(name: &str) -> Email {
    Email::parse(&format!("{name}@bank.example")).unwrap()
}

fn login_insert(tx: &mut Tx<'_>, id: Uuid, kind: LoginKind) -> Result<(), StoreError> {
    tx.login_insert(&LoginRecord {
        id: LoginId::new(id),
        kind,
        email: email(kind.name()),
        password_hash: Some("hash".to_owned()),
        totp_secret: None,
        totp_step: 0,
        disabled_at: None,
    })
}

/// A member of an organisation and a member of the staff.
async fn people(store: &Store) {
    let inserted = store.write(|tx| {
        let organisation =
            Organisation { id: ORGANISATION, name: "Kyklos".to_owned(), created_at: Timestamp(1) };
        tx.organisation_insert(&organisation)?;
        login_insert(tx, MEMBER, LoginKind::Member)?;
        tx.member_insert(&Member {
            id: MemberId::new(MEMBER),
            organisation: ORGANISATION,
            email: email("member"),
            name: "Anna".to_owned(),
            role: MemberRole::Owner,
            created_at: Timestamp(1),
        })?;
        login_insert(tx, STAFF, LoginKind::Staff)?;
        tx.staff_insert(&Staff {
            id: StaffId::new(STAFF),
            email: email("staff"),
            name: "Jonas".to_owned(),
            role: StaffRole::Operations,
            status: StaffStatus::Active,
            created_at: Timestamp(1),
        })?;
        Ok(())
    });
    inserted.await.unwrap();
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn session_ends_at_its_age_and_at_its_idleness(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let store = database.open();
    people(&store).await;
    let (member, staff) = (LoginId::new(MEMBER), LoginId::new(STAFF));
    let signed_in = store.write(move |tx| {
        for (number, login) in [(1_u8, member), (2, staff)] {
            let id = LoginSessionId::new(Uuid::from_u128(number.into()));
            tx.login_session_insert(&NewLoginSession {
                id,
                token_hash: [number; 32],
                login,
                browser: "browser".to_owned(),
                now: BEGUN,
            })?;
            tx.login_session_last_seen_set(login, id, END)?;
        }
        Ok(())
    });
    signed_in.await.unwrap();
    // The sessions that began and were seen after these times: found by token and listed, of either person.
    let found = async |begun_after: Timestamp, seen_after: Timestamp| {
        let read = store.read(move |tx| {
            Ok([
                tx.member_session_find(&[1; 32], begun_after, seen_after)?.is_some(),
                tx.staff_session_find(&[2; 32], begun_after, seen_after)?.is_some(),
                !tx.login_session_list(member, begun_after, seen_after)?.is_empty(),
                !tx.login_session_list(staff, begun_after, seen_after)?.is_empty(),
            ])
        });
        read.await.unwrap()
    };
    let purge = async |begun_until: Timestamp, seen_until: Timestamp| {
        let purged = store.write(move |tx| Ok(tx.login_session_purge(member, begun_until, seen_until)?));
        purged.await.unwrap();
    };
    assert_eq!(found(just_before(BEGUN), just_before(END)).await, [true; 4]);
    assert_eq!(found(BEGUN, just_before(END)).await, [false; 4], "its age");
    assert_eq!(found(just_before(BEGUN), END).await, [false; 4], "its idleness");
    purge(just_before(BEGUN), just_before(END)).await;
    assert_eq!(found(just_before(BEGUN), just_before(END)).await, [true; 4]);
    purge(BEGUN, just_before(END)).await;
    assert_eq!(found(just_before(BEGUN), just_before(END)).await, [false, true, false, true], "the member's");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn token_link_and_request_of_a_person_end_at_their_time(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let store = database.open();
    people(&store).await;
    let staff = StaffId::new(STAFF);
    let invitation = InvitationId::new(Uuid::from_u128(5));
    let request = || StaffRequest {
        id: StaffRequestId::new(Uuid::from_u128(6)),
        action: StaffAction::ApplicationDisable,
        parameters: "{}".to_owned(),
        reason: "as agreed".to_owned(),
        requested_by: StaffId::new(STAFF),
        requested_at: BEGUN,
        expires_at: END,
        status: RequestStatus::Pending,
        decided_by: None,
        decided_at: None,
        outcome: None,
        fingerprint: [0; 32],
    };
    let inserted = store.write(move |tx| {
        let token = StaffTokenRecord {
            id: StaffTokenId::new(Uuid::from_u128(4)),
            staff,
            name: "report".to_owned(),
            created_at: BEGUN,
            expires_at: END,
            last_used_at: None,
            revoked_at: None,
        };
        tx.staff_token_insert(&token, &[1; 32])?;
        tx.staff_enrolment_replace(staff, &[2; 32], END)?;
        let invited = InvitationRecord {
            id: invitation,
            organisation: Some(ORGANISATION),
            email: email("invited"),
            role: MemberRole::Viewer,
            created_at: BEGUN,
            expires_at: END,
        };
        tx.invitation_insert(&invited, &[3; 32])?;
        let enrolment = EnrolmentRecord {
            token_hash: [4; 32],
            invitation: Some(invitation),
            organisation_name: String::new(),
            email: email("invited"),
            name: "Eleni".to_owned(),
            password_hash: "hash".to_owned(),
            totp_secret: vec![1],
            attempts: 0,
            expires_at: END,
        };
        tx.enrolment_replace(&enrolment, BEGUN)?;
        tx.staff_request_insert(&request())?;
        Ok(())
    });
    inserted.await.unwrap();
    for (now, is_valid) in [(just_before(END), true), (END, false)] {
        let found = store.write(move |tx| {
            Ok([
                ("token", tx.staff_token_find(&[1; 32], now)?.is_some()),
                ("tokens", !tx.staff_token_list(staff, now)?.is_empty()),
                ("staff enrolment", tx.staff_enrolment_find(&[2; 32], now)?.is_some()),
                ("invitation by token", tx.invitation_by_token(&[3; 32], now)?.is_some()),
                ("invitation", tx.invitation_lock(invitation, now)?.is_some()),
                ("invitations", !tx.invitation_list(ORGANISATION, now)?.is_empty()),
                ("enrolment", tx.enrolment_find(&[4; 32], now)?.is_some()),
                ("request", tx.staff_request_is_pending(&request(), now)?),
                ("no expired request", tx.staff_request_expired(now)?.is_empty()),
            ])
        });
        for (what, is_found) in found.await.unwrap() {
            assert_eq!(is_found, is_valid, "{what} at {now:?}");
        }
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn device_and_guest_session_end_at_their_time(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let store = database.open();
    let (psu, loan) = (PsuId::new(Uuid::from_u128(1)), LoanId::new(Uuid::from_u128(2)));
    let device = move |hash: u8, expires_at| EnrolledDevice {
        session_token_hash: [hash; 32],
        psu,
        enrolled_at: Some(BEGUN),
        signed_in_until: None,
        expires_at,
        challenge: None,
        public_key: None,
    };
    let inserted = store.write(move |tx| {
        let customer = Psu {
            id: psu,
            login: "eleni".to_owned(),
            name: "Eleni".to_owned(),
            phone: Phone::parse("+306912345678").unwrap(),
        };
        assert!(tx.psu_insert(&customer, None, BEGUN)?);
        tx.enrolled_device_insert(&device(1, END), BEGUN)?;
        tx.guest_session_save(&GuestSession {
            loan,
            session_token_hash: [2; 32],
            expires_at: END,
            verified: true,
            challenge: None,
        })?;
        Ok(())
    });
    inserted.await.unwrap();
    for (now, is_valid) in [(just_before(END), true), (END, false)] {
        let found = store.write(move |tx| {
            Ok([
                ("device", tx.enrolled_device_find(&[1; 32], now)?.is_some()),
                ("locked device", tx.enrolled_device_lock(&[1; 32], now)?.is_some()),
                ("devices", !tx.enrolled_device_list(psu, now)?.is_empty()),
                ("guest session", tx.guest_session_find(loan, &[2; 32], now)?.is_some()),
                ("no expired guest session", !tx.guest_session_is_expired(now)?),
            ])
        });
        for (what, is_found) in found.await.unwrap() {
            assert_eq!(is_found, is_valid, "{what} at {now:?}");
        }
    }
    // A new device deletes those that have ended, and the sweep the sessions.
    let purged = store.write(move |tx| {
        tx.enrolled_device_insert(&device(3, Timestamp(i64::MAX)), just_before(END))?;
        let kept = tx.enrolled_device_find(&[1; 32], BEGUN)?.is_some();
        tx.enrolled_device_insert(&device(4, Timestamp(i64::MAX)), END)?;
        let deleted = tx.enrolled_device_find(&[1; 32], BEGUN)?.is_none();
        Ok((kept, deleted, tx.guest_session_purge(just_before(END))?, tx.guest_session_purge(END)?))
    });
    assert_eq!(purged.await.unwrap(), (true, true, 0, 1));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn block_and_counted_event_end_at_their_time(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let store = database.open();
    let subject = [9; 32];
    let inserted = store.write(move |tx| {
        let key = ScaCounterKey { subject, channel: "app".to_owned(), kind: "password" };
        tx.sca_counter_lock(&key)?;
        tx.sca_counter_update(&key, &FailureCounter { count: 5, last_at: BEGUN, blocked_until: END })?;
        tx.sca_event_insert(&subject, "otp", "app", END, BEGUN)?;
        Ok(())
    });
    inserted.await.unwrap();
    let events = async |since: Timestamp| {
        store.read(move |tx| Ok(tx.sca_event_count(&subject, "otp", "app", since)?)).await.unwrap()
    };
    let blocks = async |now: Timestamp| {
        let read = store.read(move |tx| {
            Ok((tx.sca_block_list(&subject, now)?.len(), tx.work_blocked_subjects(now, 10)?.len()))
        });
        read.await.unwrap()
    };
    assert_eq!(blocks(just_before(END)).await, (1, 1));
    assert_eq!(blocks(END).await, (0, 0));
    assert_eq!(events(just_before(END)).await, ScaEventCount { from_all: 1, from_channel: 1 });
    assert_eq!(events(END).await, ScaEventCount { from_all: 0, from_channel: 0 });
    // Events from another channel are counted apart, and those before a time are deleted.
    let other = async |purge_before: Timestamp| {
        let inserted =
            store.write(move |tx| Ok(tx.sca_event_insert(&subject, "otp", "portal", END, purge_before)?));
        inserted.await.unwrap();
    };
    other(END).await;
    assert_eq!(events(BEGUN).await, ScaEventCount { from_all: 2, from_channel: 1 });
    other(END.plus(TimeDelta(1))).await;
    assert_eq!(events(BEGUN).await, ScaEventCount { from_all: 1, from_channel: 0 });
    let unblocked = async |now: Timestamp| {
        store.write(move |tx| Ok(tx.sca_throttle_delete(&subject, now)?)).await.unwrap()
    };
    assert_eq!(unblocked(END).await, 0, "no channel is blocked any more");
    assert_eq!(events(BEGUN).await, ScaEventCount { from_all: 0, from_channel: 0 });
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn challenge_is_answered_once_until_its_end(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let store = database.open();
    let answer = async |challenge: u8, now: Timestamp| {
        let answered = store.write(move |tx| Ok(tx.login_challenge_use(&[challenge; 32], now, END)?));
        answered.await.unwrap()
    };
    assert!(answer(1, BEGUN).await);
    assert!(answer(2, BEGUN).await, "another challenge");
    assert!(!answer(1, BEGUN).await, "again");
    assert!(!answer(1, just_before(END)).await, "a microsecond before its end");
    let count = || database.number("SELECT COUNT(*) FROM login_challenge");
    assert_eq!(count(), 2);
    assert!(answer(3, END).await);
    assert_eq!(count(), 1, "those that have ended are deleted");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn message_is_claimed_again_and_dropped_at_its_time(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let store = database.open();
    let lease = END.minus(TimeDelta::minutes(1));
    let inserted = store.write(|tx| {
        for (number, channel, expires_at) in
            [(1, "SMS", Timestamp(i64::MAX)), (2, "SMS", END), (3, "EMAIL", END.plus(TimeDelta(1)))]
        {
            tx.notification_insert(&NotificationRecord {
                id: Uuid::from_u128(number),
                recipient: "+306912345678".to_owned(),
                channel: channel.to_owned(),
                ciphertext: Some(vec![1]),
                created_at: BEGUN,
                expires_at,
                sent_at: None,
                traceparent: None,
            })?;
        }
        Ok(())
    });
    inserted.await.unwrap();
    let claim = async |now: Timestamp, limit: i64| {
        let claimed = store.write(move |tx| Ok(tx.notification_claim("SMS", now, lease, limit)?));
        claimed.await.unwrap().iter().map(|message| message.id.as_u128()).collect::<Vec<_>>()
    };
    assert_eq!(claim(BEGUN, 1).await, [2], "the first to expire");
    assert_eq!(claim(BEGUN, 9).await, [1], "of this channel only");
    assert_eq!(claim(just_before(lease), 9).await, Vec::<u128>::new());
    assert_eq!(claim(lease, 9).await, [2, 1]);
    let dropped =
        async |now: Timestamp| store.write(move |tx| Ok(tx.notification_expire(now)?)).await.unwrap();
    assert_eq!(dropped(just_before(END)).await, 0);
    assert_eq!(dropped(END).await, 1);
    store.write(|tx| Ok(tx.notification_mark_sent(Uuid::from_u128(2), END)?)).await.unwrap();
    store.write(|tx| Ok(tx.notification_mark_sent(Uuid::from_u128(1), END)?)).await.unwrap();
    let rows = database.rows("SELECT status, ciphertext IS NULL FROM notification ORDER BY id");
    let statuses: Vec<&str> = rows.iter().map(|row| row[0].as_str()).collect();
    assert_eq!(statuses, ["sent", "dropped", "waiting"], "a dropped message is not sent");
    assert_eq!(rows[0][1], rows[1][1], "both texts are deleted");
    assert_ne!(rows[1][1], rows[2][1]);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn clearing_is_due_at_its_time(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let store = database.open();
    let id = ClearingId::new(Uuid::from_u128(1));
    let inserted = store.write(move |tx| {
        tx.clearing_transaction_insert(&ClearingTransaction {
            id,
            batch: BatchId::new(Uuid::from_u128(2)),
            position: 1,
            application: ApplicationId::BANK,
            payment: PaymentId::new(Uuid::from_u128(3)),
            debtor_name: "Eleni".to_owned(),
            debtor_iban: Iban::parse("GR1601101250000000012300695").unwrap(),
            debtor_agent: Bic::parse("TRPZGRAA").unwrap(),
            submitted_at: BEGUN,
            alert_at: Some(END),
            alerted: false,
            answered_at: None,
            returned_at: None,
        })?;
        tx.instant_submission_insert(&InstantSubmission {
            clearing_transaction: id,
            state: InstantState::Sent,
            deadline_at: END,
            next_at: Some(END),
        })?;
        Ok(())
    });
    inserted.await.unwrap();
    for (now, is_due) in [(just_before(END), false), (END, true)] {
        let found = store.write(move |tx| {
            Ok([
                tx.clearing_transaction_is_overdue(now)?,
                !tx.clearing_transaction_overdue(now)?.is_empty(),
                tx.instant_submission_is_due(now)?,
                !tx.instant_submission_due(now)?.is_empty(),
            ])
        });
        assert_eq!(found.await.unwrap(), [is_due; 4], "{now:?}");
    }
}
