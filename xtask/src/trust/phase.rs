//! The phases: named groups of suites, with how often each is repeated.

/// Suites of a package's integration tests.
pub struct Suite {
    pub package: &'static str,
    pub filter: &'static str,
}

pub struct Phase {
    pub name: &'static str,
    /// What it tries to break.
    pub run: &'static str,
    pub suites: &'static [Suite],
    /// Factors by which repetitions are multiplied.
    pub quick: u32,
    pub full: u32,
}

const fn flow(filter: &'static str) -> Suite {
    Suite { package: "trapeza-tests", filter }
}

const fn own(package: &'static str, filter: &'static str) -> Suite {
    Suite { package, filter }
}

/// In the order in which they run: the cheapest first.
pub const PHASES: &[Phase] = &[
    Phase {
        name: "time",
        run: "every expiry without the sweep; deadlines to the microsecond, funds to the cent",
        suites: &[
            flow("http::late_sweep::"),
            flow("http::exact_time::"),
            own("trapeza-app", "consent::expiry::"),
        ],
        quick: 1,
        full: 1,
    },
    Phase {
        name: "tables",
        run: "every operation against wrong callers, every form against forgery, every write against its audit event, changed repetitions and the rows of a neighbour",
        suites: &[
            flow("http::access_matrix::"),
            flow("http::forged_form::"),
            flow("http::idempotency_table::"),
            flow("http::address_limit::"),
            flow("audit::"),
            flow("console::access::"),
            flow("http::portal::access::"),
            flow("neighbour::"),
            flow("process::planted_secret::"),
        ],
        quick: 1,
        full: 1,
    },
    Phase {
        name: "model",
        run: "random histories of concurrent callers with repeated and lost calls, clock moves, sweeps and kills, against a model; concurrent answers have an order",
        suites: &[flow("model::")],
        quick: 1,
        full: 50,
    },
    Phase { name: "fuzz", run: "random input for parsers", suites: &[flow("fuzz::")], quick: 1, full: 200 },
    Phase {
        name: "schema",
        run: "requests that schemathesis generates from both OpenAPI documents; every answer conforms to its document",
        suites: &[flow("process::schema::"), flow("process::dialect_client::")],
        quick: 1,
        full: 20,
    },
    Phase {
        name: "ledger",
        run: "concurrent payments over half the balance; rows changed by SQL",
        suites: &[
            flow("concurrency::payment::hundred"),
            own("trapeza-store", "ledger::"),
            own("trapeza-store", "hold_race::"),
            flow("http::ledger_check::"),
        ],
        quick: 1,
        full: 20,
    },
    Phase {
        name: "sca",
        run: "wrong and right codes at once, tampered targets, steps in every state",
        suites: &[
            own("trapeza-app", "sca::"),
            flow("http::authorisation::"),
            flow("http::credential_limits::"),
        ],
        quick: 1,
        full: 20,
    },
    Phase {
        name: "races",
        run: "cancellation against execution, revocation against reads, repetitions under load",
        suites: &[
            flow("concurrency::payment::concurrent_cancel"),
            flow("concurrency::payment::repeated"),
            flow("concurrency::revocation::"),
        ],
        quick: 1,
        full: 20,
    },
    Phase {
        name: "crash",
        run: "kill -9 under load; acknowledged writes are there afterwards; a process that stalls past its leases",
        suites: &[
            flow("process::crash_recovery::"),
            flow("process::callback_crash_recovery::"),
            flow("process::bulk_payment_crash::"),
            flow("process::scheduled_payment_cluster::"),
            flow("process::callback_stall::"),
            flow("process::notification_crash::"),
            flow("process::instant_payment_crash::"),
            flow("process::instant_payment_late::"),
        ],
        quick: 1,
        full: 10,
    },
    Phase {
        name: "power",
        run: "images of the disk at many points, with writes that no fsync covered dropped, torn and reordered",
        suites: &[own("trapeza-store", "wal_durability::"), flow("process::power_cut::")],
        quick: 1,
        full: 50,
    },
    Phase {
        name: "clearing",
        run: "killed and concurrent couriers, interrupted and doubled files",
        suites: &[
            flow("process::clearing_files::"),
            flow("process::clearing_interruption::"),
            flow("process::clearing_cluster::"),
            flow("process::clearing_stall::"),
        ],
        quick: 1,
        full: 10,
    },
    Phase {
        name: "cluster",
        run: "three programs on three servers under Patroni: primaries killed, frozen, cut off, disks full, upgrades; the factor is the number of kills",
        suites: &[],
        quick: 2,
        full: 20,
    },
    Phase {
        name: "overload",
        run: "three times the capacity, thousands of idle, slow and half-closed connections, password hashing; times are judged, so nothing else may run",
        suites: &[],
        quick: 1,
        full: 2,
    },
    Phase {
        name: "soak",
        run: "70 % of the capacity: memory, WAL, open files and p99 stay flat; the factor is the number of minutes",
        suites: &[],
        quick: 1,
        full: 120,
    },
];
