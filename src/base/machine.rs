//! How much memory the machine has.

/// The memory of this machine, or of the container the program runs in, in
/// megabytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MachineMemory {
    /// All there is.
    pub total: usize,
    /// What is still available.
    pub available: usize,
}

impl MachineMemory {
    /// Reads it; `None` if the system does not report it.
    #[cfg(target_os = "linux")]
    #[must_use]
    pub fn read() -> Option<Self> {
        let text = std::fs::read_to_string("/proc/meminfo").ok()?;
        let machine = meminfo(&text)?;
        Some(match container() {
            Some((limit, used)) if limit < machine.total => Self {
                total: limit,
                available: machine.available.min(limit.saturating_sub(used)),
            },
            _ => machine,
        })
    }

    /// Reads it; `None` if the system does not report it.
    #[cfg(all(feature = "cli", any(windows, target_os = "macos")))]
    #[must_use]
    pub fn read() -> Option<Self> {
        let mut system = sysinfo::System::new();
        system.refresh_memory();
        let megabytes = |bytes: u64| (bytes >> 20) as usize;
        (system.total_memory() > 0).then(|| Self {
            total: megabytes(system.total_memory()),
            available: megabytes(system.available_memory()),
        })
    }

    /// Reads it; `None` if the system does not report it.
    #[cfg(not(any(
        target_os = "linux",
        all(feature = "cli", any(windows, target_os = "macos"))
    )))]
    #[must_use]
    pub const fn read() -> Option<Self> {
        None
    }
}

/// What `/proc/meminfo` says.
#[cfg(target_os = "linux")]
fn meminfo(text: &str) -> Option<MachineMemory> {
    let megabytes = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        let kilobytes: usize = line.split_whitespace().next()?.parse().ok()?;
        Some(kilobytes >> 10)
    };
    Some(MachineMemory {
        total: megabytes("MemTotal:")?,
        available: megabytes("MemAvailable:").or_else(|| megabytes("MemFree:"))?,
    })
}

/// A control group's limit and usage in megabytes, if there is a limit: of
/// version 2, or else of version 1.
#[cfg(target_os = "linux")]
fn container() -> Option<(usize, usize)> {
    let root = "/sys/fs/cgroup";
    let groups = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let own = groups.lines().find_map(|line| line.strip_prefix("0::"));
    let own = format!("{root}{}", own.unwrap_or_default());
    let number =
        |path: String| -> Option<u64> { std::fs::read_to_string(path).ok()?.trim().parse().ok() };
    [
        (own.as_str(), "memory.max", "memory.current"),
        (root, "memory.max", "memory.current"),
        (
            "/sys/fs/cgroup/memory",
            "memory.limit_in_bytes",
            "memory.usage_in_bytes",
        ),
    ]
    .into_iter()
    .find_map(|(folder, limit, used)| {
        let limit = number(format!("{folder}/{limit}"))?;
        let used = number(format!("{folder}/{used}")).unwrap_or(0);
        Some(((limit >> 20) as usize, (used >> 20) as usize))
    })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_table_is_read() {
        let text = "MemTotal:       24000000 kB\nMemFree:        1024000 kB\n";
        let read = meminfo(text).unwrap();
        assert_eq!((read.total, read.available), (23437, 1000));
        let text = format!("{text}MemAvailable:   2048000 kB\n");
        assert_eq!(meminfo(&text).unwrap().available, 2000);
        for text in ["", "MemTotal: many kB\nMemFree: 1 kB", "MemTotal: 1 kB"] {
            assert_eq!(meminfo(text), None, "{text}");
        }
    }
}
