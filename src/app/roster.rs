//! Who in a pool of workers does what: plain data, so that crashes, cancels and respawns are tested without a browser.
//!
//! A [`Roster`] holds a fixed number of places. It answers every event with [`Order`]s for the pool, which owns the real
//! workers. A worker is hired only when there is work for it, does one task at a time, and is replaced after it died or was
//! cancelled. After [`MOST_DEATHS`] deaths without one worker becoming ready in between, nothing more is hired: what kills the
//! workers is not the work.

use std::collections::VecDeque;

/// Deaths in a row after which a roster gives up.
pub const MOST_DEATHS: u32 = 5;

/// What the pool has to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Order<T> {
    /// Start a worker in this place.
    Hire(usize),
    /// Stop the worker in this place and forget it.
    Dismiss(usize),
    /// Hand a task to the worker in this place.
    Assign(usize, T),
    /// Tell whoever asked that this task will not be done.
    Abandon(T),
}

/// The state of one place.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Place<T> {
    Vacant,
    Starting,
    Idle,
    Busy(T),
}

/// The places of a pool and the tasks that wait for one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Roster<T> {
    places: Vec<Place<T>>,
    queue: VecDeque<T>,
    deaths_in_a_row: u32,
}

impl<T: Clone> Roster<T> {
    /// A roster of `places` vacant places.
    #[must_use]
    pub fn new(places: usize) -> Self {
        Self { places: vec![Place::Vacant; places], queue: VecDeque::new(), deaths_in_a_row: 0 }
    }

    /// The task the worker in a place is doing.
    #[must_use]
    pub fn task(&self, place: usize) -> Option<&T> {
        match self.places.get(place) {
            Some(Place::Busy(task)) => Some(task),
            _ => None,
        }
    }

    /// Adds tasks at the end of the queue. After a roster has given up, new tasks are a new attempt.
    pub fn push(&mut self, tasks: impl IntoIterator<Item = T>) -> Vec<Order<T>> {
        if self.has_given_up() {
            self.deaths_in_a_row = 0;
        }
        self.queue.extend(tasks);
        self.fill()
    }

    /// The worker in a place can take tasks.
    pub fn ready(&mut self, place: usize) -> Vec<Order<T>> {
        self.deaths_in_a_row = 0;
        self.vacate(place, Place::Idle);
        self.fill()
    }

    /// The worker in a place has done its task.
    pub fn finished(&mut self, place: usize) -> Vec<Order<T>> {
        self.vacate(place, Place::Idle);
        self.fill()
    }

    /// The worker in a place is dead. Its task is lost; whoever asked is told by the pool.
    pub fn died(&mut self, place: usize) -> Vec<Order<T>> {
        self.deaths_in_a_row += 1;
        self.vacate(place, Place::Vacant);
        let mut orders = vec![Order::Dismiss(place)];
        if self.has_given_up() {
            orders.extend(self.queue.drain(..).map(Order::Abandon));
        } else {
            orders.extend(self.fill());
        }
        orders
    }

    /// Drops every task for which `is_cancelled` holds; workers that are at one are dismissed.
    pub fn cancel(&mut self, is_cancelled: impl Fn(&T) -> bool) -> Vec<Order<T>> {
        self.queue.retain(|task| !is_cancelled(task));
        let mut orders = Vec::new();
        for (index, place) in self.places.iter_mut().enumerate() {
            if matches!(place, Place::Busy(task) if is_cancelled(task)) {
                *place = Place::Vacant;
                orders.push(Order::Dismiss(index));
            }
        }
        orders.extend(self.fill());
        orders
    }

    /// Whether workers keep dying before they can do anything.
    #[must_use]
    pub fn has_given_up(&self) -> bool {
        self.deaths_in_a_row >= MOST_DEATHS
    }

    fn vacate(&mut self, place: usize, state: Place<T>) {
        if let Some(slot) = self.places.get_mut(place) {
            *slot = state;
        }
    }

