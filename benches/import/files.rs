//! Generated traces of any size: as many rows of one format as fit, the same for the same size.

use std::fmt::Write as _;

/// A format and how one of its files is made.
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    /// What stands before the first record.
    begins: &'static str,
    /// Adds a record.
    record: fn(&mut String, u64, &mut Dice),
    /// What stands between two records, and after the last one.
    between: &'static str,
    ends: &'static str,
}

pub(crate) const KINDS: &[Kind] = &[
    Kind {
        name: "sts-csv",
        begins: "job,tenant,user,submit_s,gpus,workers,gpu_type,duration_s,start_s,end_s,model,min_slots,memory_gb,outcome,limit_s\n",
        record: sts_csv,
        between: "\n",
        ends: "\n",
    },
    Kind {
        name: "helios-csv",
        begins: "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n",
        record: helios_csv,
        between: "\n",
        ends: "\n",
    },
    Kind {
        name: "sacct",
        begins: "JobID|User|Account|Partition|Submit|Start|End|ElapsedRaw|AllocTRES|ReqTRES|State|JobName\n",
        record: sacct,
        between: "\n",
        ends: "\n",
    },
    Kind {
        name: "swf",
        begins: "; Version: 2.2\n; Computer: A generated cluster\n; UnixStartTime: 1577836800\n; MaxNodes: 64\n; MaxProcs: 512\n",
        record: swf,
        between: "\n",
        ends: "\n",
    },
    Kind { name: "philly-json", begins: "[", record: philly_json, between: ",\n", ends: "]\n" },
];

/// Numbers that look random (splitmix64).
pub(crate) struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit
    }

    fn of<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.below(texts.len() as u64) as usize]
    }
}

impl Kind {
    /// A file of about this size, and how many records it has.
    pub(crate) fn file(&self, bytes: usize) -> (Vec<u8>, u64) {
        let mut text = String::with_capacity(bytes + 2000);
        text.push_str(self.begins);
        let mut dice = Dice(1);
        let mut records = 0;
        while text.len() < bytes {
            if records > 0 {
                text.push_str(self.between);
            }
            (self.record)(&mut text, records, &mut dice);
            records += 1;
        }
        text.push_str(self.ends);
        (text.into_bytes(), records)
    }
}

/// A date in 2020 or 2021, so many seconds from its beginning: days of one length, months of 28 days.
fn date(second: u64, between: char) -> String {
    let (day, second) = (second / 86_400, second % 86_400);
    let (month, day) = (day / 28, day % 28 + 1);
    let (year, month) = (2020 + month / 12, month % 12 + 1);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year}-{month:02}-{day:02}{between}{hour:02}:{minute:02}:{second:02}")
}

const GPUS: [&str; 6] = ["1", "2", "4", "8", "0.5", "16"];
const STATES: [&str; 4] = ["COMPLETED", "CANCELLED", "FAILED", "TIMEOUT"];

fn sts_csv(text: &mut String, n: u64, dice: &mut Dice) {
    let submit = n * 40 + dice.below(40);
    let (wait, run) = (dice.below(900), dice.below(90_000));
    let _ = write!(
        text,
        "job-{n},vc{},user{:04},{submit}.{:02},{},{},{},{run}.5,{}.25,{}.75,{},{},{}.5,{},{}",
        dice.below(30),
        dice.below(800),
        dice.below(100),
        dice.of(&GPUS),
        1 + dice.below(4),
        dice.of(&["A100-80", "V100-16|V100-32", "H100-80"]),
        submit + wait,
        submit + wait + run,
        dice.of(&["resnet50", "bert-large", "gpt2", "vit"]),
        dice.below(8),
        dice.below(80),
        dice.of(&["completed", "failed", "cancelled"]),
        run + 3600,
    );
}

fn helios_csv(text: &mut String, n: u64, dice: &mut Dice) {
    let submit = n * 40 + dice.below(40);
    let (wait, run) = (dice.below(900), dice.below(90_000));
    let _ = write!(
        text,
        "{n},u{},vc{},{},{},{},{},{},{},{},{run},{wait}",
        dice.below(800),
        dice.below(30),
        dice.below(9),
        dice.below(64),
        1 + dice.below(4),
        dice.of(&STATES),
        date(submit, ' '),
        date(submit + wait, ' '),
        date(submit + wait + run, ' '),
    );
}

fn sacct(text: &mut String, n: u64, dice: &mut Dice) {
    let submit = n * 40 + dice.below(40);
    let (wait, run, gpus) = (dice.below(900), dice.below(90_000), 1 + dice.below(8));
    let _ = write!(
        text,
        "{n}|u{}|acc{}|gpu|{}|{}|{}|{run}|billing=32,cpu=32,gres/gpu:a100={gpus},gres/gpu={gpus},mem=128G,node=1|cpu=32,gres/gpu={gpus}|{}|train-{}",
        dice.below(800),
        dice.below(30),
        date(submit, 'T'),
        date(submit + wait, 'T'),
        date(submit + wait + run, 'T'),
        dice.of(&STATES),
        dice.below(50),
    );
}

fn swf(text: &mut String, n: u64, dice: &mut Dice) {
    let gpus = 1 + dice.below(64);
    let _ = write!(
        text,
        "{:>7} {:>10} {:>6} {:>6} {gpus:>4}     -1    -1 {gpus:>4} {:>6}    -1 {:>2} {:>4} {:>3}   -1  1  -1 -1 -1",
        n + 1,
        n * 40 + dice.below(40),
        dice.below(900),
        1 + dice.below(90_000),
        90_000 + dice.below(3600),
        dice.of(&["1", "0", "5"]),
        1 + dice.below(800),
        1 + dice.below(30),
    );
}

fn philly_json(text: &mut String, n: u64, dice: &mut Dice) {
    let submit = n * 40 + dice.below(40);
    let (wait, run) = (dice.below(900), dice.below(90_000));
    let _ = write!(
        text,
        "{{\n  \"status\": \"{}\",\n  \"vc\": \"vc{}\",\n  \"jobid\": \"application_15068_{n}\",\n  \"user\": \"u{}\",\n  \
         \"submitted_time\": \"{}\",\n  \"attempts\": [\n   {{\"start_time\": \"{}\", \"end_time\": \"{}\", \"detail\": \
         [{{\"ip\": \"m{}\", \"gpus\": [\"gpu0\", \"gpu1\"]}}, {{\"ip\": \"m{}\", \"gpus\": [\"gpu5\"]}}]}}\n  ]\n }}",
        dice.of(&["Pass", "Killed", "Failed"]),
        dice.below(15),
        dice.below(800),
        date(submit, ' '),
        date(submit + wait, ' '),
        date(submit + wait + run, ' '),
        dice.below(500),
        dice.below(500),
    );
}
