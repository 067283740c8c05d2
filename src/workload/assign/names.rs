//! Model names in traces, and the measured model that each stands for.

use crate::workload::profile::{self, ProfileId, profiles};

/// A family of models: words that its names begin with (lower case, letters and digits only), the beginning of its profiles' names,
/// and the batch size where a trace gives none.
type Family = (&'static [&'static str], &'static str, u32);

/// What is known. Larger members of a family stand with the one that was measured: a ResNet-101 counts as a ResNet-50. Families
/// without a measurement, such as VGG or GPT, are not here: they get a profile by the rule, and are counted.
const FAMILIES: [Family; 12] = [
    (&["mobilenet", "shufflenet"], "mobilenet/", 128),
    (&["resnet18", "resnet34", "cifar10"], "ResNet-18 ", 64),
    (&["resnet", "imagenet"], "ResNet-50 ", 64),
    (&["transformer"], "Transformer ", 64),
    (&["lm", "lstm"], "LM ", 20),
    (&["recommendation", "ncf"], "Recommendation ", 2048),
    (&["a3c", "a2c", "dqn"], "A3C", 0),
    (&["cyclegan"], "cyclegan/", 1),
    (&["deepspeech"], "deepspeech2/", 8),
    (&["bert"], "bert/", 4),
    (&["gnn", "gcn"], "gnn/", 128),
    (&["embedding"], "embedding/", 128),
];

/// The profile that a trace's model name stands for: the profile of that very name, else the member of its family with the nearest
/// batch size (`bert/64`, `ResNet-50 (batch size 48)`). `None` if nothing like it was measured.
#[must_use]
pub fn known_model(name: &str) -> Option<ProfileId> {
    let name = name.trim();
    if let Some(exact) = profile::find(name) {
        return Some(exact);
    }
    let (model, batch) = split_batch(name);
    let word: String =
        model.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    let (_, prefix, usual) = FAMILIES
        .iter()
        .find(|(words, ..)| words.iter().any(|w| word.starts_with(w) && is_whole_word(&word, w)))?;
    let wanted = batch.unwrap_or(*usual);
    let members = (0u16..).zip(profiles()).filter(|(_, p)| p.name.starts_with(prefix));
    members
        .min_by_key(|(_, p)| split_batch(&p.name).1.unwrap_or(0).abs_diff(wanted))
        .map(|(id, _)| ProfileId(id))
}

/// `lm` must be the whole name, or be followed by a digit: `lmsys` is not a language model of this kind.
fn is_whole_word(name: &str, word: &str) -> bool {
    word.len() > 3 || name[word.len()..].chars().next().is_none_or(|c| c.is_ascii_digit())
}

/// A name without its batch size, and the batch size: `LM (batch size 20)`, `bert/8`, `bert-b8` is a name without one.
fn split_batch(name: &str) -> (&str, Option<u32>) {
    if let Some((model, rest)) = name.split_once(" (batch size ") {
        return (model, rest.trim_end_matches(')').trim().parse().ok());
    }
    match name.rsplit_once('/') {
        Some((model, batch)) => (model, batch.parse().ok()),
        None => (name, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(name: &str) -> Option<&'static str> {
        known_model(name).map(|id| id.profile().name.as_str())
    }

    #[test]
    fn names_of_profiles_stand_for_themselves() {
        for p in profiles() {
            assert_eq!(known(&p.name), Some(p.name.as_str()));
        }
    }

    #[test]
    fn names_from_real_traces_are_matched_to_what_was_measured() {
        for (name, expected) in [
            ("resnet50", "ResNet-50 (batch size 64)"),
            ("resnet101", "ResNet-50 (batch size 64)"),
            ("resnet18/128", "ResNet-18 (batch size 128)"),
            ("ResNet-50 (batch size 48)", "ResNet-50 (batch size 32)"),
            ("mobilenet_v2", "mobilenet/128"),
            ("shufflenet_v2_x1_0", "mobilenet/128"),
            ("deepspeech2/32", "deepspeech2/16"),
            ("bert", "bert/4"),
            ("BERT/128", "bert/8"),
            ("cifar10", "ResNet-18 (batch size 64)"),
            ("imagenet", "ResNet-50 (batch size 64)"),
            ("ncf", "Recommendation (batch size 2048)"),
            ("dqn", "A3C"),
            ("CycleGAN", "CycleGAN"),
            ("LM", "LM (batch size 20)"),
        ] {
            assert_eq!(known(name), Some(expected), "{name}");
        }
        for name in
            ["", "vgg16", "gpt2", "yolov3", "inception3", "alexnet", "vit@cifar100", "lmsys", "/", "a3"]
        {
            assert_eq!(known(name), None, "{name}");
        }
    }
}
