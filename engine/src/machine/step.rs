//! Transitions of a turn that goes well.

use super::{Answer, Batch, ContinueReason, Effect, Ending, Input, Observation, Phase, Segments, TurnMachine, Write};
use crate::event::{EventBody, GovernStep, StopReason, TurnError};
use crate::govern::Decisions;
use crate::id::StreamId;
use crate::message::{Block, Message, Role};
use crate::model::{ModelError, ModelErrorKind, Reply, StreamEnd};
use crate::usage::Usage;

/// Code of what is said when a model stopped at its output limit.
const OUTPUT_LIMIT: &str = "output_limit";
const IS_WHOLE: bool = false;
const IS_CUT: bool = true;

impl TurnMachine {
    /// Takes an input at `at` (UTC milliseconds) and appends what has to be done. An input that does not belong to the
    /// present phase (an answer that comes after Stop) changes nothing.
    pub fn step(&mut self, at: i64, input: Input, out: &mut Vec<Effect>) {
        if let Phase::Done(_) = self.state.phase
            && !matches!(input, Input::Resume(_))
        {
            return;
        }
        match input {
            Input::Begin => {
                if !matches!(self.state.phase, Phase::Building) {
                    return;
                }
                out.push(Effect::Observe(Observation::BeforeRun));
                self.begin_iteration(out);
            }
            Input::Resume(resume) => self.resume(at, resume, out),
            Input::RequestReady { steps, budget_tokens, decisions, can_be_plainer } => {
                self.can_be_plainer = can_be_plainer;
                self.request_ready(steps, budget_tokens, *decisions, out);
            }
            Input::OverBudget(over) => self.over_budget(at, *over, out),
            Input::Reasoning(text) => {
                if matches!(self.state.phase, Phase::Requesting) && !text.is_empty() {
                    let events = self.reasoning(at, text);
                    out.extend(events.into_iter().flatten().map(Effect::Emit));
                }
            }
            Input::Text(text) => {
                if matches!(self.state.phase, Phase::Requesting) && !text.is_empty() {
                    let events = self.text(at, text);
                    out.extend(events.into_iter().flatten().map(Effect::Emit));
                }
            }
            Input::ProviderTool(event) => {
                if matches!(self.state.phase, Phase::Requesting) {
                    let events = self.provider_tool(at, event);
                    out.extend(events.into_iter().flatten().map(Effect::Emit));
                }
            }
            Input::ReplyEnded { reply, usage, dice } => {
                if matches!(self.state.phase, Phase::Requesting) {
                    self.reply_ended(at, *reply, usage, dice, out);
                }
            }
            Input::Waited => self.waited(out),
            Input::Decided { position, decision, hint, asking } => {
                self.decided(at, position, (decision, hint, asking), out);
            }
            Input::Answered(answered) => self.answered(at, *answered, out),
            Input::CallFinished { position, outcome } => self.call_finished(at, position, outcome, out),
            Input::Steered(messages) => self.steered(at, messages, out),
            Input::Finalized(text) => self.finalized(at, text, out),
            Input::HookFailed { detail, usage } => self.hook_failed(at, detail, usage, out),
            Input::Stop { usage } => self.stop(at, usage, out),
        }
    }

    /// Starts the next request, or the closing one when the limit is reached.
    pub(super) fn begin_iteration(&mut self, out: &mut Vec<Effect>) {
        self.state.closing = self.state.iteration >= self.limits.max_iterations;
        self.state.phase = Phase::Building;
        self.state.segments = Segments::default();
        self.state.retry.announced = false;
        if let Some(candidate) = self.state.retry.next_candidate.take() {
            self.state.retry.move_to(candidate);
        }
        out.push(Effect::Observe(Observation::BeforeIteration));
        out.push(Effect::BuildRequest { closing: self.state.closing });
    }

    /// Ends this iteration and begins the next.
    pub(super) fn go_on(&mut self, reason: ContinueReason, out: &mut Vec<Effect>) {
        out.push(Effect::Observe(Observation::AfterIteration));
        self.state.iteration += 1;
        self.state.continued = Some(reason);
        self.state.retry.settle();
        self.begin_iteration(out);
    }

    fn request_ready(
        &mut self,
        steps: Vec<GovernStep>,
        budget_tokens: u64,
        decisions: Decisions,
        out: &mut Vec<Effect>,
    ) {
        if !matches!(self.state.phase, Phase::Building) {
            return;
        }
        self.state.decisions = decisions;
        self.state.retry.force = None;
        if !steps.is_empty() {
            let stream_id = self.mint_stream();
            // Stored before it is shown: after a crash no other stretch of output may get the number readers saw here.
            let event = EventBody::ContextGoverned { stream_id, steps, budget_tokens };
            out.push(self.persist(Vec::new(), vec![event]));
        }
        if !std::mem::replace(&mut self.state.retry.announced, true) {
            out.push(Effect::Emit(EventBody::IterationStarted { iteration: self.state.iteration }));
        }
        self.state.retry.attempts += 1;
        self.state.phase = Phase::Requesting;
        out.push(Effect::AskModel);
    }

