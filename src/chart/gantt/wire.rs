//! A schedule as bytes, on its way from a worker to the page: columns one after another, each with its length before it.
//!
//! Writing and reading go through the columns in the same order, which stands in [`Schedule::pass`] alone. Reading takes one column
//! after another from a [`Source`], so that the bytes of all of them are never beside what was made of them.

use super::schedule::{Kind, Lane, Node, Outage, Schedule, Texts};

/// What the bytes begin with. The number changes with the columns.
const MARK: [u8; 8] = *b"gantt 1\n";

/// More devices than this are in no cluster.
const MOST_DEVICES: u32 = 1_000_000;

/// Where bytes come from.
pub trait Source {
    /// The next bytes; `None` when there are not so many.
    fn take(&mut self, count: usize) -> Option<Vec<u8>>;
}

impl Source for &[u8] {
    fn take(&mut self, count: usize) -> Option<Vec<u8>> {
        let (head, rest) = self.split_at_checked(count)?;
        *self = rest;
        Some(head.to_vec())
    }
}

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

/// Goes through columns, to write or to read them.
trait Wire {
    fn column(&mut self, column: &mut Vec<u8>) -> Result<(), Broken>;

    fn numbers(&mut self, column: &mut Vec<u32>) -> Result<(), Broken> {
        let mut bytes: Vec<u8> = column.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.column(&mut bytes)?;
        column.clear();
        let chunks = bytes.as_chunks::<4>();
        if !chunks.1.is_empty() {
            return Err(Broken::Inconsistent);
        }
        column.extend(chunks.0.iter().map(|chunk| u32::from_le_bytes(*chunk)));
        Ok(())
    }

    fn texts(&mut self, texts: &mut Texts) -> Result<(), Broken> {
        self.column(&mut texts.bytes)?;
        self.numbers(&mut texts.ends)
    }
}

struct Writer(Vec<u8>);

impl Wire for Writer {
    fn column(&mut self, column: &mut Vec<u8>) -> Result<(), Broken> {
        let length = u32::try_from(column.len()).map_err(|_| Broken::Inconsistent)?;
        self.0.extend_from_slice(&length.to_le_bytes());
        self.0.extend_from_slice(column);
        Ok(())
    }

    // The column stays as it is.
    fn numbers(&mut self, column: &mut Vec<u32>) -> Result<(), Broken> {
        let length = u32::try_from(column.len() * 4).map_err(|_| Broken::Inconsistent)?;
        self.0.extend_from_slice(&length.to_le_bytes());
        self.0.extend(column.iter().flat_map(|number| number.to_le_bytes()));
        Ok(())
    }
}

struct Reader<'s, S: Source>(&'s mut S);

impl<S: Source> Wire for Reader<'_, S> {
    fn column(&mut self, column: &mut Vec<u8>) -> Result<(), Broken> {
        let length = self.0.take(4).and_then(|bytes| bytes.try_into().ok()).ok_or(Broken::CutOff)?;
        *column = self.0.take(u32::from_le_bytes(length) as usize).ok_or(Broken::CutOff)?;
        Ok(())
    }
}

impl Schedule {
    /// The schedule as bytes.
    ///
    /// # Errors
    /// When a column has more than 4 GB.
    pub fn to_bytes(mut self) -> Result<Vec<u8>, Broken> {
        let mut writer = Writer(MARK.to_vec());
        self.pass(&mut writer)?;
        Ok(writer.0)
    }

    /// The schedule that was written as these bytes. The columns are checked against each other, so that whatever is read later is
    /// there.
    ///
    /// # Errors
    /// [`Broken`].
    pub fn from_source(source: &mut impl Source) -> Result<Self, Broken> {
        if source.take(MARK.len()).ok_or(Broken::CutOff)? != MARK {
            return Err(Broken::Version);
        }
        let mut schedule = Self::default();
        schedule.pass(&mut Reader(source))?;
        if !(schedule.has_all_devices() && schedule.is_consistent()) {
            return Err(Broken::Inconsistent);
        }
        schedule.find_lanes();
        Ok(schedule)
    }

    fn pass(&mut self, wire: &mut impl Wire) -> Result<(), Broken> {
        let mut head = vec![self.tick_us as u32, (self.tick_us >> 32) as u32, self.end];
        wire.numbers(&mut head)?;
        let [low, high, end] = head[..] else { return Err(Broken::Inconsistent) };
        (self.tick_us, self.end) = (i64::from(high) << 32 | i64::from(low), end);
        self.pass_rows(wire)?;
        for column in [
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
            &mut self.wait_jobs,
            &mut self.wait_from,
            &mut self.wait_to,
        ] {
            wire.numbers(column)?;
        }
        wire.column(&mut self.job_fates)?;
        wire.column(&mut self.wait_reasons)?;
        wire.texts(&mut self.names)?;
        wire.texts(&mut self.tenants)?;
        wire.texts(&mut self.classes)
    }

    /// Types, nodes, lanes and outages, which are few.
    fn pass_rows(&mut self, wire: &mut impl Wire) -> Result<(), Broken> {
        let mut names = Texts::default();
        self.kinds.iter().for_each(|kind| names.push(&kind.name));
        wire.texts(&mut names)?;
        let numbers =
            |kind: &Kind| [kind.first_device, kind.devices, u32::from(kind.positions), u32::from(kind.slots)];
        let mut kinds: Vec<u32> = self.kinds.iter().flat_map(numbers).collect();
        wire.numbers(&mut kinds)?;
        let kind = |(index, &[first_device, devices, positions, slots]): (usize, &[u32; 4])| Kind {
            name: names.get(index).to_owned(),
            first_device,
            devices,
            positions: positions.clamp(1, 8) as u8,
            slots: slots.clamp(1, 8) as u8,
        };
        self.kinds = kinds.as_chunks::<4>().0.iter().enumerate().map(kind).collect();

        let mut nodes: Vec<u32> =
            self.nodes.iter().flat_map(|node| [node.kind, node.first_device, node.devices]).collect();
        wire.numbers(&mut nodes)?;
        let node = |&[kind, first_device, devices]: &[u32; 3]| Node { kind, first_device, devices };
        self.nodes = nodes.as_chunks::<3>().0.iter().map(node).collect();

        let mut lanes: Vec<u32> = self.lanes.iter().flat_map(|lane| [lane.device, shape_of(*lane)]).collect();
        wire.numbers(&mut lanes)?;
        let lane = |&[device, shape]: &[u32; 2]| {
            let [first, height, slots, _] = shape.to_le_bytes();
            Lane { device, first, height, slots }
        };
        self.lanes = lanes.as_chunks::<2>().0.iter().map(lane).collect();

        let mut outages: Vec<u32> =
            self.outages.iter().flat_map(|out| [out.node, out.from, out.to]).collect();
        wire.numbers(&mut outages)?;
        let outage = |&[node, from, to]: &[u32; 3]| Outage { node, from, to };
        self.outages = outages.as_chunks::<3>().0.iter().map(outage).collect();
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

fn shape_of(lane: Lane) -> u32 {
    u32::from_le_bytes([lane.first, lane.height, lane.slots, 0])
}
