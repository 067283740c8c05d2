//! Room for text whose exact width nobody knows before it is drawn: an estimate with slack, shortening,
//! wrapping, and the spreading of labels that would lie on each other.

/// Width of a character in parts of the font size: a little more than the common sans-serifs need on average.
const CHARACTER_EM: f64 = 0.56;

/// About how wide `text` is at a font size.
#[must_use]
pub(super) fn text_width_px(text: &str, font_px: f64) -> f64 {
    text.chars().count() as f64 * CHARACTER_EM * font_px
}

/// `text`, or as much of its start and its end as fits around an ellipsis: names often differ at the end.
#[must_use]
pub(super) fn shortened(text: &str, font_px: f64, room_px: f64) -> String {
    if text_width_px(text, font_px) <= room_px {
        return text.to_owned();
    }
    let kept = ((room_px / (CHARACTER_EM * font_px)).max(0.0) as usize).saturating_sub(1).max(1);
    let at_end = kept / 3;
    let start: String = text.chars().take(kept - at_end).collect();
    let end: String = text.chars().skip(text.chars().count() - at_end).collect();
    format!("{}…{}", start.trim_end(), end.trim_start())
}

/// `text` in lines that fit; a word longer than a line stands alone. No line for no text.
#[must_use]
pub(super) fn wrapped(text: &str, font_px: f64, room_px: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        match lines.last_mut() {
            Some(line) if text_width_px(line, font_px) + text_width_px(word, font_px) <= room_px => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Positions as near as possible to `wanted`, in the same order of height, at least `gap` apart and within
/// the bounds; closer than `gap` only where the bounds leave no other way.
///
/// Labels that meet form a block around the mean of what they wanted; blocks that meet join.
#[must_use]
pub(super) fn spread(wanted: &[f64], gap: f64, bounds: (f64, f64)) -> Vec<f64> {
    struct Block {
        members: Vec<usize>,
        centre: f64,
    }
    let room = bounds.1 - bounds.0;
    let gap = gap.min(room / wanted.len().saturating_sub(1).max(1) as f64).max(0.0);
    let half = |members: usize| gap * (members as f64 - 1.0) / 2.0;
    let within =
        |centre: f64, members: usize| centre.min(bounds.1 - half(members)).max(bounds.0 + half(members));

    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|&a, &b| wanted[a].total_cmp(&wanted[b]));
    let mut blocks: Vec<Block> = Vec::new();
    for index in order {
        let mut block = Block { members: vec![index], centre: within(wanted[index], 1) };
        while let Some(above) = blocks
            .pop_if(|b| b.centre + half(b.members.len()) + gap > block.centre - half(block.members.len()))
        {
            let members: Vec<usize> = above.members.into_iter().chain(block.members).collect();
            let mean = members.iter().map(|&i| wanted[i]).sum::<f64>() / members.len() as f64;
            block = Block { centre: within(mean, members.len()), members };
        }
        blocks.push(block);
    }

    let mut placed = wanted.to_vec();
    for block in blocks {
        let first = block.centre - half(block.members.len());
        for (k, &index) in block.members.iter().enumerate() {
            placed[index] = first + gap * k as f64;
        }
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_cut_with_an_ellipsis() {
        assert_eq!(shortened("Gavel max-min", 12.0, 200.0), "Gavel max-min");
        assert_eq!(shortened("Gavel water-filling", 12.0, 60.0), "Gavel…ng");
        assert_eq!(shortened("Gavel", 12.0, 0.0), "G…");
    }

    #[test]
    fn text_wraps_at_spaces() {
        assert_eq!(wrapped("one two three", 10.0, 50.0), ["one two", "three"]);
        assert!(wrapped("", 10.0, 50.0).is_empty());
    }

    #[test]
    fn labels_apart_stay_where_they_are() {
        assert_eq!(spread(&[10.0, 50.0], 15.0, (0.0, 100.0)), [10.0, 50.0]);
    }

    #[test]
    fn labels_that_meet_part_evenly() {
        assert_eq!(spread(&[52.0, 48.0], 15.0, (0.0, 100.0)), [57.5, 42.5]);
        assert_eq!(spread(&[99.0, 98.0], 15.0, (0.0, 100.0)), [100.0, 85.0]);
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod properties {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn spread_labels_keep_their_order_gap_and_bounds(wanted in vec(0.0..200.0_f64, 0..9)) {
            let placed = spread(&wanted, 15.0, (0.0, 200.0));
            let mut order: Vec<usize> = (0..wanted.len()).collect();
            order.sort_by(|&a, &b| wanted[a].total_cmp(&wanted[b]));
            let gap = |pair: &[usize]| placed[pair[1]] - placed[pair[0]];
            prop_assert!(order.windows(2).all(|pair| gap(pair) >= 15.0 - 1e-9), "{placed:?}");
            prop_assert!(placed.iter().all(|y| (-1e-9..=200.0 + 1e-9).contains(y)));
        }
    }
}
