//! Web workers that do what a [`Roster`] says: one task each, replaced when they die, dismissed when their task is cancelled.

use std::cell::RefCell;
use std::rc::Rc;

use gloo::events::{EventListener, EventListenerOptions};
use js_sys::{Object, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{ErrorEvent, MessageEvent, Worker, WorkerOptions, WorkerType};
use yew::Callback;

use super::message::{self, Reply, Request};
use super::roster::{Order, Roster};

/// Something for a worker to do, and who asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Task<Id> {
    /// Who asked.
    pub id: Id,
    /// The message, as [`post`] makes it.
    pub message: JsValue,
}

/// What came of a task.
#[derive(Debug, Clone, PartialEq)]
pub enum News {
    /// A worker said something; `message` is the whole object.
    Said {
        /// What.
        reply: Reply,
        /// With what beside it.
        message: JsValue,
    },
    /// The worker died, or none could be had.
    Died(String),
}

/// A message to a worker: the request as text, and objects that go beside it.
#[must_use]
pub fn post(request: &Request, beside: &[(&str, JsValue)]) -> JsValue {
    let object = Object::new();
    set(&object, "text", &message::to_text(request).into());
    for (key, value) in beside {
        set(&object, key, value);
    }
    object.into()
}

/// Sets a property of a plain object, which cannot fail.
pub(super) fn set(object: &Object, key: &str, value: &JsValue) {
    let _ = Reflect::set(object, &key.into(), value);
}

/// A property of an object; `undefined` where there is none.
#[must_use]
pub fn get(object: &JsValue, key: &str) -> JsValue {
    Reflect::get(object, &key.into()).unwrap_or(JsValue::UNDEFINED)
}

/// A pool of workers. Dropping it terminates them.
pub struct Pool<Id: Clone + 'static> {
    inner: Rc<RefCell<Inner<Id>>>,
}

struct Inner<Id: Clone + 'static> {
    worker_url: String,
    roster: Roster<Task<Id>>,
    hands: Vec<Option<Hand>>,
    tell: Callback<(Id, News)>,
}

/// A worker and what listens to it.
struct Hand {
    worker: Worker,
    _listeners: [EventListener; 3],
}

impl Drop for Hand {
    fn drop(&mut self) {
        self.worker.terminate();
    }
}

impl<Id: Clone + 'static> Pool<Id> {
    /// A pool of at most `size` workers, started from `worker_url` when there is work.
    #[must_use]
    pub fn new(worker_url: &str, size: usize, tell: Callback<(Id, News)>) -> Self {
        let hands = (0..size).map(|_| None).collect();
        let inner = Inner { worker_url: worker_url.to_owned(), roster: Roster::new(size), hands, tell };
        Self { inner: Rc::new(RefCell::new(inner)) }
    }

    /// Gives the pool something to do.
    pub fn push(&self, tasks: impl IntoIterator<Item = Task<Id>>) {
        let orders = self.inner.borrow_mut().roster.push(tasks);
        carry_out(&self.inner, orders);
    }

    /// Stops everything that is being done or waits.
    pub fn cancel(&self) {
        let orders = self.inner.borrow_mut().roster.cancel(|_| true);
        carry_out(&self.inner, orders);
    }
}

fn carry_out<Id: Clone + 'static>(inner: &Rc<RefCell<Inner<Id>>>, orders: Vec<Order<Task<Id>>>) {
    for order in orders {
        match order {
            Order::Hire(place) => hire(inner, place),
            Order::Dismiss(place) => dismiss(inner, place),
            Order::Assign(place, task) => {
                let pool = inner.borrow();
                let hand = pool.hands.get(place).and_then(Option::as_ref);
                let sent = hand.map(|hand| hand.worker.post_message(&task.message));
                drop(pool);
                if !matches!(sent, Some(Ok(()))) {
                    died(inner, place, "the worker does not take the request");
                }
            }
            Order::Abandon(task) => {
                let tell = inner.borrow().tell.clone();
                tell.emit((task.id, News::Died(NO_WORKER.to_owned())));
            }
        }
    }
}