    /// Hands tasks to idle workers and hires one for every task beyond those.
    fn fill(&mut self) -> Vec<Order<T>> {
        let mut orders = Vec::new();
        for (index, place) in self.places.iter_mut().enumerate() {
            if matches!(place, Place::Idle)
                && let Some(task) = self.queue.pop_front()
            {
                *place = Place::Busy(task.clone());
                orders.push(Order::Assign(index, task));
            }
        }
        if self.has_given_up() {
            return orders;
        }
        let starting = self.places.iter().filter(|place| matches!(place, Place::Starting)).count();
        let mut wanted = self.queue.len().saturating_sub(starting);
        for (index, place) in self.places.iter_mut().enumerate() {
            if wanted > 0 && matches!(place, Place::Vacant) {
                *place = Place::Starting;
                orders.push(Order::Hire(index));
                wanted -= 1;
            }
        }
        orders
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at_work(places: usize, tasks: &[u32]) -> Roster<u32> {
        let mut roster = Roster::new(places);
        let hired = roster.push(tasks.iter().copied());
        for order in hired {
            let Order::Hire(place) = order else { panic!("{order:?}") };
            roster.ready(place);
        }
        roster
    }

    #[test]
    fn workers_are_hired_only_for_waiting_tasks() {
        let mut roster = Roster::new(4);
        assert_eq!(roster.push([1, 2]), [Order::Hire(0), Order::Hire(1)]);
        assert_eq!(roster.push([3]), [Order::Hire(2)]);
        assert_eq!(roster.ready(1), [Order::Assign(1, 1)]);
        assert_eq!(roster.ready(0), [Order::Assign(0, 2)]);
        assert_eq!(roster.finished(0), [Order::Assign(0, 3)]);
        assert_eq!(roster.ready(2), []);
        assert_eq!(roster.task(0), Some(&3));
        assert_eq!(roster.task(2), None);
    }

    #[test]
    fn a_dead_worker_is_replaced_while_there_is_work() {
        let mut roster = at_work(2, &[1, 2, 3]);
        assert_eq!(roster.died(0), [Order::Dismiss(0), Order::Hire(0)]);
        assert_eq!(roster.ready(0), [Order::Assign(0, 3)]);
        assert_eq!(roster.died(1), [Order::Dismiss(1)]);
    }

    #[test]
    fn a_roster_gives_up_when_no_worker_becomes_ready() {
        let mut roster = Roster::new(1);
        assert_eq!(roster.push([7]), [Order::Hire(0)]);
        for _ in 1..MOST_DEATHS {
            assert_eq!(roster.died(0), [Order::Dismiss(0), Order::Hire(0)]);
        }
        assert_eq!(roster.died(0), [Order::Dismiss(0), Order::Abandon(7)]);
        assert!(roster.has_given_up());
        assert_eq!(roster.push([8]), [Order::Hire(0)], "the next request is a new attempt");
    }

    #[test]
    fn deaths_at_work_do_not_make_it_give_up() {
        let mut roster = at_work(1, &[0]);
        for task in 1..20 {
            roster.push([task]);
            assert_eq!(roster.died(0), [Order::Dismiss(0), Order::Hire(0)]);
            assert_eq!(roster.ready(0), [Order::Assign(0, task)]);
        }
    }

    #[test]
    fn cancelling_dismisses_who_is_at_it_and_forgets_what_waits() {
        let mut roster = at_work(2, &[1, 2, 11, 12]);
        assert_eq!(
            roster.cancel(|task| *task < 10),
            [Order::Dismiss(0), Order::Dismiss(1), Order::Hire(0), Order::Hire(1)]
        );
        assert_eq!(roster.ready(1), [Order::Assign(1, 11)]);
        assert_eq!(roster.cancel(|_| true), [Order::Dismiss(1)]);
        assert_eq!(roster.ready(0), []);
    }
}
