//! A machine for the test of the package: this machine's file system below an overlay, with processes, a network and a systemd of its
//! own. What is installed or changed in it is in memory and disappears with it; this machine stays as it is.
//!
//! It needs root, because it mounts file systems. Its processes are in a cgroup of their own, which is removed at the end.

use crate::process::{Outcome, capture_stdout, on_path, packages_install};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const BOOT_TIMEOUT: Duration = Duration::from_secs(60);

const NAMESPACES: [&str; 8] =
    ["--mount", "--pid", "--fork", "--kill-child", "--cgroup", "--uts", "--ipc", "--net"];

/// The target that the machine boots into: nothing but what a service needs.
const TARGET: &str = "machine.target";

/// Makes the file system and becomes systemd. The arguments are the directory of the machine and a file of packages to copy.
const BOOT: &str = r#"
set -e
base=$1
packages=$2
read -r host_pid _ < /proc/self/stat
echo "$host_pid" > "$base/pid.new"
mv "$base/pid.new" "$base/pid"
mkdir "$base/disk"
mount -t tmpfs -o mode=755 tmpfs "$base/disk"
mkdir "$base/disk/upper" "$base/disk/work" "$base/disk/root"
root=$base/disk/root
mount -t overlay overlay -o "lowerdir=/,upperdir=$base/disk/upper,workdir=$base/disk/work" "$root"
mount -t proc proc "$root/proc"
# Settings of the kernel belong to the host.
mount --bind "$root/proc/sys" "$root/proc/sys"
mount -o remount,bind,ro "$root/proc/sys"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
for directory in run tmp dev; do mount -t tmpfs -o mode=755 tmpfs "$root/$directory"; done
chmod 1777 "$root/tmp"
for device in null zero full random urandom tty; do
  touch "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
mkdir "$root/dev/shm" "$root/dev/mqueue" "$root/dev/pts"
chmod 1777 "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
mkdir -p "$root/run/systemd/system" "$root/packages"
printf '[Unit]\nDescription=Test of the package\nRequires=basic.target\nAfter=basic.target\n' > "$root/run/systemd/system/machine.target"
for unit in systemd-timesyncd systemd-udevd systemd-networkd systemd-resolved; do
  ln -s /dev/null "$root/run/systemd/system/$unit.service"
