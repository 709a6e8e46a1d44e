//! How much memory the machine has, and how much this process has used.

/// The memory of this machine, or of the container the program runs in, in
/// megabytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MachineMemory {
    /// All there is.
    pub(crate) total: usize,
    /// What is still available.
    pub(crate) available: usize,
}

impl MachineMemory {
    /// Reads it; `None` if the system does not report it.
    #[cfg(target_os = "linux")]
    pub(crate) fn read() -> Option<Self> {
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
    pub(crate) fn read() -> Option<Self> {
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
    pub(crate) const fn read() -> Option<Self> {
        None
    }
}

/// The most memory this process has used so far, in megabytes; `None` if the system
/// does not report it.
#[cfg(feature = "cli")]
pub(crate) fn peak_memory() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    number(&status, "VmHWM:").map(|kilobytes| kilobytes >> 10)
}

/// The number that a file of `/proc` gives under this name; "unlimited" is none.
#[cfg(any(feature = "cli", target_os = "linux"))]
pub(super) fn number(text: &str, name: &str) -> Option<usize> {
    let value = text.lines().find_map(|line| line.strip_prefix(name))?;
    value.split_whitespace().next()?.parse().ok()
}

/// What `/proc/meminfo` says.
#[cfg(target_os = "linux")]
fn meminfo(text: &str) -> Option<MachineMemory> {
    let megabytes = |name: &str| number(text, name).map(|kilobytes| kilobytes >> 10);
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
    .find_map(|(folder, limit, used)| group(folder, limit, used))
}

/// The same for the control group in this folder, from the files of these names.
#[cfg(target_os = "linux")]
fn group(folder: &str, limit: &str, used: &str) -> Option<(usize, usize)> {
    let text = |name: &str| std::fs::read_to_string(format!("{folder}/{name}")).ok();
    let number = |name: &str| -> Option<u64> { text(name)?.trim().parse().ok() };
    let limit = number(limit)?;
    // Cached files count as used, but those not used lately make room for tables.
    let cached = text("memory.stat").map_or(0, |text| cached(&text));
    let used = number(used).unwrap_or(0).saturating_sub(cached);
    Some(((limit >> 20) as usize, (used >> 20) as usize))
}

/// The bytes of cached files that the system drops first when a control group
/// needs memory. In version 1 only the total includes the groups below it, as the
/// usage does.
#[cfg(target_os = "linux")]
fn cached(stat: &str) -> u64 {
    let bytes = |name: &str| {
        let mut lines = stat.lines();
        lines.find_map(|line| line.strip_prefix(name)?.parse().ok())
    };
    let total = bytes("total_inactive_file ");
    total.or_else(|| bytes("inactive_file ")).unwrap_or(0)
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

    #[test]
    fn cached_files_leave_room() {
        let folder = std::env::temp_dir().join(format!("petard-group-{}", std::process::id()));
        std::fs::create_dir(&folder).unwrap();
        let keep = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
        let read = || group(folder.to_str().unwrap(), "memory.max", "memory.current");
        keep("memory.max", "max\n");
        assert_eq!(read(), None);
        keep("memory.max", "2147483648\n");
        keep("memory.current", "2097152000\n");
        assert_eq!(read(), Some((2048, 2000)));
        let stat = "file 1992294400\ninactive_file 1887436800\nactive_file 104857600\n";
        keep("memory.stat", stat);
        assert_eq!(read(), Some((2048, 200)));
        keep(
            "memory.stat",
            &format!("{stat}total_inactive_file 1992294400\n"),
        );
        assert_eq!(read(), Some((2048, 100)));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
