//! A JSON document on its way into the workload.

use crate::trace::elements::{ArrayAt, Cutter, Piece};
use crate::trace::format::ElementReader;
use crate::trace::identity::content_hash;
use crate::trace::intake::Intake;
use crate::trace::refusal::Refusal;

/// A document being read.
pub(super) struct Document {
    format: &'static str,
    cutter: Cutter,
    reader: Box<dyn ElementReader>,
    elements: u64,
}

impl Document {
    /// Begins a document.
    pub(super) fn new(format: &'static str, array: ArrayAt, reader: Box<dyn ElementReader>) -> Self {
        Self { format, cutter: Cutter::new(array), reader, elements: 0 }
    }

    /// Takes the next piece of text.
    pub(super) fn push(&mut self, text: &[u8], intake: &mut Intake) -> Result<(), Refusal> {
        let (reader, elements) = (&mut self.reader, &mut self.elements);
        self.cutter.push(text, |piece| match piece {
            Piece::Element(at, bytes) => {
                *elements += 1;
                let element = intake.notes.text(bytes);
                let verdict = reader.element(&element, &intake.notes);
                intake.settle_element(*elements, at.line, content_hash(bytes), verdict)
            }
            Piece::Member(at, name, value) => {
                let name = intake.notes.text(name);
                reader.member(at, &name, &intake.notes.text(value))
            }
            Piece::Entry(name, value) => {
                reader.entry(&intake.notes.text(name), &intake.notes.text(value));
                Ok(())
            }
        })
    }

    /// Ends the document. A document without jobs is no error here; it is said why there are none.
    pub(super) fn end(mut self, intake: &mut Intake) -> Result<Option<Refusal>, Refusal> {
        let has_array = self.cutter.end()?;
        intake.end_file(self.reader.close());
        if !has_array {
            return Err(Refusal::MissingColumns {
                format: self.format.into(),
                missing: "the array of jobs".into(),
                found: "an object without it".into(),
                advice: "Export the file again.".into(),
            });
        }
        Ok((self.elements == 0).then(|| Refusal::HeaderOnly { columns: "an empty array".into() }))
    }
}
