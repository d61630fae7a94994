//! `cargo xtask install-test`: installs the Debian package of the dev build in a [`Machine`], starts, upgrades, removes and purges it.
//!
//! The machine runs a real systemd, so that the service is started as its unit says: its user, its directories, its sandbox.

use super::debian::Package;
use super::machine::Machine;
use super::{Component, Release, build, licence, make_directory, sbom, write};
use crate::process::{Outcome, capture_stdout, root, run, step};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The highest exposure that `systemd-analyze security` may find, in tenths.
const EXPOSURE_TENTHS: u32 = 20;

/// What production refuses in the configuration of a new installation: what only the operator can decide.
const UNSET: [&str; 4] = ["public_url", "tls.certificate", "tls.key", "tls.client_ca"];

/// The operator's part: certificates, and the settings that name them.
const CONFIGURE: &str = r#"
mkdir -p /etc/trapeza/tls
cd /etc/trapeza/tls
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \
  -addext subjectAltName=DNS:localhost -keyout server.key -out server.pem 2> openssl.log
chgrp trapeza server.key
chmod 640 server.key
sed -i -e 's|^#listen = "127.0.0.1:8080"|listen = "127.0.0.1:8443"|' \
  -e 's|^#public_url = .*|public_url = "https://localhost:8443"|' \
  -e '/^\[tls\]/,/^\[callers\]/ s|^#certificate = .*|certificate = "/etc/trapeza/tls/server.pem"|' \
  -e '/^\[tls\]/,/^\[callers\]/ s|^#key = .*|key = "/etc/trapeza/tls/server.key"|' \
  -e '/^\[tls\]/,/^\[callers\]/ s|^#client_ca = .*|client_ca = "/etc/trapeza/tls/server.pem"|' /etc/trapeza/trapeza.toml
"#;

/// The settings of docs/operations.md for a port below 1024 and for clearing directories outside of the data directory.
const DROP_IN: &str = r#"
for name in outgoing incoming done; do install -d -m 700 -o trapeza -g trapeza /srv/clearing/$name; done
mkdir -p /etc/systemd/system/trapeza.service.d
cat > /etc/systemd/system/trapeza.service.d/override.conf <<END
[Service]
ReadWritePaths=/srv/clearing
AmbientCapabilities=CAP_NET_BIND_SERVICE
CapabilityBoundingSet=CAP_NET_BIND_SERVICE
PrivateUsers=no
Environment=TRAPEZA_LISTEN=127.0.0.1:443 TRAPEZA_CLEARING_OUTGOING=/srv/clearing/outgoing
Environment=TRAPEZA_CLEARING_INCOMING=/srv/clearing/incoming TRAPEZA_CLEARING_DONE=/srv/clearing/done
END
systemctl daemon-reload
systemctl restart trapeza
"#;

/// Runs a command of the bank as its user.
const COMMAND: &str = "setpriv --reuid=trapeza --regid=trapeza --init-groups -- trapeza";
const CONFIG: &str = "--config /etc/trapeza/trapeza.toml";

pub fn run_all() -> Outcome {
    step("tools are installed", Machine::find_or_install)?;
    step("sandbox of the service", exposure_check)?;
    let release = Release::of_workspace("target/package-test")?;
    let program = step("build", || build("dev", &release.commit))?;
    let packages = step("packages", || packages_build(release, &program))?;
    if let Err(reason) = Machine::ensure_possible() {
        println!("The package is unpacked but NOT INSTALLED, because it cannot be here: {reason}");
        return step("unpack", || unpack(&packages));
    }
    let machine = step("machine is booted", || Machine::boot(packages.parent().unwrap_or(&root())))?;
    let test = InstallTest { machine };
    step("install", || test.install())?;
    step("configure and start", || test.start())?;
    step("drop-in", || test.drop_in())?;
    step("upgrade", || test.upgrade())?;
    step("remove and purge", || test.remove())
}

/// The exposure is computed from the unit alone.
fn exposure_check() -> Outcome {
    let unit = root().join("deploy/systemd/trapeza.service");
    // The tool fails above the threshold, and the exposure must be below it.
    let threshold = format!("--threshold={}", EXPOSURE_TENTHS - 1);
    let mut analyze = Command::new("systemd-analyze");
    capture_stdout(analyze.args(["security", "--offline=true", "--no-pager", &threshold]).arg(&unit))
        .map(|_| ())
}

