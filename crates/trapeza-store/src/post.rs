//! Answers on their way back to the thread that asked. To wake a task from another thread is a call of the system for each;
//! jobs that are answered together go home in one bag, wake their thread once, and are answered, and dropped, there.

use crate::job::Job;
use std::cell::RefCell;
use tokio::runtime::Handle;
use tokio::runtime::Id;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Where the answers for one thread's callers are handed out.
#[derive(Clone)]
pub(crate) struct Home(UnboundedSender<Box<dyn Job>>);

thread_local! {
    static OWN: RefCell<Option<(Id, Home)>> = const { RefCell::new(None) };
}

impl Home {
    /// The calling thread's, on the runtime that it works for. None where no runtime is: somebody blocks there.
    pub(crate) fn own() -> Option<Self> {
        let runtime = Handle::try_current().ok()?;
        OWN.with_borrow_mut(|own| match own {
            Some((id, home)) if *id == runtime.id() && !home.0.is_closed() => Some(home.clone()),
            _ => {
                let (sender, bag) = unbounded_channel();
                runtime.spawn(hand_out(bag));
                let home = Self(sender);
                *own = Some((runtime.id(), home.clone()));
                Some(home)
            }
        })
    }

    /// Sends a job home. Where nobody lives any more it is answered at once.
    pub(crate) fn send(self, job: Box<dyn Job>) {
        if let Err(returned) = self.0.send(job) {
            returned.0.answer();
        }
    }
}

async fn hand_out(mut bag: UnboundedReceiver<Box<dyn Job>>) {
    while let Some(job) = bag.recv().await {
        job.answer();
    }
}