done
# An image of a container forbids its packages to start services.
rm -f "$root/usr/sbin/policy-rc.d"
cp "$packages"/*.deb "$root/packages/"
# Not chroot, in which no user namespaces can be made.
cd "$root"
mkdir run/host
pivot_root . run/host
cd /
umount --lazy run/host
rmdir run/host
export container=trapeza-test
exec /lib/systemd/systemd --unit=machine.target --show-status=no --log-target=journal
"#;

pub struct Machine {
    unshare: Child,
    /// The process id of its systemd.
    pid: String,
    directory: PathBuf,
    cgroup: PathBuf,
}

impl Machine {
    /// Boots a machine with the packages of a directory in `/packages`.
    pub fn boot(packages: &Path) -> Outcome<Self> {
        let name = format!("trapeza-machine-{}", std::process::id());
        let (directory, cgroup) = (std::env::temp_dir().join(&name), own_cgroup()?.join(&name));
        for place in [&directory, &cgroup] {
            fs::create_dir(place).map_err(|e| format!("{}: {e}", place.display()))?;
        }
        let join = r#"echo $$ > "$1/cgroup.procs"; shift; exec "$@""#;
        let unshare = Command::new("sh")
            .args(["-ec", join, "machine"])
            .arg(&cgroup)
            .arg("unshare")
            .args(NAMESPACES)
            .args(["sh", "-c", BOOT, "boot"])
            .args([&directory, packages])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .map_err(|e| format!("cannot start unshare: {e}"))?;
        let mut machine = Self { unshare, pid: String::new(), directory, cgroup };
        machine.wait_until_booted()?;
        Ok(machine)
    }

    /// Installs the programs that the test needs on this machine and, as its file system is shared, in the other one.
    pub fn find_or_install() -> Outcome {
        let programs = [
            ("unshare", "util-linux"),
            ("nsenter", "util-linux"),
            ("systemd-analyze", "systemd"),
            ("openssl", "openssl"),
            ("curl", "curl"),
            ("adduser", "adduser"),
            ("strip", "binutils"),
        ];
        let missing: Vec<&str> = programs
            .iter()
            .filter(|(program, _)| on_path(program).is_none())
            .map(|(_, package)| *package)
            .collect();
        if missing.is_empty() { Ok(()) } else { packages_install(&missing.join(", "), &missing) }
    }

    /// Fails where this user or this machine may not create the namespaces and mounts that it needs.
    pub fn ensure_possible() -> Outcome {
        if capture_stdout(Command::new("id").arg("-u"))?.trim() != "0" {
            return Err("only root can mount file systems and boot a systemd".to_owned());
        }
        let probe = own_cgroup()?.join(format!("trapeza-probe-{}", std::process::id()));
        fs::create_dir(&probe).map_err(|e| format!("no cgroup can be created: {e}"))?;
        let _ = fs::remove_dir(&probe);
        capture_stdout(
            Command::new("unshare").args(NAMESPACES).args(["mount", "-t", "tmpfs", "tmpfs", "/tmp"]),
        )
        .map(|_| ())
    }

    fn wait_until_booted(&mut self) -> Outcome {
        let started = Instant::now();
        let mut problem = "it has not written its process id".to_owned();
        while started.elapsed() < BOOT_TIMEOUT {
            std::thread::sleep(Duration::from_millis(100));
            if let Some(status) = self.unshare.try_wait().map_err(|e| format!("the machine: {e}"))? {
                return Err(format!("the machine did not boot: {status}"));
            }
            match fs::read_to_string(self.directory.join("pid")) {
                Ok(pid) => self.pid = pid.trim().to_owned(),
                Err(_) => continue,
            }
            match self.shell(&format!("systemctl is-active --quiet {TARGET}")) {
                Ok(_) => return Ok(()),
                Err(error) => problem = error,
            }
        }
        Err(format!("the machine did not boot: {problem}"))
    }

    /// Runs commands as root in the machine, and returns what they print. They end at the first that fails.
    pub fn shell(&self, commands: &str) -> Outcome<String> {
        let mut shell = Command::new("nsenter");
        shell.args(["--target", &self.pid, "--all", "--root", "--wd"]);
        shell.args(["sh", "-ec", commands]).env_clear().envs([
            ("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"),
            ("DEBIAN_FRONTEND", "noninteractive"),
            ("LC_ALL", "C.UTF-8"),
        ]);
        capture_stdout(&mut shell)
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        // Killing unshare kills the machine's first process, and with it all others and all mounts.
        let _ = self.unshare.kill();
        let _ = self.unshare.wait();
        let _ = fs::remove_dir_all(&self.directory);
        let emptied = Instant::now();
        while self.cgroup.exists() && emptied.elapsed() < Duration::from_secs(5) {
            remove_cgroup(&self.cgroup);
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

/// Removes a cgroup with those below it. One whose processes are still ending stays.
fn remove_cgroup(cgroup: &Path) {
    for entry in fs::read_dir(cgroup).into_iter().flatten().flatten() {
        if entry.path().is_dir() {
            remove_cgroup(&entry.path());
        }
    }
    let _ = fs::remove_dir(cgroup);
}

/// The directory of this process's cgroup (version 2).
fn own_cgroup() -> Outcome<PathBuf> {
    let mounts = fs::read_to_string("/proc/mounts").map_err(|e| format!("/proc/mounts: {e}"))?;
    let own = fs::read_to_string("/proc/self/cgroup").map_err(|e| format!("/proc/self/cgroup: {e}"))?;
    cgroup_directory(&mounts, &own)
        .ok_or_else(|| "the test of the package needs cgroups of version 2, for its systemd".to_owned())
}

fn cgroup_directory(mounts: &str, own: &str) -> Option<PathBuf> {
    let mut fields = mounts.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let mount = fields.find(|fields| fields.get(2) == Some(&"cgroup2"))?;
    let path = own.lines().find_map(|line| line.strip_prefix("0::/"))?;
    Some(Path::new(mount.get(1)?).join(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cgroup_directory_is_below_the_mount_of_version_2() {
        let mounts =
            "cgroup /sys/fs/cgroup/cpu cgroup rw 0 0\ncgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n";
        let own = "3:cpu:/a\n0::/user.slice\n";
        assert_eq!(cgroup_directory(mounts, own), Some("/sys/fs/cgroup/unified/user.slice".into()));
        assert_eq!(cgroup_directory("cgroup /sys/fs/cgroup/cpu cgroup rw 0 0\n", own), None);
    }
}
