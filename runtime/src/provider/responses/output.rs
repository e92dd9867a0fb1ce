//! The output items of an answer while they arrive: found again by place or id, put in order at the end.
//!
//! Servers differ: some give no places, some change ids between events, some send a text or the arguments of a call only with the item
//! that is done. What came in pieces is never repeated; what did not come is taken from the whole.

use nanobot_engine::message::{Block, ToolCall};
use nanobot_engine::model::StreamItem;
use serde_json::Value;

use super::hosted::{self, Phase};
use super::spoken::{PartKey, PartKind, Spoken, Tails, texts_of};
use crate::provider::chat::read_arguments;

/// All items so far.
#[derive(Debug, Default)]
pub(crate) struct Output {
    slots: Vec<Slot>,
    tails: Tails,
    is_refused: bool,
}

/// Where an event says that its item is.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place<'a> {
    pub(crate) index: Option<u64>,
    /// Empty where there is none.
    pub(crate) id: &'a str,
}

#[derive(Debug)]
struct Slot {
    index: Option<u64>,
    id: String,
    content: Content,
    is_done: bool,
    /// The whole item as the server gave it, of what only the server understands.
    item: Option<Value>,
}

#[derive(Debug)]
enum Content {
    Message(Spoken),
    Reasoning(Spoken),
    Call(CallParts),
    Hosted { kind: String, shown: Option<Phase>, told: Option<Phase> },
}

#[derive(Debug, Default)]
struct CallParts {
    call_id: String,
    name: String,
    arguments: String,
}

impl Content {
    /// Empty content for items of this type; `None` for types that are none of ours.
    fn of(kind: &str) -> Option<Self> {
        match kind {
            "message" => Some(Self::Message(Spoken::default())),
            "reasoning" => Some(Self::Reasoning(Spoken::default())),
            "function_call" => Some(Self::Call(CallParts::default())),
            kind if hosted::is_hosted(kind) => Some(Self::Hosted { kind: kind.to_owned(), shown: None, told: None }),
            _ => None,
        }
    }

    fn kind(&self) -> &str {
        match self {
            Self::Message(_) => "message",
            Self::Reasoning(_) => "reasoning",
            Self::Call(_) => "function_call",
            Self::Hosted { kind, .. } => kind,
        }
    }
}

impl Output {
    /// An item began. One that is known under its id already is not begun again; the place alone may be wrong.
    pub(crate) fn added(&mut self, place: Place<'_>, item: &Value, items: &mut Vec<StreamItem>) {
        let Some(kind) = item.get("type").and_then(Value::as_str) else { return };
        let known = self.find_id(place.id, kind);
        let Some(at) = known.or_else(|| self.push(place, kind)) else { return };
        if let Some(slot) = self.slots.get_mut(at) {
            slot.read_call(item);
            slot.show(Phase::Started, item, items);
        }
    }

    /// An item is whole.
    pub(crate) fn done(&mut self, place: Place<'_>, item: Value, items: &mut Vec<StreamItem>) {
        let mut tails = self.tails;
        self.is_refused |= has_refusal(&item);
        if let Some(slot) = self.slot_of_whole(place, &item) {
            slot.take_whole(item, &mut tails, items);
        }
        self.tails = tails;
    }

    /// More of a text.
    pub(crate) fn more(&mut self, place: Place<'_>, key: PartKey, text: &str, items: &mut Vec<StreamItem>) {
        self.is_refused |= key.kind == PartKind::Refusal;
        let mut tails = self.tails;
        if let Some(slot) = self.slot(place, key.kind.item_type()) {
            slot.speak(|spoken| spoken.more(key, text, &mut tails, items));
        }
        self.tails = tails;
    }

    /// A text is whole.
    pub(crate) fn whole(&mut self, place: Place<'_>, key: PartKey, text: &str, items: &mut Vec<StreamItem>) {
        self.is_refused |= key.kind == PartKind::Refusal;
        let mut tails = self.tails;
        if let Some(slot) = self.slot(place, key.kind.item_type()) {
            slot.speak(|spoken| spoken.whole(key, text, &mut tails, items));
        }
        self.tails = tails;
    }

    /// More of the arguments of a call.
    pub(crate) fn more_arguments(&mut self, place: Place<'_>, more: &str) {
        if let Some(Slot { content: Content::Call(call), is_done: false, .. }) = self.slot(place, "function_call") {
            call.arguments.push_str(more);
        }
    }

    /// The arguments of a call are whole, which overrules what came in pieces.
    pub(crate) fn whole_arguments(&mut self, place: Place<'_>, arguments: &Value) {
        if let Some(Slot { content: Content::Call(call), .. }) = self.slot(place, "function_call") {
            call.take_arguments(arguments);
        }
    }

