//! What each step changes in the database, while another caller is at the same step: two callers take turns with one scenario, and
//! a statement that reaches the other one's rows, or leaves a column as it was, changes a snapshot.

mod customer;
mod dialect;
mod loan;
mod message;
mod organisation;
mod payment;
mod purchase;
mod staff;
mod throttle;

use std::cell::{Cell, RefCell};
use std::future::Future;
use tokio::sync::Notify;
use trapeza_domain::time::TimeDelta;
use trapeza_testkit::database::Database;
use trapeza_testkit::{Rows, TestBank};

/// One of two callers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    First,
    Second,
}

impl Side {
    const fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }

    /// The first value for the first caller, the second one for the other.
    fn of<T>(self, first: T, second: T) -> T {
        match self {
            Self::First => first,
            Self::Second => second,
        }
    }

    /// An e-mail address of the caller's.
    fn email(self, name: &str) -> String {
        format!("{name}@{}.example", self.of("first", "second"))
    }
}

/// The paths of what each of two callers has created, for the other one to ask for.
#[derive(Default)]
struct Created(RefCell<Vec<(Side, String)>>);

impl Created {
    fn push(&self, side: Side, path: String) {
        self.0.borrow_mut().push((side, path));
    }

    /// What the other caller has created.
    fn of_other(&self, side: Side) -> Vec<String> {
        let all = self.0.borrow();
        all.iter().filter(|(owner, _)| *owner == side.other()).map(|(_, path)| path.clone()).collect()
    }
}

/// Excludes what depends on the system's time from the changes, because a scenario may take minutes: that the use of a session is
/// stored once a minute, and that challenges of passkeys expire.
fn postpone_login_times(bank: &TestBank) {
    let now = bank.app.clock().system_now();
    let (recent, soon) = (now.minus(TimeDelta::minutes(10)).0, now.plus(TimeDelta::minutes(30)).0);
    for (table, column) in [("login_session", "last_seen_at"), ("login_challenge", "expires_at")] {
        bank.database.tamper(&format!(
            "UPDATE {table} SET {column} = {column} + 3600000000 WHERE {column} BETWEEN {recent} AND {soon}"
        ));
    }
}

/// Steps, each with what it has changed.
struct Steps<'a> {
    database: &'a Database,
    rows: Rows,
    lines: Vec<String>,
}

impl<'a> Steps<'a> {
    fn begin(database: &'a Database) -> Self {
        Self { database, rows: Rows::read(database), lines: Vec::new() }
    }

    /// Writes down what has changed since the step before.
    fn record(&mut self, step: &str) {
        let now = Rows::read(self.database);
        self.lines.push(format!("{step}: {}", now.changes_since(&self.rows)));
        self.rows = now;
    }
}

/// Two scenarios that take turns after each step.
struct Turns<'a> {
    bank: &'a TestBank,
    next: Cell<Side>,
    ended: Cell<bool>,
    changed: Notify,
    steps: RefCell<Steps<'a>>,
}

impl<'a> Turns<'a> {
    fn begin(bank: &'a TestBank) -> Self {
        Self {
            bank,
            next: Cell::new(Side::First),
            ended: Cell::new(false),
            changed: Notify::new(),
            steps: RefCell::new(Steps::begin(&bank.database)),
        }
    }

    fn scenario(&'a self, side: Side) -> Scenario<'a> {
        Scenario { turns: self, side }
    }

    async fn wait_for(&self, side: Side) {
        while self.next.get() != side && !self.ended.get() {
            self.changed.notified().await;
        }
    }
}

/// The scenario of one caller.
struct Scenario<'a> {
    turns: &'a Turns<'a>,
    side: Side,
}

impl Scenario<'_> {
    /// Writes down what has changed since the step before, and lets the other caller take the same step.
    async fn step(&self, name: &str) {
        self.turns.steps.borrow_mut().record(&format!("{} {name}", self.side.of("1.", "2.")));
        self.turns.next.set(self.side.other());
        self.turns.changed.notify_waiters();
        self.turns.wait_for(self.side).await;
    }
}

/// Lets two callers take turns with a scenario. Returns what each step has changed.
async fn take_turns<'a, F: Future<Output = ()>>(
    turns: &'a Turns<'a>,
    scenario: impl Fn(Scenario<'a>) -> F,
) -> String {
    let run = async |side| {
        turns.wait_for(side).await;
        scenario(turns.scenario(side)).await;
        turns.ended.set(true);
        turns.changed.notify_waiters();
    };
    tokio::join!(run(Side::First), run(Side::Second));
    crate::staff::verify_audit(turns.bank).await;
    turns.steps.borrow().lines.join("\n")
}
