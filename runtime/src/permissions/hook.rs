//! The hook that holds calls against the rules. It comes after all others, so that it judges the arguments that a call will run with.

use std::sync::Arc;

use async_trait::async_trait;
use nanobot_engine::hook::{AgentHook, Ask, CallContext, Decision, HookError, HookMethod, HookMethods};
use nanobot_engine::message::ToolCall;
use nanobot_store::{AuditEntry, AuditKind};
use serde_json::json;

use super::{About, Judgement, Permission, Standing, judge};
use crate::clock::Clock;
use crate::config::ConfigStore;
use crate::tool::{ToolContext, ToolRegistry};

/// Rules, session and access mode as a hook.
pub(crate) struct PermissionHook {
    pub(crate) tools: ToolRegistry,
    pub(crate) context: ToolContext,
    pub(crate) config: ConfigStore,
    pub(crate) standing: Arc<Standing>,
    pub(crate) clock: Arc<dyn Clock>,
}

impl PermissionHook {
    /// The judgement on a call by what stands now.
    pub(crate) async fn judge(&self, call: &ToolCall) -> Judgement {
        let Some(tool) = self.tools.get(&call.name) else { return Judgement::Allow };
        let mut permission = tool.permission(&self.context, &call.arguments);
        let config = self.config.current();
        if permission.about == About::Paths && !config.permissions.is_empty() {
            self.follow_links(&mut permission).await;
        }
        let kept = self.standing.kept();
        let access = kept.access.unwrap_or(config.agent.access);
        judge(&call.name, &permission, &config.permissions, &kept.allowed, access)
    }

    /// Adds where the paths lead: a rule about a file holds for every name that it has.
    async fn follow_links(&self, permission: &mut Permission) {
        let (scope, asked) = (Arc::clone(&self.context.scope), permission.subjects.clone());
        let looked = tokio::task::spawn_blocking(move || {
            asked.iter().filter_map(|path| scope.resolved_subject(path)).collect::<Vec<_>>()
        });
        for path in looked.await.unwrap_or_default() {
            if !permission.subjects.contains(&path) {
                permission.subjects.push(path);
            }
        }
    }

    /// Why no person can allow the call; `None` when one can.
    pub(crate) async fn denial(&self, call: &ToolCall) -> Option<String> {
        match self.judge(call).await {
            Judgement::Allow | Judgement::Ask { .. } => None,
            Judgement::Deny { reason, .. } => Some(reason),
        }
    }
}

#[async_trait]
impl AgentHook for PermissionHook {
    fn name(&self) -> &str {
        "permissions"
    }

    fn methods(&self) -> HookMethods {
        HookMethods::of(&[HookMethod::BeforeExecuteTool])
    }

    /// A judgement that cannot be made allows nothing.
    fn reraise(&self) -> bool {
        true
    }

    fn decides_at_once(&self) -> bool {
        true
    }

    async fn before_execute_tool(&self, call: &CallContext) -> Result<Decision, HookError> {
        Ok(match self.judge(&call.call).await {
            Judgement::Allow => Decision::Proceed,
            Judgement::Ask { reason, covers } => Decision::Ask(Ask { question: reason, arguments: None, covers }),
            Judgement::Deny { reason, rule } => {
                let subject = format!("denied {}", call.call.name);
                let mut entry = AuditEntry::new(AuditKind::PermissionDecided, "system", subject, self.clock.now());
                entry.session_id = Some(call.run.session_id);
                entry.turn_id = Some(call.run.turn_id);
                entry.detail.insert("call_id".to_owned(), json!(call.call.id));
                entry.detail.insert("rule".to_owned(), serde_json::to_value(rule).unwrap_or_default());
                self.standing.kept().to_audit.push(entry);
                Decision::Deny { reason }
            }
        })
    }
}