    /// A tool of the server's moved on. Its end is shown with the item, which says what came of it.
    pub(crate) fn hosted(&mut self, place: Place<'_>, kind: &str, phase: Phase, items: &mut Vec<StreamItem>) {
        let Some(slot) = self.slot(place, kind) else { return };
        match phase {
            Phase::Started | Phase::Running => slot.show(phase, &Value::Null, items),
            Phase::Done | Phase::Failed => {
                if let Content::Hosted { told, .. } = &mut slot.content {
                    *told = Some(phase);
                }
            }
        }
    }

    /// The list of all items, as it comes with the end: takes from it what did not come before.
    pub(crate) fn absorb(&mut self, list: Vec<Value>, items: &mut Vec<StreamItem>) {
        let order = self.order();
        let type_of = |item: &Value| item.get("type").and_then(Value::as_str).map(str::to_owned).unwrap_or_default();
        let types: Vec<String> = list.iter().map(type_of).collect();
        let had = |kind: &str| order.iter().filter(|at| self.is_kind(**at, kind)).count();
        let is_all_here = |kind: &str| types.iter().filter(|other| *other == kind).count() <= had(kind);
        let all_here: Vec<bool> = types.iter().map(|kind| is_all_here(kind)).collect();
        for (((position, item), kind), all_here) in (0_u64..).zip(list).zip(&types).zip(all_here) {
            let id = item.get("id").and_then(Value::as_str).unwrap_or_default();
            let by_id =
                self.slots.iter().position(|slot| !id.is_empty() && slot.id == id && slot.content.kind() == kind);
            let by_place = usize::try_from(position).ok().and_then(|position| order.get(position).copied());
            let at = by_id.or(by_place.filter(|at| self.is_kind(*at, kind)));
            self.is_refused |= has_refusal(&item);
            let at = match at {
                Some(at) => at,
                None if all_here => continue,
                None => match self.push(Place { index: Some(position), id }, kind) {
                    Some(at) => at,
                    None => continue,
                },
            };
            if let Some(slot) = self.slots.get_mut(at).filter(|slot| !slot.is_done) {
                slot.take_whole(item, &mut self.tails, items);
            }
        }
    }

    /// Nothing more comes: hands on what was held back, and ends what is shown as running.
    pub(crate) fn finish(&mut self, items: &mut Vec<StreamItem>) {
        for slot in &mut self.slots {
            slot.speak(|spoken| spoken.finish(items));
            if let Content::Hosted { told, .. } = &slot.content {
                let phase = told.unwrap_or(Phase::Failed);
                slot.show(phase, &Value::Null, items);
            }
        }
    }

    /// Did the model refuse to answer?
    pub(crate) fn is_refused(&self) -> bool {
        self.is_refused
    }

    /// Is there no text to see?
    pub(crate) fn has_no_text(&self) -> bool {
        self.slots.iter().all(|slot| slot.spoken().is_none_or(|spoken| spoken.answer.text.trim().is_empty()))
    }

    /// Is there neither text nor reasoning nor a call?
    pub(crate) fn is_empty(&self) -> bool {
        self.slots.iter().all(|slot| match &slot.content {
            Content::Message(spoken) | Content::Reasoning(spoken) => spoken.answer.is_blank(),
            Content::Call(_) => false,
            Content::Hosted { .. } => true,
        })
    }

    /// The blocks in the order of the output, with calls or without.
    pub(crate) fn into_blocks(self, by: &str, with_calls: bool) -> Vec<Block> {
        let order = self.order();
        let mut slots: Vec<Option<Slot>> = self.slots.into_iter().map(Some).collect();
        let mut blocks = Vec::new();
        for slot in order.into_iter().filter_map(|at| slots.get_mut(at).and_then(Option::take)) {
            let item = slot.item.map(|item| Block::ProviderItem { by: by.to_owned(), item });
            match slot.content {
                Content::Message(spoken) | Content::Reasoning(spoken) => blocks.extend(spoken.into_blocks()),
                Content::Call(call) if with_calls => blocks.push(Block::Call(call.into_call())),
                Content::Call(_) | Content::Hosted { .. } => {}
            }
            blocks.extend(item);
        }
        blocks
    }

