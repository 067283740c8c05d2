//! A schedule as bytes, on its way from a worker to the page: a mark, the length of every column, and the columns.
//!
//! A reader takes them one by one ([`Layout`] says where each is, an [`Assembler`] takes it), so that the bytes of all of them are never
//! beside what was made of them, and no step takes long. The first column is the head: types, nodes, lanes and outages, which are few;
//! the others are numbers or bytes as they are, in the order of [`Schedule::columns`].

use std::ops::Range;

use super::schedule::{Kind, Lane, Node, Outage, Schedule, Texts};

/// What the bytes begin with. The number changes with the columns.
const MARK: [u8; 8] = *b"gantt 1\n";
/// The head, numbers, and bytes.
const COLUMNS: usize = 1 + NUMBERS + BYTES;
const NUMBERS: usize = 18;
const BYTES: usize = 3;
/// Length of what stands before the columns: the mark and their lengths.
pub const PREFIX_BYTES: usize = MARK.len() + COLUMNS * 4;
/// More devices than this are in no cluster.
const MOST_DEVICES: u32 = 1_000_000;

/// Why bytes are not a schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Broken {
    /// They end too early.
    #[error("the schedule ends in the middle of its columns")]
    CutOff,
    /// They begin with something else.
    #[error("the schedule was written by another version of the page")]
    Version,
    /// Columns do not belong together.
    #[error("the columns of the schedule do not fit together")]
    Inconsistent,
}

/// Where the columns are among the bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// From where to where each goes.
    pub columns: Vec<Range<u64>>,
}

impl Layout {
    /// Reads it from the first [`PREFIX_BYTES`] bytes.
    ///
    /// # Errors
    /// [`Broken`] when they are not those of a schedule.
    pub fn read(prefix: &[u8]) -> Result<Self, Broken> {
        let lengths = prefix.strip_prefix(&MARK).ok_or(Broken::Version)?.as_chunks::<4>().0;
        let mut at = PREFIX_BYTES as u64;
        let next = |length: &[u8; 4]| {
            let from = at;
            at += u64::from(u32::from_le_bytes(*length));
            from..at
        };
        let columns: Vec<Range<u64>> = lengths.iter().take(COLUMNS).map(next).collect();
        if columns.len() == COLUMNS { Ok(Self { columns }) } else { Err(Broken::CutOff) }
    }
}

/// Puts a schedule together from its columns.
#[derive(Debug, Default)]
pub struct Assembler {
    schedule: Schedule,
    next: usize,
}

impl Assembler {
    /// Takes the next column.
    ///
    /// # Errors
    /// [`Broken`] when it is not one.
    pub fn take(&mut self, bytes: Vec<u8>) -> Result<(), Broken> {
        let at = self.next;
        self.next += 1;
        let Some(at) = at.checked_sub(1) else { return self.schedule.set_head(&bytes) };
        if let Some(column) = self.schedule.columns().into_iter().nth(at) {
            *column = numbers(&bytes)?;
        } else if let Some(column) = self.schedule.byte_columns().into_iter().nth(at - NUMBERS) {
            *column = bytes;
        }
        Ok(())
    }

    /// The schedule, its columns checked against each other, so that whatever is read later is there.
    ///
    /// # Errors
    /// [`Broken`] when they do not fit together or some are missing.
    pub fn finish(self) -> Result<Schedule, Broken> {
        let mut schedule = self.schedule;
        if self.next != COLUMNS {
            return Err(Broken::CutOff);
        }
        if !(schedule.has_all_devices() && schedule.is_consistent()) {
            return Err(Broken::Inconsistent);
        }
        schedule.find_lanes();
        Ok(schedule)
    }
}

/// The numbers that bytes hold.
fn numbers(bytes: &[u8]) -> Result<Vec<u32>, Broken> {
    let (chunks, []) = bytes.as_chunks::<4>() else { return Err(Broken::Inconsistent) };
    Ok(chunks.iter().map(|chunk| u32::from_le_bytes(*chunk)).collect())
}

/// The head as it is written: each part with its length before it.
#[derive(Default)]
struct Head(Vec<u8>);

impl Head {
    fn bytes(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
        self.0.extend_from_slice(bytes);
    }

    fn numbers(&mut self, numbers: impl IntoIterator<Item = u32>) {
        let bytes: Vec<u8> = numbers.into_iter().flat_map(u32::to_le_bytes).collect();
        self.bytes(&bytes);
    }

    fn texts(&mut self, texts: &Texts) {
        self.bytes(&texts.bytes);
        self.numbers(texts.ends.iter().copied());
    }
}

/// The head as it is read.
struct HeadReader<'b>(&'b [u8]);