    fn reply_ended(&mut self, at: i64, reply: Reply, usage: Usage, dice: f64, out: &mut Vec<Effect>) {
        let reply = match reply.end {
            StreamEnd::Truncated => {
                let error = ModelError::new(ModelErrorKind::Truncated, "The answer broke off before its end.");
                return self.attempt_failed(at, &error, usage, dice, out);
            }
            StreamEnd::Error(error) => return self.attempt_failed(at, &error, usage, dice, out),
            StreamEnd::Complete | StreamEnd::Length | StreamEnd::Empty | StreamEnd::Paused => reply,
        };
        out.extend(self.close_reasoning(at).map(Effect::Emit));
        let has_calls = reply.blocks.iter().any(|block| matches!(block, Block::Call(_)));
        match reply.end {
            StreamEnd::Complete if has_calls && !self.state.closing => self.run_tools(at, reply.blocks, usage, out),
            StreamEnd::Length if !self.state.closing && self.goes_on(at, &reply.blocks, usage, out) => {}
            StreamEnd::Length if !self.state.closing && is_blank(&reply.blocks) && self.state.cut.text.is_empty() => {
                let detail = "The answer reached the output limit of the model before it was whole. What arrived is \
                              kept; ask for smaller pieces, or raise max_tokens of the preset.";
                let error = TurnError { code: OUTPUT_LIMIT.to_owned(), detail: detail.to_owned() };
                self.fail(at, error, Some(usage), out);
            }
            StreamEnd::Paused if !self.state.closing => self.paused(at, reply.blocks, usage, out),
            StreamEnd::Length => self.answer(at, reply.blocks, IS_CUT, usage, out),
            _ => self.answer(at, reply.blocks, IS_WHOLE, usage, out),
        }
    }

    /// The provider works on in the next request, which takes its message back as it is.
    fn paused(&mut self, at: i64, mut blocks: Vec<Block>, usage: Usage, out: &mut Vec<Effect>) {
        blocks.retain(|block| !matches!(block, Block::Call(_)));
        out.extend(self.close_segment(at, true).map(Effect::Emit));
        self.count(usage, out);
        let message = Message { role: Role::Assistant, blocks };
        let row = Write::Row { message, interrupted: false, answer: false };
        self.state.phase = Phase::Building;
        let tools = self.state.segments.take_provider_tools();
        self.state.segments = Segments::default();
        self.state.iteration += 1;
        out.push(self.persist(vec![row], Vec::new()));
        self.state.iteration -= 1;
        self.go_on(ContinueReason::ProviderPause, out);
        // A tool that was cut by the pause ends in the next request, in the same place.
        self.state.segments.put_provider_tools(tools);
    }

    fn run_tools(&mut self, at: i64, blocks: Vec<Block>, usage: Usage, out: &mut Vec<Effect>) {
        self.state.blank_retries = 0;
        out.extend(self.close_segment(at, true).map(Effect::Emit));
        self.count(usage, out);
        let blocks = self.state.cut.join(blocks);
        let mut batch = Batch::default();
        let mut stored = Vec::with_capacity(blocks.len());
        for block in blocks {
            match block {
                Block::Call(call) => {
                    let stream_id = self.mint_stream();
                    stored.push(Block::Call(batch.add(call, stream_id, &mut self.state.call_ids)));
                }
                other => stored.push(other),
            }
        }
        let row = Write::Row {
            message: Message { role: Role::Assistant, blocks: stored },
            interrupted: false,
            answer: false,
        };
        let mut writes = vec![row];
        writes.extend(batch.all(self.state.iteration));
        self.state.segments = Segments::default();
        self.state.phase = Phase::ExecutingTools(batch);
        out.push(self.persist(writes, Vec::new()));
        out.push(Effect::Observe(Observation::BeforeExecuteTools));
        self.next_group(at, out);
    }

    fn answer(&mut self, at: i64, blocks: Vec<Block>, cut: bool, usage: Usage, out: &mut Vec<Effect>) {
        let mut blocks = blocks;
        blocks.retain(|block| !matches!(block, Block::Call(_) | Block::Pause));
        let earlier = std::mem::take(&mut self.state.cut.shown);
        let blocks = self.state.cut.join(blocks);
        if !is_blank(&blocks) {
            self.finalize(blocks, cut, earlier, usage, out);
        } else if self.state.closing {
            // The model closed with nothing; the limit is still the reason that people should read.
            let text = format!(
                "The limit of {} steps was reached before there was an answer. Ask again for a smaller part of the task.",
                self.limits.max_iterations
            );
            let events = self.text(at, text.clone());
            out.extend(events.into_iter().flatten().map(Effect::Emit));
            self.finalize(vec![Block::Text { text }], IS_WHOLE, earlier, usage, out);
        } else if self.state.blank_retries < self.limits.max_blank_retries {
            self.state.blank_retries += 1;
            out.extend(self.close_segment(at, true).map(Effect::Emit));
            self.count(usage, out);
            self.go_on(ContinueReason::BlankRetry, out);
        } else if let Some(candidate) = self.next_candidate() {
            out.extend(self.close_segment(at, true).map(Effect::Emit));
            self.count(usage, out);
            self.switch(candidate, "empty_response", "it gave an empty answer, twice", out);
        } else {
            let detail = "The model gave an empty answer, twice. Try again, or choose another model.".to_owned();
            let error = TurnError { code: "empty_response".to_owned(), detail };
            self.fail_with(at, StopReason::EmptyFinalResponse, error, Some(usage), out);
        }
    }