    /// Positions of the slots in the order of the output: by place when all have one, else as they came.
    fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.slots.len()).collect();
        if self.slots.iter().all(|slot| slot.index.is_some()) {
            order.sort_by_key(|at| self.slots.get(*at).and_then(|slot| slot.index));
        }
        order
    }

    fn is_kind(&self, at: usize, kind: &str) -> bool {
        self.slots.get(at).is_some_and(|slot| slot.content.kind() == kind)
    }

    fn push(&mut self, place: Place<'_>, kind: &str) -> Option<usize> {
        let content = Content::of(kind)?;
        let id = place.id.to_owned();
        self.slots.push(Slot { index: place.index, id, content, is_done: false, item: None });
        Some(self.slots.len() - 1)
    }

    /// The slot of an item that is whole. One that was whole before under another id is another item.
    fn slot_of_whole(&mut self, place: Place<'_>, item: &Value) -> Option<&mut Slot> {
        let kind = item.get("type").and_then(Value::as_str)?;
        let is_same = |slot: &Slot| !slot.is_done || (!place.id.is_empty() && slot.id == place.id);
        let known = self.find(place, kind).filter(|at| self.slots.get(*at).is_some_and(is_same));
        let at = match known {
            Some(at) => at,
            None => self.push(place, kind)?,
        };
        self.slots.get_mut(at)
    }

    fn slot(&mut self, place: Place<'_>, kind: &str) -> Option<&mut Slot> {
        let at = match self.find(place, kind) {
            Some(at) => at,
            None => self.push(place, kind)?,
        };
        self.slots.get_mut(at)
    }

    /// The slot of this id, else the latest of this place, since some servers change ids; the latest open one of its kind when the
    /// event tells neither.
    fn find(&self, place: Place<'_>, kind: &str) -> Option<usize> {
        let latest = |fits: &dyn Fn(&Slot) -> bool| {
            self.slots.iter().rposition(|slot| slot.content.kind() == kind && fits(slot))
        };
        match place.index {
            _ if self.find_id(place.id, kind).is_some() => self.find_id(place.id, kind),
            Some(index) => latest(&|slot| slot.index == Some(index)).or_else(|| latest(&|slot| slot.is_anonymous())),
            None if place.id.is_empty() => latest(&|slot| !slot.is_done),
            None => None,
        }
    }

    fn find_id(&self, id: &str, kind: &str) -> Option<usize> {
        self.slots.iter().rposition(|slot| !id.is_empty() && slot.id == id && slot.content.kind() == kind)
    }
}

impl Slot {
    /// Open, with neither place nor id: what comes next may belong to it.
    fn is_anonymous(&self) -> bool {
        !self.is_done && self.index.is_none() && self.id.is_empty()
    }

    fn spoken(&self) -> Option<&Spoken> {
        match &self.content {
            Content::Message(spoken) | Content::Reasoning(spoken) => Some(spoken),
            Content::Call(_) | Content::Hosted { .. } => None,
        }
    }

    fn speak(&mut self, say: impl FnOnce(&mut Spoken)) {
        match &mut self.content {
            Content::Message(spoken) | Content::Reasoning(spoken) => say(spoken),
            Content::Call(_) | Content::Hosted { .. } => {}
        }
    }

    fn take_whole(&mut self, item: Value, tails: &mut Tails, items: &mut Vec<StreamItem>) {
        self.is_done = true;
        self.read_call(&item);
        self.speak(|spoken| {
            spoken.settle(&texts_of(&item), tails, items);
            spoken.finish(items);
        });
        self.show(Phase::of_item(&item), &item, items);
        if matches!(self.content, Content::Reasoning(_) | Content::Hosted { .. }) {
            self.item = Some(item);
        }
    }

    /// Takes name, id and arguments from an item, if this is a call.
    fn read_call(&mut self, item: &Value) {
        let Content::Call(call) = &mut self.content else { return };
        let text = |key: &str| item.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
        if let Some(call_id) = text("call_id").or_else(|| text("id").filter(|_| call.call_id.is_empty())) {
            call_id.clone_into(&mut call.call_id);
        }
        if let Some(name) = text("name") {
            name.trim().clone_into(&mut call.name);
        }
        if let Some(arguments) = item.get("arguments") {
            call.take_arguments(arguments);
        }
    }

    /// Shows where a tool of the server's stands, each step once and nothing after its end.
    fn show(&mut self, phase: Phase, item: &Value, items: &mut Vec<StreamItem>) {
        let Content::Hosted { kind, shown, .. } = &mut self.content else { return };
        if matches!(shown, Some(Phase::Done | Phase::Failed)) || *shown == Some(phase) {
            return;
        }
        if shown.is_some() && phase == Phase::Started {
            return;
        }
        let phases = if shown.is_none() && phase != Phase::Started { &[Phase::Started, phase][..] } else { &[phase] };
        for phase in phases {
            items.push(StreamItem::ProviderTool(hosted::event(*phase, kind, &self.id, item)));
        }
        *shown = Some(phase);
    }
}

impl CallParts {
    fn take_arguments(&mut self, arguments: &Value) {
        match arguments {
            Value::Null => {}
            Value::String(text) if text.is_empty() => {}
            Value::String(text) => text.clone_into(&mut self.arguments),
            other => self.arguments = other.to_string(),
        }
    }

    fn into_call(self) -> ToolCall {
        let (arguments, malformed) = read_arguments(self.arguments);
        ToolCall { id: self.call_id, name: self.name, arguments, malformed, signature: None }
    }
}

fn has_refusal(item: &Value) -> bool {
    let parts = item.get("content").and_then(Value::as_array).into_iter().flatten();
    parts.into_iter().any(|part| part.get("type").and_then(Value::as_str) == Some("refusal"))
}