impl<'b> HeadReader<'b> {
    fn bytes(&mut self) -> Result<&'b [u8], Broken> {
        let (length, rest) = self.0.split_first_chunk::<4>().ok_or(Broken::CutOff)?;
        let length = u32::from_le_bytes(*length) as usize;
        let (bytes, rest) = rest.split_at_checked(length).ok_or(Broken::CutOff)?;
        self.0 = rest;
        Ok(bytes)
    }

    fn numbers(&mut self) -> Result<Vec<u32>, Broken> {
        numbers(self.bytes()?)
    }

    fn texts(&mut self) -> Result<Texts, Broken> {
        Ok(Texts { bytes: self.bytes()?.to_vec(), ends: self.numbers()? })
    }
}

impl Schedule {
    /// The schedule as bytes.
    ///
    /// # Errors
    /// When a column has more than 4 GB.
    pub fn to_bytes(mut self) -> Result<Vec<u8>, Broken> {
        let mut out = MARK.to_vec();
        out.resize(PREFIX_BYTES, 0);
        let mut ends = Vec::with_capacity(COLUMNS);
        out.extend_from_slice(&self.head());
        ends.push(out.len());
        for column in self.columns() {
            out.extend(column.iter().flat_map(|number| number.to_le_bytes()));
            ends.push(out.len());
        }
        for column in self.byte_columns() {
            out.extend_from_slice(column);
            ends.push(out.len());
        }
        let mut from = PREFIX_BYTES;
        for (at, end) in ends.into_iter().enumerate() {
            let length = u32::try_from(end - from).map_err(|_| Broken::Inconsistent)?;
            let place = MARK.len() + at * 4;
            out[place..place + 4].copy_from_slice(&length.to_le_bytes());
            from = end;
        }
        Ok(out)
    }