/// Two versions of the package: the program's, and a higher one. Returns the path of the second.
fn packages_build(mut release: Release, program: &Path) -> Outcome<PathBuf> {
    release.compression = "none";
    std::fs::remove_dir_all(&release.directory).ok();
    make_directory(&release.directory)?;
    let stripped = release.file("trapeza");
    run(Command::new("strip").arg("-o").arg(&stripped).arg(program))?;
    let components = Component::of_program()?;
    let (licences, sbom) = (release.file("licences.txt"), release.file("sbom.json"));
    write(&licences, &licence::list(&components)?)?;
    write(&sbom, &sbom::document(&release, &components)?)?;
    let package =
        |release: &Release| Package { release, program: &stripped, licences: &licences, sbom: &sbom }.build();
    package(&release)?;
    release.version.push_str("+upgrade1");
    package(&release)
}

/// Unpacks a package and runs its program.
fn unpack(package: &Path) -> Outcome {
    let directory = package.with_extension("unpacked");
    run(Command::new("dpkg-deb").arg("--extract").arg(package).arg(&directory))?;
    let unpacked = |path: &str| directory.join(path);
    for file in
        ["etc/trapeza/trapeza.toml", "lib/systemd/system/trapeza.service", "usr/share/doc/trapeza/copyright"]
    {
        if !unpacked(file).is_file() {
            return Err(format!("the package has no /{file}"));
        }
    }
    run(Command::new(unpacked("usr/bin/trapeza")).arg("--version"))
}

struct InstallTest {
    machine: Machine,
}

impl InstallTest {
    fn install(&self) -> Outcome {
        let shell = |commands: &str| self.machine.shell(commands);
        shell("rm -rf /etc/trapeza /var/lib/trapeza; dpkg --purge trapeza 2> /dev/null || true")?;
        shell("dpkg --install $(ls /packages/*.deb | grep -v upgrade)")?;
        self.assert_prints("systemctl is-enabled trapeza || true", "disabled")?;
        self.assert_prints("systemctl is-active trapeza || true", "inactive")?;
        self.assert_prints("getent passwd trapeza | cut -d: -f6,7", "/var/lib/trapeza:/usr/sbin/nologin")?;
        let modes = "stat --format='%a %U:%G' /etc/trapeza /etc/trapeza/trapeza.toml /etc/trapeza/root.secret /var/lib/trapeza";
        let expected = "750 root:trapeza\n640 root:trapeza\n640 root:trapeza\n700 trapeza:trapeza";
        self.assert_prints(modes, expected)?;
        self.assert_prints("stat --format=%s /etc/trapeza/root.secret", "32")?;
        let refused = shell(&format!("{COMMAND} config check {CONFIG} || true"))?;
        let refused: Vec<&str> =
            refused.lines().filter_map(|line| line.strip_prefix("# production refuses: ")).collect();
        let unset = |error: &&&str| UNSET.iter().any(|key| error.starts_with(&format!("{key} is not set")));
        if refused.len() != UNSET.len() || refused.iter().filter(unset).count() != UNSET.len() {
            return Err(format!("a new installation must only lack {UNSET:?}: {refused:#?}"));
        }
        Ok(())
    }