const NO_WORKER: &str = "no worker could be started; reload the page, and allow module workers for this site";

/// Starts a worker: it gets the compiled module that the page has, and says when it is ready.
fn hire<Id: Clone + 'static>(inner: &Rc<RefCell<Inner<Id>>>, place: usize) {
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    let started = Worker::new_with_options(&inner.borrow().worker_url, &options);
    let Ok(worker) = started else {
        died(inner, place, "the worker cannot be started");
        return;
    };
    let listen = |event: &'static str, act: fn(&Rc<RefCell<Inner<Id>>>, usize, &web_sys::Event)| {
        let pool = Rc::downgrade(inner);
        EventListener::new_with_options(
            &worker,
            event,
            EventListenerOptions::enable_prevent_default(),
            move |event| {
                if let Some(inner) = pool.upgrade() {
                    act(&inner, place, event);
                }
            },
        )
    };
    let listeners = [
        listen("message", |inner, place, event| {
            if let Some(event) = event.dyn_ref::<MessageEvent>() {
                hear(inner, place, event.data());
            }
        }),
        listen("error", |inner, place, event| {
            // The page says what happened; the console would only repeat it.
            event.prevent_default();
            let message = event.dyn_ref::<ErrorEvent>().map(ErrorEvent::message).unwrap_or_default();
            let message =
                if message.is_empty() { "the worker's file could not be loaded".to_owned() } else { message };
            died(inner, place, &message);
        }),
        listen("messageerror", |inner, place, _| died(inner, place, "a message could not be read")),
    ];
    let greeting = Object::new();
    set(&greeting, "module", &wasm_bindgen::module());
    let greeted = worker.post_message(&greeting);
    if let Some(hand) = inner.borrow_mut().hands.get_mut(place) {
        *hand = Some(Hand { worker, _listeners: listeners });
    }
    if greeted.is_err() {
        died(inner, place, "the worker does not take the program");
    }
}

/// Lets a worker go. Its listeners may be the ones that are just being called, so they are dropped later.
fn dismiss<Id: Clone + 'static>(inner: &Rc<RefCell<Inner<Id>>>, place: usize) {
    let hand = inner.borrow_mut().hands.get_mut(place).and_then(Option::take);
    if let Some(hand) = hand {
        hand.worker.terminate();
        wasm_bindgen_futures::spawn_local(async move { drop(hand) });
    }
}

fn hear<Id: Clone + 'static>(inner: &Rc<RefCell<Inner<Id>>>, place: usize, message: JsValue) {
    let text = get(&message, "text").as_string().unwrap_or_default();
    let reply = match message::from_text::<Reply>(&text) {
        Ok(Reply::Panicked { message }) => return died(inner, place, &message),
        Ok(reply) => reply,
        Err(error) => return died(inner, place, &format!("the worker is of another version: {error}")),
    };
    let (task, tell) = {
        let pool = inner.borrow();
        (pool.roster.task(place).map(|task| task.id.clone()), pool.tell.clone())
    };
    let orders = match &reply {
        Reply::Ready => inner.borrow_mut().roster.ready(place),
        Reply::Reading { .. } | Reply::Simulating { .. } => Vec::new(),
        _ => inner.borrow_mut().roster.finished(place),
    };
    carry_out(inner, orders);
    if let Some(id) = task {
        tell.emit((id, News::Said { reply, message }));
    }
}

fn died<Id: Clone + 'static>(inner: &Rc<RefCell<Inner<Id>>>, place: usize, message: &str) {
    let (task, tell, orders) = {
        let mut pool = inner.borrow_mut();
        let task = pool.roster.task(place).map(|task| task.id.clone());
        (task, pool.tell.clone(), pool.roster.died(place))
    };
    carry_out(inner, orders);
    if let Some(id) = task {
        tell.emit((id, News::Died(message.to_owned())));
    }
}