    /// The schedule that was written as these bytes.
    ///
    /// # Errors
    /// [`Broken`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Broken> {
        let layout = Layout::read(bytes.get(..PREFIX_BYTES).ok_or(Broken::CutOff)?)?;
        let mut assembler = Assembler::default();
        for column in layout.columns {
            let range = usize::try_from(column.start).ok().zip(usize::try_from(column.end).ok());
            let column = range.and_then(|(from, to)| bytes.get(from..to)).ok_or(Broken::CutOff)?;
            assembler.take(column.to_vec())?;
        }
        assembler.finish()
    }

    /// Bytes in memory, but for what is few.
    #[must_use]
    pub fn bytes(&mut self) -> usize {
        let numbers: usize = self.columns().into_iter().map(|column| column.capacity() * 4).sum();
        numbers + self.byte_columns().into_iter().map(|column| column.capacity()).sum::<usize>()
    }

    /// Every column of numbers.
    fn columns(&mut self) -> [&mut Vec<u32>; NUMBERS] {
        [
            &mut self.lane_bars,
            &mut self.starts,
            &mut self.ends,
            &mut self.bar_leases,
            &mut self.lease_jobs,
            &mut self.lease_ready,
            &mut self.lease_rates,
            &mut self.lease_places,
            &mut self.places,
            &mut self.job_tenants,
            &mut self.job_classes,
            &mut self.job_submits,
            &mut self.job_ends,
            &mut self.job_waits,
            &mut self.names.ends,
            &mut self.wait_jobs,
            &mut self.wait_from,
            &mut self.wait_to,
        ]
    }

    /// Every column of bytes.
    fn byte_columns(&mut self) -> [&mut Vec<u8>; BYTES] {
        [&mut self.job_fates, &mut self.wait_reasons, &mut self.names.bytes]
    }

    fn head(&self) -> Vec<u8> {
        let mut head = Head::default();
        head.numbers([self.tick_us as u32, (self.tick_us >> 32) as u32, self.end]);
        let mut names = Texts::default();
        self.kinds.iter().for_each(|kind| names.push(&kind.name));
        head.texts(&names);
        head.numbers(self.kinds.iter().flat_map(|kind| {
            [kind.first_device, kind.devices, u32::from(kind.positions), u32::from(kind.slots)]
        }));
        head.numbers(self.nodes.iter().flat_map(|node| [node.kind, node.first_device, node.devices]));
        head.numbers(
            self.lanes
                .iter()
                .flat_map(|lane| [lane.device, u32::from_le_bytes([lane.first, lane.height, lane.slots, 0])]),
        );
        head.numbers(self.outages.iter().flat_map(|outage| [outage.node, outage.from, outage.to]));
        head.texts(&self.tenants);
        head.texts(&self.classes);
        head.0
    }

    fn set_head(&mut self, bytes: &[u8]) -> Result<(), Broken> {
        let mut head = HeadReader(bytes);
        let [low, high, end] = head.numbers()?[..] else { return Err(Broken::Inconsistent) };
        (self.tick_us, self.end) = (i64::from(high) << 32 | i64::from(low), end);
        let names = head.texts()?;
        let kind = |(index, &[first_device, devices, positions, slots]): (usize, &[u32; 4])| Kind {
            name: names.get(index).to_owned(),
            first_device,
            devices,
            positions: positions.clamp(1, 8) as u8,
            slots: slots.clamp(1, 8) as u8,
        };
        self.kinds = head.numbers()?.as_chunks::<4>().0.iter().enumerate().map(kind).collect();
        let node = |&[kind, first_device, devices]: &[u32; 3]| Node { kind, first_device, devices };
        self.nodes = head.numbers()?.as_chunks::<3>().0.iter().map(node).collect();
        let lane = |&[device, shape]: &[u32; 2]| {
            let [first, height, slots, _] = shape.to_le_bytes();
            Lane { device, first, height, slots }
        };
        self.lanes = head.numbers()?.as_chunks::<2>().0.iter().map(lane).collect();
        let outage = |&[node, from, to]: &[u32; 3]| Outage { node, from, to };
        self.outages = head.numbers()?.as_chunks::<3>().0.iter().map(outage).collect();
        self.tenants = head.texts()?;
        self.classes = head.texts()?;
        Ok(())
    }

    /// Whether types and nodes each have all devices, one after another.
    fn has_all_devices(&self) -> bool {
        let after = |next: u32, (first, count): (u32, u32)| {
            if first == next { next.checked_add(count) } else { None }
        };
        let of_kinds = self.kinds.iter().map(|kind| (kind.first_device, kind.devices)).try_fold(0, after);
        let of_nodes = self.nodes.iter().map(|node| (node.first_device, node.devices)).try_fold(0, after);
        let is_inside = |node: &Node| {
            let kind = self.kinds.get(node.kind as usize);
            kind.is_some_and(|kind| {
                node.first_device >= kind.first_device
                    && node.first_device + node.devices <= kind.first_device + kind.devices
            })
        };
        of_kinds.is_some_and(|devices| devices <= MOST_DEVICES)
            && of_kinds == of_nodes
            && self.nodes.iter().all(is_inside)
            && self.nodes.is_sorted_by_key(|node| node.kind)
    }

    /// Whether every column has its length and every number points at something.
    fn is_consistent(&self) -> bool {
        let bars = self.starts.len();
        let leases = self.lease_jobs.len();
        let jobs = self.job_tenants.len();
        let waits = self.wait_jobs.len();
        let is_below = |column: &[u32], limit: usize| column.iter().all(|&number| (number as usize) < limit);
        let is_cut = |column: &[u32], parts: usize, all: usize| {
            column.len() == parts + 1
                && column.is_sorted()
                && column.first() == Some(&0)
                && column.last().is_some_and(|&last| last as usize == all)
        };
        let ascends = |texts: &Texts| {
            texts.ends.is_sorted() && texts.ends.last().is_none_or(|&end| end as usize <= texts.bytes.len())
        };
        let of_bars = [&self.ends, &self.bar_leases, &self.places].iter().all(|column| column.len() == bars);
        let of_leases = [&self.lease_ready, &self.lease_rates].iter().all(|column| column.len() == leases);
        let of_jobs = [&self.job_classes, &self.job_submits, &self.job_ends, &self.job_waits]
            .iter()
            .all(|column| column.len() == jobs);
        let of_waits = [&self.wait_from, &self.wait_to].iter().all(|column| column.len() == waits);
        let fits = |lane: &Lane| {
            lane.height > 0
                && u32::from(lane.first) + u32::from(lane.height) <= 8
                && lane.device < self.devices()
        };
        let key = |lane: &Lane| (lane.device, lane.first, lane.height, lane.slots);
        let follow = |lane: u32| {
            let bars = self.lane(lane);
            let (starts, ends) = (&self.starts[bars.clone()], &self.ends[bars]);
            starts.iter().zip(ends).all(|(start, end)| start <= end)
                && ends.iter().zip(starts.iter().skip(1)).all(|(end, next)| end <= next)
        };
        self.tick_us > 0
            && of_bars
            && of_leases
            && of_jobs
            && of_waits
            && self.wait_reasons.len() == waits
            && self.job_fates.len() == jobs
            && self.names.len() == jobs
            && is_cut(&self.lane_bars, self.lanes.len(), bars)
            && is_cut(&self.lease_places, leases, bars)
            && is_below(&self.bar_leases, leases.max(1))
            && is_below(&self.places, bars.max(1))
            && is_below(&self.lease_jobs, jobs)
            && is_below(&self.wait_jobs, jobs)
            && is_below(&self.job_tenants, self.tenants.len())
            && is_below(&self.job_classes, self.classes.len())
            && self.outages.iter().all(|outage| (outage.node as usize) < self.nodes.len())
            && self.lanes.iter().all(fits)
            && self.lanes.is_sorted_by_key(key)
            && (0..self.lanes.len() as u32).all(follow)
            && [&self.names, &self.tenants, &self.classes].into_iter().all(ascends)
    }
}