    fn start(&self) -> Outcome {
        let shell = |commands: &str| self.machine.shell(commands);
        shell(CONFIGURE)?;
        // The start ends when the server has reported that it is ready.
        self.started("systemctl enable --now trapeza")?;
        self.assert_prints(&format!("{COMMAND} health {CONFIG}"), r#"{"status":"ready"}"#)?;
        let status = "grep -E '^(Uid|CapEff|NoNewPrivs|Seccomp):' /proc/$(systemctl show --property=MainPID --value trapeza)/status | tr '\\t' ' '";
        let status = shell(status)?;
        let uid = shell("id -u trapeza")?;
        for expected in
            [&format!("Uid: {}", uid.trim()), "CapEff: 0000000000000000", "NoNewPrivs: 1", "Seccomp: 2"]
        {
            if !status.contains(expected) {
                return Err(format!("the process must have {expected}: {status}"));
            }
        }
        self.assert_prints("stat --format='%a %U' /var/lib/trapeza/trapeza.db", "600 trapeza")?;
        shell(&format!(
            "echo correct-horse | {COMMAND} psu add {CONFIG} --login eleni --name 'Eleni Papadaki' --phone +306912345678 \
             --method sms --bic TRPZGRAA --account GR1601101250000000012300695"
        ))?;
        shell("systemctl reload trapeza")?;
        self.assert_logged("reload: completed")?;
        self.assert_bank_is_complete()
    }

    fn drop_in(&self) -> Outcome {
        self.started(DROP_IN)?;
        self.assert_prints("curl --silent --insecure https://127.0.0.1/readyz", r#"{"status":"ready"}"#)?;
        self.machine.shell("test -d /srv/clearing/outgoing/.staging")?;
        self.machine.shell("rm -r /etc/systemd/system/trapeza.service.d; systemctl daemon-reload")?;
        self.started("systemctl restart trapeza")?;
        self.assert_bank_is_complete()
    }

    fn upgrade(&self) -> Outcome {
        let shell = |commands: &str| self.machine.shell(commands);
        let files = "sha256sum /etc/trapeza/trapeza.toml /etc/trapeza/root.secret";
        let process = "systemctl show --property=MainPID --value trapeza";
        let (files_before, process_before) = (shell(files)?, shell(process)?);
        self.started("dpkg --install /packages/*upgrade*.deb")?;
        self.assert_prints(
            "dpkg-query --show --showformat='${Version}' trapeza | grep -o upgrade1",
            "upgrade1",
        )?;
        self.assert_prints(files, files_before.trim())?;
        if shell(process)? == process_before {
            return Err("the upgrade must restart the server".to_owned());
        }
        self.assert_bank_is_complete()
    }

    fn remove(&self) -> Outcome {
        let shell = |commands: &str| self.machine.shell(commands);
        shell("dpkg --remove trapeza")?;
        self.assert_prints("systemctl is-active trapeza || true", "inactive")?;
        self.assert_prints("ls /usr/bin/trapeza 2> /dev/null || true", "")?;
        shell(
            "test -e /var/lib/trapeza/trapeza.db -a -e /etc/trapeza/trapeza.toml -a -e /etc/trapeza/root.secret",
        )?;
        shell("dpkg --purge trapeza")?;
        shell(
            "test -e /var/lib/trapeza/trapeza.db -a ! -e /etc/trapeza/trapeza.toml -a -e /etc/trapeza/root.secret",
        )?;
        // The bank is still there for a package that is installed again.
        shell("dpkg --install /packages/*upgrade*.deb")?;
        shell(CONFIGURE)?;
        self.started("systemctl start trapeza")?;
        self.assert_bank_is_complete()
    }

    /// Runs a command that starts the service; a failure has the end of its log.
    fn started(&self, command: &str) -> Outcome {
        let started =
            self.machine.shell(command).and_then(|_| self.machine.shell("systemctl is-active trapeza"));
        started.map(|_| ()).map_err(|problem| {
            let log = self.machine.shell("journalctl --unit=trapeza --no-pager --output=cat | tail -n 20");
            format!("{problem}\n{}", log.unwrap_or_default())
        })
    }

    /// The customer of [`Self::start`] is there, and the books are in balance.
    fn assert_bank_is_complete(&self) -> Outcome {
        self.assert_prints(&format!("{COMMAND} health {CONFIG}"), r#"{"status":"ready"}"#)?;
        self.assert_prints(&format!("{COMMAND} psu list {CONFIG} | grep --count eleni"), "1")?;
        self.machine
            .shell(&format!("{COMMAND} ledger check {CONFIG} && {COMMAND} audit verify {CONFIG}"))
            .map(|_| ())
    }

    fn assert_prints(&self, commands: &str, expected: &str) -> Outcome {
        let printed = self.machine.shell(commands)?;
        if printed.trim() == expected {
            return Ok(());
        }
        Err(format!("{commands}\nprinted: {}\nexpected: {expected}", printed.trim()))
    }

    /// The log has this text, within a few seconds.
    fn assert_logged(&self, text: &str) -> Outcome {
        let wait = format!(
            "for _ in $(seq 100); do journalctl --unit=trapeza --output=cat | grep --quiet '{text}' && exit 0; sleep 0.1; done; exit 1"
        );
        self.machine
            .shell(&wait)
            .map(|_| ())
            .map_err(|problem| format!("the log must have \"{text}\": {problem}"))
    }
}
