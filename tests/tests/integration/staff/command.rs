//! `trapeza staff`: the first administrator, list, disable, enable, reset.

use super::{application, events, verify_audit};
use clap::Parser;
use trapeza::cli::{Cli, Command};
use trapeza::command::AdminRequest;
use trapeza_domain::staff::StaffAction;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{StaffUser, TestBank};

/// Output and exit code of a command on this bank.
fn staff(bank: &TestBank, arguments: &[&str]) -> (String, i32) {
    let cli = Cli::parse_from(["trapeza", "staff"].iter().chain(arguments));
    let Command::Staff(command) = cli.command else { panic!("not a staff command") };
    let app = bank.app.clone();
    let response = std::thread::spawn(move || AdminRequest::Staff(command).execute(&app, 7)).join().unwrap();
    (response.text, response.exit)
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_create_list_disable_enable_and_reset() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    assert_eq!(staff(&bank, &["list"]).0, "no staff\n");
    let add = ["add", "--role", "administrator", "--name", "Anna", "--email"];
    let (text, exit) = staff(&bank, &[add.as_slice(), &["anna@bank.example"]].concat());
    assert_eq!(exit, 0, "{text}");
    let token = text.split("/console/enrol?token=").nth(1).unwrap().split(' ').next().unwrap().to_owned();
    let anna = StaffUser::accept(&bank, &token).await;
    let (text, exit) = staff(&bank, &[add.as_slice(), &["Anna@bank.example"]].concat());
    assert_eq!((text.as_str(), exit), ("email: is used by a member of the staff\n", 1));
    let (text, exit) = staff(&bank, &[add.as_slice(), &["anna"]].concat());
    assert!(text.starts_with("email: ") && exit == 1, "{text}");
    let (text, _) = staff(&bank, &["list"]);
    assert!(text.contains("administrator  active       anna@bank.example  Anna"), "{text}");
    let (text, exit) = staff(&bank, &["disable", "anna@bank.example"]);
    assert!(exit == 1 && text.contains("must have an active administrator"), "{text}");
    let second =
        StaffUser::invite(&bank, trapeza_domain::staff::StaffRole::Administrator, "otto@bank.example");
    StaffUser::accept(&bank, &second.await).await;
    assert_eq!(staff(&bank, &["disable", "Anna@bank.example"]).1, 0);
    assert_eq!(staff(&bank, &["disable", "anna@bank.example"]).1, 1, "once");
    assert_eq!(staff(&bank, &["enable", &anna.id.to_string()]).1, 0);
    let (text, exit) = staff(&bank, &["reset", "anna@bank.example"]);
    assert!(exit == 0 && text.contains("/console/enrol?token="), "{text}");
    assert!(anna.sign_in(&anna.recovery_codes[0], "token").await.is_err(), "must enrol again");
    assert!(staff(&bank, &["list"]).0.contains("administrator  invited      anna@bank.example"));
    assert_eq!(staff(&bank, &["reset", "unknown@bank.example"]).1, 1);
    for action in ["staff.disabled", "staff.enabled", "staff.reset"] {
        assert_eq!(events(&bank, action), 1, "{action}");
    }
    let actors =
        bank.database.column("SELECT DISTINCT actor FROM audit_event WHERE action = 'staff.disabled'");
    assert_eq!(actors, ["operator:7"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_action_is_run_by_command() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let (list, _) = staff(&bank, &["actions"]);
    for action in StaffAction::ALL.iter().filter(|action| **action != StaffAction::ConsoleView) {
        assert!(list.contains(&format!("{} ", action.name())), "{list}");
        // Without its parameters no action has an effect.
        let (text, exit) = staff(&bank, &["run", action.name()]);
        assert!(exit == 1 && text.contains("is required"), "{}: {text}", action.name());
    }
    let id = application(&bank);
    let (text, exit) = staff(&bank, &["run", "application.disable", &format!("application={id}")]);
    assert_eq!((text, exit), (format!("disabled application {id}\n"), 0));
    assert_eq!(events(&bank, "application.disabled"), 1);
    for (arguments, expected) in [
        (["run", "application.delete", "application=1"], "unknown action"),
        (["run", "application.disable", "application"], "must be NAME=VALUE"),
        (["run", "application.disable", "merchant=1"], "unknown parameter merchant"),
    ] {
        let (text, exit) = staff(&bank, &arguments);
        assert!(exit == 1 && text.contains(expected), "{arguments:?}: {text}");
    }
    verify_audit(&bank).await;
}
