//! petard for a browser's worker. The functions here, on plain numbers, are all
//! that the worker and the engine know of each other: the worker hands over
//! lines and gets lines back (`js/worker.js` is the other side).
//!
//! Without shared memory there is one thread for everything. Work then runs
//! inside [`petard_work`] and calls `pause` every few milliseconds, so that the
//! worker can take its messages: the module is rewritten after the build so
//! that this call can return to the worker's event loop and resume later.
//!
//! With shared memory the engine's threads are workers of their own, each of
//! which runs [`petard_task`]; the session's thread never waits for them.

mod files;
mod memory;
mod output;
mod worker;

use memory::Memory;
use output::Lines;
use petard::engine::{Host, Settings, Task};
use petard::protocol::{HostedSession, Policy};
use std::alloc::{Layout, alloc};
use std::cell::RefCell;

#[global_allocator]
static MEMORY: Memory = Memory::new();

thread_local! {
    /// The session; a module has one.
    static SESSION: RefCell<Option<HostedSession<Lines>>> = const { RefCell::new(None) };
    /// Where the worker writes lines.
    static TEXT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Calls a function with the session; `None` if there is none, or if this is
/// called from within it.
fn with_session<T>(act: impl FnOnce(&mut HostedSession<Lines>) -> T) -> Option<T> {
    SESSION.with(|session| session.try_borrow_mut().ok()?.as_mut().map(act))
}

/// Starts the session, with at most this many threads and megabytes per table.
/// Returns whether it has started.
#[unsafe(no_mangle)]
pub extern "C" fn petard_open(threads: usize, megabytes: usize) -> bool {
    std::panic::set_hook(Box::new(|panic| worker::report_error(&panic.to_string())));
    let has_workers = cfg!(target_feature = "atomics") && threads > 0;
    let policy = Policy {
        settings: Settings {
            has_files: false,
            read_proof: Some(files::read),
            max_hash: Some(megabytes),
            max_threads: Some(threads.max(1)),
            host: if has_workers {
                Host::Workers(worker::start)
            } else {
                Host::SingleThread(worker::take_over)
            },
            ..Settings::default()
        },
        ..Policy::default()
    };
    let ring = move || {
        if has_workers {
            worker::tell_news();
        } else {
            petard_news();
        }
    };
    match HostedSession::new(policy, Lines::default(), ring) {
        Ok(session) => {
            SESSION.with(|place| place.replace(Some(session)));
            true
        }
        Err(error) => {
            worker::report_error(&error.to_string());
            false
        }
    }
}

/// Where to write a text of this many bytes for [`petard_lines`].
#[unsafe(no_mangle)]
pub extern "C" fn petard_text(bytes: usize) -> *mut u8 {
    TEXT.with_borrow_mut(|text| {
        text.clear();
        text.resize(bytes, 0);
        text.as_mut_ptr()
    })
}

/// Takes the lines that were written; `false` if the session is over.
#[unsafe(no_mangle)]
pub extern "C" fn petard_lines() -> bool {
    let text = TEXT.take();
    with_session(|session| {
        // Lines go to a worker's queue, which is never closed.
        let _ = session.execute_lines(&String::from_utf8_lossy(&text));
        !session.is_over()
    })
    .unwrap_or(false)
}

/// Takes a file that the worker has loaded, for the options that name files:
/// what was written for [`petard_text`] is its name, this many bytes long, and
/// its contents.
#[unsafe(no_mangle)]
pub extern "C" fn petard_file(name_bytes: usize) {
    let mut name = TEXT.take();
    let data = name.split_off(name_bytes.min(name.len()));
    files::keep(String::from_utf8_lossy(&name).into_owned(), data);
}

/// Takes the engine's events.
#[unsafe(no_mangle)]
pub extern "C" fn petard_news() {
    let _ = with_session(|session| session.handle_events());
}

/// Does the work that has been started, and any started meanwhile.
#[unsafe(no_mangle)]
pub extern "C" fn petard_work() {
    while let Some(work) = with_session(|session| session.take_work()).flatten() {
        work();
    }
}

/// Runs a task that was given to the worker to start.
///
/// # Safety
/// It must be one that was given, and that has not been run.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn petard_task(task: *mut u8) {
    // SAFETY: by the condition above it came from `worker::start`, and nobody
    // else has it.
    let task: Box<Task> = unsafe { Box::from_raw(task.cast()) };
    task();
}

/// Memory for what the worker needs for a thread, aligned to 64 bytes; null if
/// there is not enough. It is never freed: workers are reused.
#[unsafe(no_mangle)]
pub extern "C" fn petard_memory(bytes: usize) -> *mut u8 {
    match Layout::from_size_align(bytes.max(1), 64) {
        // SAFETY: the layout has a size.
        Ok(layout) => unsafe { alloc(layout) },
        Err(_) => std::ptr::null_mut(),
    }
}
