//! Whether an allocation that counts slots can be put on devices.

use super::instance::InstanceLayout;
use super::problem::Problem;

/// Steps of the search for a full packing of one type, and the most pieces it is tried with.
const MAX_STEPS: u32 = 200_000;
const MAX_PIECES: usize = 200;

/// The value, in units of the program, of jobs that find no device: on uniform types each device holds what sums to its slots.
/// MIG layouts are packable by construction. Exact where a full packing exists and is found; otherwise the loss of placing the
/// largest first.
pub(super) fn unplaced_value(problem: &Problem<'_>, choice: &[Option<u16>]) -> i64 {
    let mut lost = 0;
    for (k, of_type) in problem.instance.types.iter().enumerate() {
        if of_type.layout != InstanceLayout::Uniform {
            continue;
        }
        let mut placed: Vec<Piece> = Vec::new();
        for (job, (option, &(_, of_instance))) in choice.iter().zip(&problem.jobs).enumerate() {
            let Some(i) = option.map(usize::from) else { continue };
            let Some(chosen) = of_instance.options.get(i).filter(|o| problem.type_index(&o.gpu) == k) else {
                continue;
            };
            let value = problem.program.jobs[job].options[i].value;
            placed.push(Piece { slots: chosen.slots, devices: chosen.devices, value });
        }
        placed.sort_by_key(|piece| std::cmp::Reverse((piece.slots, piece.devices, piece.value)));
        let mut free = vec![of_type.slots_per_device; of_type.devices as usize];
        let unplaced = largest_first(&placed, &mut free.clone());
        let mut steps = MAX_STEPS;
        let searched = placed.len() <= MAX_PIECES;
        if unplaced > 0 && !(searched && packs(&placed, &mut free, &mut steps)) {
            lost += unplaced;
        }
    }
    lost
}

#[derive(Debug, Clone, Copy)]
struct Piece {
    slots: u32,
    devices: u32,
    value: i64,
}

/// Puts every piece on the fullest devices that hold it; returns the value of those that find none.
fn largest_first(pieces: &[Piece], free: &mut [u32]) -> i64 {
    let mut lost = 0;
    for piece in pieces {
        let mut fitting: Vec<usize> = (0..free.len()).filter(|&d| free[d] >= piece.slots).collect();
        fitting.sort_by_key(|&d| free[d]);
        if fitting.len() < piece.devices as usize {
            lost += piece.value;
            continue;
        }
        for &device in fitting.iter().take(piece.devices as usize) {
            free[device] -= piece.slots;
        }
    }
    lost
}

/// Whether all pieces fit, by search: the first piece on each distinct choice of a device, for pieces of one device.
fn packs(pieces: &[Piece], free: &mut [u32], steps: &mut u32) -> bool {
    let Some((piece, rest)) = pieces.split_first() else { return true };
    if *steps == 0 {
        return false;
    }
    *steps -= 1;
    if piece.devices > 1 {
        let mut fitting: Vec<usize> = (0..free.len()).filter(|&d| free[d] >= piece.slots).collect();
        fitting.sort_by_key(|&d| free[d]);
        fitting.truncate(piece.devices as usize);
        if fitting.len() < piece.devices as usize {
            return false;
        }
        for &device in &fitting {
            free[device] -= piece.slots;
        }
        let packed = packs(rest, free, steps);
        for &device in &fitting {
            free[device] += piece.slots;
        }
        return packed;
    }
    let mut tried = Vec::new();
    for device in 0..free.len() {
        if free[device] < piece.slots || tried.contains(&free[device]) {
            continue;
        }
        tried.push(free[device]);
        free[device] -= piece.slots;
        let packed = packs(rest, free, steps);
        free[device] += piece.slots;
        if packed {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(slots: u32) -> Piece {
        Piece { slots, devices: 1, value: 1 }
    }

    #[test]
    fn a_packing_is_found_where_largest_first_misses_it() {
        // 6 4 | 5 5 | 4 3 3 on ten slots each, sorted: 6 5 5 4 4 3 3.
        let pieces = [6, 5, 5, 4, 4, 3, 3].map(piece);
        assert!(packs(&pieces, &mut [10; 3], &mut 1000));
        assert!(!packs(&[4, 4, 4].map(piece), &mut [6; 2], &mut 1000));
        assert_eq!(largest_first(&[4, 4, 4].map(piece), &mut [6; 2]), 1);
    }
}
