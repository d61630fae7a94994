//! Precedence, unknown keys and the environment.

mod production;

use super::*;
use trapeza_domain::time::TimeDelta;
use trapeza_http::signature::SignatureSettings;
use trapeza_http::{CamtVersion, LinkForm};

fn sources() -> Sources {
    Sources { mode: Mode::Production, file: None, environment: Vec::new(), flags: Vec::new() }
}

fn file(text: &str) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("bank.toml");
    std::fs::write(&path, text).unwrap();
    (dir, path)
}

fn environment(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn problem(sources: &Sources) -> String {
    sources.load().map(|_| ()).unwrap_err().to_string()
}

#[test]
fn defaults_are_a_valid_configuration() {
    let config = sources().load().unwrap().config;
    assert_eq!(config.listen.to_string(), "127.0.0.1:8080");
    assert_eq!((config.rate.per_second.get(), config.rate.burst.get()), (50, 100));
    assert_eq!((config.limits.body_bytes.get(), config.limits.basket_body_bytes.get()), (65_536, 1 << 20));
    assert_eq!(config.store.batch, Duration::from_millis(5));
    assert_eq!(config.timeouts.drain, Duration::from_secs(20));
    assert_eq!(config.callers.certificate_mode, CertificateMode::Mtls);
    assert_eq!(config.metrics.listen.unwrap().to_string(), "127.0.0.1:9464");
    assert_eq!((config.database, config.secret_file, config.public_url), (None, None, None));
}

#[test]
fn later_layers_override_earlier_ones() {
    let (_dir, path) =
        file("rate_limit = \"off\"\n[store]\nqueue = 1\nbatch_jobs = 1\npostgres_threads = 1\n");
    let effective = Sources {
        file: Some(path.clone()),
        environment: environment(&[("TRAPEZA_STORE_QUEUE", "2"), ("TRAPEZA_STORE_BATCH_JOBS", "2")]),
        flags: vec![("store.queue", "3".to_owned())],
        ..sources()
    }
    .load()
    .unwrap();
    let store = &effective.config.store;
    let numbers = (store.queue.get(), store.batch_jobs.get(), store.postgres_threads.get());
    assert_eq!(numbers, (3, 2, 1));
    assert_eq!(store.batch, Duration::from_millis(5));
    assert_eq!(effective.config.rate_limit, Switch::Off);
    assert_eq!(effective.origin("store.queue"), Some(&Origin::Flag("store.queue")));
    assert_eq!(
        effective.origin("store.batch_jobs"),
        Some(&Origin::Variable("TRAPEZA_STORE_BATCH_JOBS".to_owned()))
    );
    assert_eq!(effective.origin("store.postgres_threads"), Some(&Origin::File(path)));
    assert_eq!(effective.origin("store.batch_ms"), Some(&Origin::Default));
}

#[test]
fn collection_iban_must_be_valid_or_empty() {
    let account = |iban: &str| Sources {
        environment: environment(&[("TRAPEZA_BANK_COLLECTION_IBAN", iban)]),
        ..sources()
    };
    assert_eq!(account("").load().unwrap().config.bank.collection_iban, None);
    let iban = account("GR1601101250000000012300695").load().unwrap().config.bank.collection_iban;
    assert_eq!(iban.map(|iban| iban.masked()).as_deref(), Some("GR16…0695"));
    for wrong in ["GR1701101250000000012300695", "GR16 0110 1250 0000 0001 2300 695", "RF18539007547034"] {
        assert!(problem(&account(wrong)).contains("bank.collection_iban"), "{wrong}");
    }
}

#[test]
fn bank_name_that_is_empty_too_long_or_has_control_characters_is_refused() {
    let named =
        |name: &str| Sources { environment: environment(&[("TRAPEZA_BANK_NAME", name)]), ..sources() };
    assert_eq!(named("Τράπεζα Α.Ε.").load().unwrap().config.bank.name, "Τράπεζα Α.Ε.");
    for name in ["", " ", "Bank\nYour code is 1", &"ή".repeat(36)] {
        assert!(problem(&named(name)).contains("bank.name"), "{name:?}");
    }
}

#[test]
fn sandbox_defaults_to_header_certificates() {
    let sandbox =
        |environment| Sources { mode: Mode::Sandbox, environment, ..sources() }.load().unwrap().config;
    assert_eq!(sandbox(Vec::new()).callers.certificate_mode, CertificateMode::Header);
    assert_eq!(sandbox(Vec::new()).metrics.listen, None, "metrics are on the main port");
    let variables = environment(&[("TRAPEZA_CALLERS_CERTIFICATE_MODE", "mtls")]);
    assert_eq!(sandbox(variables).callers.certificate_mode, CertificateMode::Mtls);
}

#[test]
fn unknown_key_is_reported_with_file_and_suggestion() {
    for (text, key, hint) in [
        ("[store]\nqeue = 5", "store.qeue", "store.queue"),
        ("queue = 5", "queue", "store.queue"),
        ("ratelimit = \"off\"", "ratelimit", "rate_limit"),
        ("[log.level]\nx = 1", "log.level", ""),
    ] {
        let (_dir, path) = file(text);
        let found = problem(&Sources { file: Some(path.clone()), ..sources() });
        if hint.is_empty() {
            assert!(found.starts_with(&format!("{key} from {}: ", path.display())), "{found}");
        } else {
            assert_eq!(found, format!("unknown key {key} in {}; did you mean {hint}?", path.display()));
        }
    }
}

#[test]
fn unknown_variable_is_an_error_except_for_test_variables() {
    let with = |name: &str| Sources { environment: environment(&[(name, "1")]), ..sources() };
    assert_eq!(
        problem(&with("TRAPEZA_STORE_QUE")),
        "unknown variable in the environment: TRAPEZA_STORE_QUE (did you mean TRAPEZA_STORE_QUEUE?)"
    );
    assert!(with("TRAPEZA_TEST_POSTGRES").load().is_ok());
    assert!(with("PATH").load().is_ok());
}

#[test]
fn unknown_variables_are_all_reported() {
    let variables =
        environment(&[("TRAPEZA_STORE_QUE", "1"), ("TRAPEZA_ZONE", "UTC"), ("TRAPEZA_LISTN", "x")]);
    let found = problem(&Sources { environment: variables, ..sources() });
    assert!(found.starts_with("unknown variables in the environment: "), "{found}");
    assert!(found.contains("TRAPEZA_STORE_QUE (") && found.contains("TRAPEZA_LISTN ("), "{found}");
}

#[test]
fn variables_of_a_kubernetes_service_are_ignored() {
    let variables = environment(&[
        ("TRAPEZA_SERVICE_HOST", "10.0.0.7"),
        ("TRAPEZA_SERVICE_PORT", "8443"),
        ("TRAPEZA_SERVICE_PORT_HTTPS", "8443"),
        ("TRAPEZA_PORT", "tcp://10.0.0.7:8443"),
        ("TRAPEZA_PORT_8443_TCP", "tcp://10.0.0.7:8443"),
        ("TRAPEZA_PORT_8443_TCP_PROTO", "tcp"),
        ("TRAPEZA_PORT_8443_TCP_PORT", "8443"),
        ("TRAPEZA_PORT_8443_TCP_ADDR", "10.0.0.7"),
        ("TRAPEZA_BANK_PORT_53_UDP_ADDR", "10.0.0.8"),
    ]);
    assert!(Sources { environment: variables, ..sources() }.load().is_ok());
    for name in ["TRAPEZA_PORTS", "TRAPEZA_PORT_X_TCP", "TRAPEZA_SERVICE", "TRAPEZA_PORT_1_TCP_NAME"] {
        assert!(Sources { environment: environment(&[(name, "1")]), ..sources() }.load().is_err(), "{name}");
    }
}

#[test]
fn unmatched_transfers_are_returned_or_suspended() {
    let policy = |value: &str| Sources {
        environment: environment(&[("TRAPEZA_CLEARING_UNMATCHED", value)]),
        ..sources()
    };
    assert_eq!(policy("suspend").load().unwrap().config.clearing.unmatched, UnmatchedPolicy::Suspend);
    assert!(problem(&policy("keep")).contains("clearing.unmatched"));
}

#[test]
fn misspelt_log_level_is_refused() {
    let with = |level| Sources { environment: environment(&[("TRAPEZA_LOG_LEVEL", level)]), ..sources() };
    for level in ["inof", "trapeza_store", "", "info,", "info,trapeza_store=loud", "off"] {
        assert!(problem(&with(level)).contains("expected error, warn, info"), "{level}");
    }
    for level in ["info", "WARN", "info,trapeza_store=debug", "warn, trapeza_http=trace"] {
        assert!(with(level).load().is_ok(), "{level}");
    }
}

#[test]
fn invalid_value_is_reported_with_its_origin() {
    for (name, value, start) in [
        ("TRAPEZA_STORE_QUEUE", "many", "store.queue from TRAPEZA_STORE_QUEUE: expected a whole number"),
        ("TRAPEZA_STORE_QUEUE", "0", "store.queue from TRAPEZA_STORE_QUEUE: "),
        ("TRAPEZA_TIMEOUTS_BODY_SECONDS", "-1", "timeouts.body_seconds from TRAPEZA_TIMEOUTS_BODY_SECONDS: "),
        ("TRAPEZA_RATE_LIMIT", "maybe", "rate_limit from TRAPEZA_RATE_LIMIT: unknown variant `maybe`"),
        ("TRAPEZA_ZONE", "Europe/Atlantis", "zone from TRAPEZA_ZONE: expected a time zone"),
        ("TRAPEZA_LISTEN", "8080", "listen from TRAPEZA_LISTEN: "),
        ("TRAPEZA_METRICS_LISTEN", "9464", "metrics.listen from TRAPEZA_METRICS_LISTEN: expected an address"),
        (
            "TRAPEZA_CALLERS_TRUSTED_PROXIES",
            "proxy.example",
            "callers.trusted_proxies from TRAPEZA_CALLERS_TRUSTED_PROXIES: expected addresses or networks",
        ),
        ("TRAPEZA_DATA", "", "data from TRAPEZA_DATA: expected a path"),
        ("TRAPEZA_LOG_LEVEL", "trapeza=loud", "log.level from TRAPEZA_LOG_LEVEL: expected error, warn"),
        ("TRAPEZA_PUBLIC_URL", "bank.example", "public_url from TRAPEZA_PUBLIC_URL: expected https://host"),
        (
            "TRAPEZA_PUBLIC_URL",
            &format!("https://{}", "bank".repeat(50)),
            "public_url from TRAPEZA_PUBLIC_URL: expected at most 200 characters",
        ),
    ] {
        let found = problem(&Sources { environment: environment(&[(name, value)]), ..sources() });
        assert!(found.starts_with(start), "{found}");
    }
    let (_dir, path) = file("[store]\nqueue = \"5\"\n");
    let found = problem(&Sources { file: Some(path.clone()), ..sources() });
    assert!(found.starts_with(&format!("store.queue from {}: ", path.display())), "{found}");
    let (_dir, path) = file("\nlisten = ");
    assert!(problem(&Sources { file: Some(path), ..sources() }).contains("bank.toml, line 2: "));
}

#[test]
fn password_from_a_file_is_added_to_the_url_once() {
    let url = DatabaseUrl::parse("postgres://bank@db.example/bank?sslmode=disable").unwrap();
    let with = url.with_password("p@ss w&rd=?").unwrap();
    assert_eq!(with.split_password(), (url.reveal().to_owned(), Some("p@ss w&rd=?".to_owned())));
    assert!(!with.to_string().contains("rd"), "{with}");
    assert!(with.with_password("another").is_err());
}

#[test]
fn database_password_is_never_printed() {
    for url in [
        "postgres://bank:hunter2@db.example/bank",
        "postgresql://bank:hunter2@db.example:5432/bank?sslmode=require",
        "postgres://bank@db.example/bank?password=hunter2",
        "postgres://bank:p@hunter2@db.example/bank",
    ] {
        let with = Sources { environment: environment(&[("TRAPEZA_DATABASE", url)]), ..sources() };
        let effective = with.load().unwrap();
        assert_eq!(effective.config.database.as_ref().unwrap().reveal(), url);
        let shown = format!("{effective} {:?}", effective.config);
        assert!(shown.contains("db.example") && !shown.contains("hunter2"), "{shown}");
    }
    for broken in ["mysql://bank:hunter2@db/bank", "host=db password=hunter2"] {
        let with = Sources { environment: environment(&[("TRAPEZA_DATABASE", broken)]), ..sources() };
        assert!(!problem(&with).contains("hunter2"));
    }
    let (_dir, path) = file("database = \"postgres://bank:hunter2@db/bank");
    assert!(!problem(&Sources { file: Some(path), ..sources() }).contains("hunter2"));
}

#[test]
fn printed_configuration_parses_again() {
    let variables = environment(&[("TRAPEZA_ZONE", "Europe/Paris"), ("TRAPEZA_STORE_QUEUE", "9")]);
    let first = Sources { environment: variables, ..sources() }.load().unwrap();
    let (_dir, path) = file(&first.to_string());
    let second = Sources { file: Some(path), ..sources() }.load().unwrap();
    assert_eq!(format!("{:?}", first.config), format!("{:?}", second.config));
    assert!(first.to_string().contains("queue = 9 # TRAPEZA_STORE_QUEUE\n"), "{first}");
}

#[test]
fn links_use_the_public_url_or_where_we_listen() {
    let bound = "127.0.0.1:4711".parse().unwrap();
    assert_eq!(sources().load().unwrap().config.base_url(bound), "http://127.0.0.1:4711");
    let variables = environment(&[("TRAPEZA_PUBLIC_URL", "https://bank.example/")]);
    let config = Sources { environment: variables, ..sources() }.load().unwrap().config;
    assert_eq!(config.base_url(bound), "https://bank.example");
}

#[test]
fn password_is_split_off_the_database_url() {
    let split = |url: &str| DatabaseUrl::parse(url).unwrap().split_password();
    let url =
        "postgres://bank:p%40ss@db1,db2:5433/trapeza?sslmode=verify-full&target_session_attrs=read-write";
    let without = "postgres://bank@db1,db2:5433/trapeza?sslmode=verify-full&target_session_attrs=read-write";
    assert_eq!(split(url), (without.to_owned(), Some("p@ss".to_owned())));
    assert_eq!(split(without), (without.to_owned(), None));
    let query = "postgres://bank@db/trapeza?password=p%20q&sslmode=disable";
    assert_eq!(
        split(query),
        ("postgres://bank@db/trapeza?sslmode=disable".to_owned(), Some("p q".to_owned()))
    );
    assert_eq!(
        split("postgres://db/trapeza?password=x"),
        ("postgres://db/trapeza".to_owned(), Some("x".to_owned()))
    );
}

#[test]
fn each_setting_of_the_server_has_its_own_variable() {
    let settings = |file: Option<PathBuf>, pairs: &[(&str, &str)]| {
        let config = Sources { file, environment: environment(pairs), ..sources() }.load().unwrap().config;
        let signature = SignatureSettings::default();
        crate::bootstrap::settings(&config, "https://bank.example".to_owned(), false, signature)
    };
    let variables = [
        ("TRAPEZA_RATE_PER_SECOND", "11"),
        ("TRAPEZA_RATE_BURST", "12"),
        ("TRAPEZA_RATE_FAILED_AUTHENTICATIONS_PER_MINUTE", "13"),
        ("TRAPEZA_LIMITS_BODY_BYTES", "1400"),
        ("TRAPEZA_LIMITS_BASKET_BODY_BYTES", "1500"),
        ("TRAPEZA_LIMITS_JSON_DEPTH", "16"),
        ("TRAPEZA_TIMEOUTS_REQUEST_SECONDS", "17"),
        ("TRAPEZA_REQUEST_LOG_KEEP_DAYS", "18"),
        ("TRAPEZA_BERLIN_GROUP_BASE", "/xs2a/bank-1.3"),
        ("TRAPEZA_BERLIN_GROUP_LINKS", "relative"),
        ("TRAPEZA_BERLIN_GROUP_CAMT", "001.02"),
    ];
    let server = settings(None, &variables);
    let rates = server.rate_limits.unwrap();
    let rates = (rates.per_second.get(), rates.burst.get(), rates.failures_per_minute.get());
    assert_eq!(rates, (11, 12, 13));
    assert_eq!((server.body_bytes, server.basket_body_bytes, server.json_depth), (1_400, 1_500, 16));
    assert_eq!(server.request_timeout, Duration::from_secs(17));
    assert_eq!(server.request_log, Some(TimeDelta::days(18)));
    let dialect = server.berlin_group.unwrap();
    assert_eq!(dialect.base, "/xs2a/bank-1.3");
    assert_eq!((dialect.links, dialect.camt), (LinkForm::Relative, CamtVersion::V02));

    let (_dir, path) = file("[berlin_group]\nenabled = false\n");
    let none = [("TRAPEZA_RATE_LIMIT", "off"), ("TRAPEZA_REQUEST_LOG_KEEP_DAYS", "0")];
    let server = settings(Some(path), &none);
    assert!(server.rate_limits.is_none() && server.request_log.is_none() && server.berlin_group.is_none());
}

#[test]
fn fees_are_of_their_product_and_in_cents() {
    let variables = environment(&[
        ("TRAPEZA_FEES_INTERNAL_TRANSFERS", "0.10"),
        ("TRAPEZA_FEES_SEPA_CREDIT_TRANSFERS", "1.35"),
    ]);
    let fees = Sources { environment: variables, ..sources() }.load().unwrap().config.fees;
    assert_eq!((fees.internal_minor, fees.sepa_minor), (10, 135));
}

#[test]
fn base_of_the_dialect_is_a_path_beside_the_banks_own() {
    for base in ["", "/", "bg", "/v1", "/v1/bg", "/v2", "/bg/", "/a//b", "/a b", "/{a}"] {
        let variables = environment(&[("TRAPEZA_BERLIN_GROUP_BASE", base)]);
        let found = problem(&Sources { environment: variables, ..sources() });
        assert!(found.contains("must be a path such as /berlin-group"), "{base}: {found}");
    }
}

#[test]
fn public_url_is_a_host_alone() {
    let query = "https://bank.example?a=1";
    for url in ["https://bank.example/path", "https://user@bank.example", query, "ftp://bank.example"] {
        let variables = environment(&[("TRAPEZA_PUBLIC_URL", url)]);
        let found = problem(&Sources { environment: variables, ..sources() });
        assert!(found.contains("expected https://host"), "{url}: {found}");
    }
}

#[test]
fn console_has_its_own_address() {
    let bound = "127.0.0.1:4711".parse().unwrap();
    for (variables, url) in [
        (vec![("TRAPEZA_CONSOLE_TLS", "off")], "http://localhost:4711"),
        (vec![("TRAPEZA_CONSOLE_TLS", "on")], "https://localhost:4711"),
        (vec![("TRAPEZA_CONSOLE_URL", "https://console.bank.example")], "https://console.bank.example"),
    ] {
        let config = Sources { environment: environment(&variables), ..sources() }.load().unwrap().config;
        assert_eq!(config.console_url(bound), url);
    }
}
