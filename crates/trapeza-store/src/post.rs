//! Answers on their way back to the thread that asked. To wake a task from another thread is a call of the system for each;
//! jobs that are answered together go home in one bag, wake their thread once, and are answered, and dropped, there.

use std::cell::RefCell;
use tokio::runtime::{Handle, Id};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// What goes home.
pub(crate) trait Parcel: Send {
    /// Answers the caller with the result that it has.
    fn answer(self: Box<Self>);
}

/// Where the answers for one thread's callers are handed out.
#[derive(Clone)]
pub(crate) struct Home(UnboundedSender<Box<dyn Parcel>>);

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

    /// Sends a parcel home. Where nobody lives any more it is answered at once.
    pub(crate) fn send(self, parcel: Box<dyn Parcel>) {
        if let Err(returned) = self.0.send(parcel) {
            returned.0.answer();
        }
    }
}

async fn hand_out(mut bag: UnboundedReceiver<Box<dyn Parcel>>) {
    while let Some(parcel) = bag.recv().await {
        parcel.answer();
    }
}