    fn finalize(&mut self, blocks: Vec<Block>, cut: bool, earlier: Vec<StreamId>, usage: Usage, out: &mut Vec<Effect>) {
        let stop_reason = if self.state.closing { StopReason::MaxIterations } else { StopReason::Completed };
        let message = Message { role: Role::Assistant, blocks };
        let text = message.text();
        let answer = Answer { message, text: text.clone(), stop_reason, cut, earlier, finalized: false, usage };
        self.state.phase = Phase::Finalizing(Box::new(answer));
        out.push(Effect::Finalize { text });
    }

    fn finalized(&mut self, at: i64, text: String, out: &mut Vec<Effect>) {
        let Phase::Finalizing(answer) = &mut self.state.phase else { return };
        if answer.finalized {
            return;
        }
        answer.finalized = true;
        let may_go_on =
            answer.stop_reason == StopReason::Completed && self.state.steer_cycles < self.limits.max_steer_cycles;
        if text != answer.text {
            // Signed reasoning belongs to the text it was given with; changed text goes without it.
            answer.message.blocks = vec![Block::Text { text: text.clone() }];
            answer.text.clone_from(&text);
            let earlier = std::mem::take(&mut answer.earlier);
            let events = self.show_changed(at, earlier, &text);
            out.extend(events.into_iter().map(Effect::Emit));
        }
        if may_go_on {
            out.push(Effect::DrainSteer);
        } else {
            self.steered(at, Vec::new(), out);
        }
    }

    fn steered(&mut self, at: i64, messages: Vec<super::SteerMessage>, out: &mut Vec<Effect>) {
        match std::mem::replace(&mut self.state.phase, Phase::Building) {
            Phase::Draining => {
                if !messages.is_empty() {
                    self.state.steer_cycles += 1;
                    self.take_steer(Vec::new(), messages, out);
                }
                self.go_on(ContinueReason::ToolResults, out);
            }
            Phase::Finalizing(answer) if answer.finalized => {
                if messages.is_empty() {
                    self.complete(at, *answer, out);
                } else {
                    self.state.steer_cycles += 1;
                    self.state.blank_retries = 0;
                    out.extend(self.close_segment(at, true).map(Effect::Emit));
                    self.count(answer.usage, out);
                    let row = Write::Row { message: answer.message, interrupted: answer.cut, answer: false };
                    self.take_steer(vec![row], messages, out);
                    self.go_on(ContinueReason::Steer, out);
                }
            }
            other => self.state.phase = other,
        }
    }

    fn take_steer(&mut self, mut writes: Vec<Write>, messages: Vec<super::SteerMessage>, out: &mut Vec<Effect>) {
        let mut events = Vec::with_capacity(messages.len());
        for message in messages {
            events.push(EventBody::UserMessage {
                message_id: message.message_id,
                text: message.text.clone(),
                attachments: Vec::new(),
                parent_id: None,
                branch: None,
                client_message_id: message.client_message_id.clone(),
                steer: true,
                stream_id: Some(self.mint_stream()),
            });
            writes.push(Write::Steer(message));
        }
        // A crash after this commit must go on with the next request, which sees the new rows.
        self.state.phase = Phase::Building;
        self.state.segments = Segments::default();
        self.state.iteration += 1;
        out.push(self.persist(writes, events));
        self.state.iteration -= 1;
    }

    fn complete(&mut self, at: i64, answer: Answer, out: &mut Vec<Effect>) {
        out.extend(self.close_segment(at, false).map(Effect::Emit));
        self.count(answer.usage, out);
        let row = Write::Row { message: answer.message, interrupted: answer.cut, answer: true };
        let mut events = Vec::new();
        if answer.cut {
            events.push(self.notice(OUTPUT_LIMIT, "The answer was cut at the output limit of the model."));
        }
        let ending = Ending { stop_reason: answer.stop_reason, error: None, content: Some(answer.text) };
        self.state.segments = Segments::default();
        self.state.phase = Phase::Done(ending.clone());
        out.push(self.persist(vec![row], events));
        out.push(Effect::Observe(Observation::AfterIteration));
        out.push(Effect::Observe(Observation::AfterRun));
        out.push(Effect::Observe(Observation::OnFinally));
        out.push(Effect::Finish(ending));
    }

    /// Adds a request's tokens and shows them.
    pub(super) fn count(&mut self, usage: Usage, out: &mut Vec<Effect>) {
        self.state.usage.add(&usage);
        out.push(Effect::Emit(EventBody::Usage(usage)));
    }
}

/// Is there no text to read?
fn is_blank(blocks: &[Block]) -> bool {
    !blocks.iter().any(|block| matches!(block, Block::Text { text } if !text.trim().is_empty()))
}
