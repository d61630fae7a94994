//! What is done to the cluster, and how it is undone.

use super::database::Database;
use super::program::{PROGRAMS, Programs};
use crate::process::Outcome;
use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// PostgreSQL of the primary is killed; its Patroni lives.
    KilledPrimary,
    /// PostgreSQL and Patroni of the primary are killed, as when the machine is lost.
    LostPrimary,
    SwitchOver,
    /// PostgreSQL and Patroni of the primary are stopped and continue when another one has its place.
    FrozenPrimary,
    /// The primary's machine, with its member of etcd, has no network.
    CutOffPrimary,
    /// The file system of the primary's data is full.
    FullDisk,
    KilledProgram,
    /// The programs are restarted one after another.
    RollingUpgrade,
}

/// How long a fault lasts that does not end by itself.
const FAULT_DURATION: Duration = Duration::from_secs(12);
/// How long the disk of the former primary stays full.
const DISK_FULL_DURATION: Duration = Duration::from_secs(20);

impl Fault {
    /// Each kind once, kill -9 of the primary in both ways, `kills` times altogether, and a frozen primary once more for every five
    /// of them: what it does afterwards depends on what it was doing when it was stopped.
    pub fn plan(kills: usize) -> Vec<Self> {
        let mut plan: Vec<Self> = (0..kills)
            .map(|turn| if turn % 2 == 0 { Self::KilledPrimary } else { Self::LostPrimary })
            .collect();
        plan.push(Self::SwitchOver);
        plan.extend(std::iter::repeat_n(Self::FrozenPrimary, 1 + kills / 5));
        plan.extend([Self::CutOffPrimary, Self::KilledProgram, Self::RollingUpgrade, Self::FullDisk]);
        plan
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::KilledPrimary => "killed primary",
            Self::LostPrimary => "lost primary",
            Self::SwitchOver => "switch-over",
            Self::FrozenPrimary => "frozen primary",
            Self::CutOffPrimary => "cut-off primary",
            Self::FullDisk => "full disk",
            Self::KilledProgram => "killed program",
            Self::RollingUpgrade => "rolling upgrade",
        }
    }

    /// Injects the fault, waits while it lasts and ends it.
    pub fn inject(self, database: &mut Database, programs: &mut Programs) -> Outcome {
        let primary = database.primary()?;
        match self {
            Self::KilledPrimary => database.kill_postgres(primary)?,
            Self::LostPrimary => {
                database.kill_machine(primary)?;
                std::thread::sleep(FAULT_DURATION);
                database.start_patroni(primary)?;
            }
            Self::SwitchOver => database.switch_over()?,
            Self::FrozenPrimary => {
                database.signal_all(primary, "STOP")?;
                std::thread::sleep(FAULT_DURATION);
                database.signal_all(primary, "CONT")?;
            }
            Self::CutOffPrimary => {
                database.link(primary, "down")?;
                std::thread::sleep(FAULT_DURATION);
                database.link(primary, "up")?;
            }
            Self::FullDisk => {
                database.fill_disk(primary)?;
                std::thread::sleep(DISK_FULL_DURATION);
                let replaced = database.primary()? != primary;
                database.free_disk(primary)?;
                if !replaced {
                    return Err("the primary was not replaced while its disk was full".to_owned());
                }
            }
            Self::KilledProgram => {
                programs.kill(0)?;
                programs.restart(0)?;
            }
            Self::RollingUpgrade => {
                for number in 0..PROGRAMS {
                    programs.terminate(number)?;
                    programs.restart(number)?;
                }
            }
        }
        Ok(())
    }
}
