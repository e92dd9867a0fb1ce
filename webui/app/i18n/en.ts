/** The English words of the page. Every other dictionary has the type of this one, so a missing key fails the type check. */
import type { Verb } from '../model/tools.ts';

const plural = (n: number, one: string, other: string): string => `${n} ${n === 1 ? one : other}`;

const verbs: Record<Verb, [running: string, finished: string]> = {
  read: ['Reading', 'Read'], edit: ['Editing', 'Edited'], look: ['Looking through', 'Looked through'], grep: ['Searching files', 'Searched files'],
  run: ['Running', 'Ran'], search: ['Searching the web', 'Searched'], open: ['Opening', 'Opened'], delegate: ['Delegating', 'Delegated'],
  schedule: ['Scheduling', 'Scheduled'], send: ['Sending', 'Sent'], recall: ['Recalling', 'Recalled'], draw: ['Drawing', 'Drew'], use: ['Using', 'Used'],
};

export const en = {
  locale: 'en',
  app: 'nanobot',
  agent: 'Agent',
  you: 'You',
  close: 'Close', copy: 'Copy', copied: 'Copied', retry: 'Retry', edit: 'Edit', discard: 'Discard', cancel: 'Cancel', save: 'Save', undo: 'Undo', remove: 'Remove', reload: 'Reload',
  skipToThread: 'Skip to conversation', skipToComposer: 'Skip to message field',

  sidebar: {
    label: 'Sessions', newSession: 'New session', search: 'Search', settings: 'Settings', open: 'Open sidebar', hide: 'Hide sidebar',
    empty: 'No sessions yet. Your first message starts one.', failed: 'Sessions could not be loaded.', more: 'Show more', untitled: 'New session',
    running: 'running', waiting: 'waiting for you', parked: 'paused',
    menu: (title: string) => `Actions for ${title}`, rename: 'Rename', pin: 'Pin', unpin: 'Unpin', delete: 'Delete',
    deleted: (title: string) => `“${title}” deleted`, newTitle: 'New title',
    group: { waiting: 'Waiting for you', pinned: 'Pinned', today: 'Today', yesterday: 'Yesterday', week: 'This week' },
  },

  connection: {
    connecting: 'connecting', ready: 'connected', waiting: 'reconnecting', signed_out: 'signed out', outdated: 'new version',
    lost: 'Reconnecting… (turns go on at the server)', reconnect: 'Reconnect', signIn: 'Sign in', signedOut: 'You are signed out. Messages stay here.',
    newVersion: 'A new version is running.', keys: 'Keyboard shortcuts',
  },

  thread: {
    label: 'Conversation', loading: 'Loading conversation', failed: 'This session could not be loaded.', missing: 'This session does not exist any more.', goHome: 'Start a new session',
    older: 'Loading older messages', down: (steps: number) => (steps > 0 ? `↓ ${plural(steps, 'new step', 'new steps')}` : '↓ Newest'),
    turnName: (steps: number, state: string) => `Agent, ${plural(steps, 'step', 'steps')}, ${state}`,
    states: { queued: 'queued', running: 'working', awaiting_approval: 'waiting for you', parked: 'paused', done: 'done', failed: 'failed', cancelled: 'stopped', interrupted: 'interrupted' },
    userName: (time: string) => `You, ${time}`,
    stepsLine: (steps: number, time: string, failed: number) => [plural(steps, 'step', 'steps'), time, failed ? `${failed} failed` : ''].filter(Boolean).join(' · '),
    more: 'Show all', less: 'Show less', steered: 'added while working',
    empty: 'Nothing here yet.', preparing: 'Starting',
  },

  reasoning: {
    live: 'Thinking', done: 'Thought', forTime: (time: string) => `for ${time}`, empty: 'The model kept its reasoning to itself.', body: 'Reasoning',
  },

  tool: {
    verbs, input: 'Input', output: 'Output', noOutput: 'No output', exit: (code: number) => `exit ${code}`, showAll: (lines: number) => `Show all ${lines} lines`,
    denied: 'denied', cancelled: 'stopped', unknown: 'outcome unknown', waiting: 'waiting for you', error: 'failed',
    diff: (path: string) => `Changes to ${path}`,
  },

  notice: {
    other: (kind: string) => `Step of a kind this page does not know: ${kind}`,
    governed: (before: string, after: string) => `Context trimmed from ${before} to ${after} tokens`, governedPlain: 'Context trimmed to fit the model',
  },

  actions: {
    label: 'Message actions', retry: 'Retry', fork: 'Fork', edit: 'Edit', copy: 'Copy', previous: 'Previous version', next: 'Next version',
    branch: (index: number, count: number) => `${index}/${count}`, branchLabel: (index: number, count: number) => `Version ${index} of ${count}`,
  },

  composer: {
    label: 'Message', placeholder: 'Message', send: 'Send', stop: 'Stop', model: 'Model', noModel: 'No model', demo: 'demo',
    editing: 'Editing an earlier message. Sending makes a new version.', leaveEdit: 'Leave editing',
    queue: 'Queue', steer: 'Send now', hint: 'Enter queues, Ctrl Enter sends into the running turn',
    tooLong: (over: string) => `The message is ${over} characters too long.`,
    queued: (n: number) => `Queued ${n}`,
  },

  outbox: {
    sending: 'Sending…', waiting: 'Waiting for connection', accepted: 'Sent', failed: (why: string) => `Not sent: ${why}`, noAnswer: 'No answer yet',
  },

  home: {
    question: 'What should be done?', recent: 'Recent', example: 'Look through my workspace and tell me what is in it.',
  },

  setup: {
    title: 'Choose a model', intro: 'nanobot needs a language model. Use one that was found on this machine, or enter a provider. You can write your first message right away; it is kept.',
    found: 'Found on this machine', nothingFound: 'No model server and no key was found on this machine.',
    server: 'local server', key: (env: string) => `key in ${env}`, model: 'Model', modelHint: 'The name the provider gives the model',
    other: 'Another provider', provider: 'Provider', custom: 'Custom', kind: 'Protocol', baseUrl: 'Base URL', apiKey: 'API key', keyHint: 'Stored on the server, never shown again', keyFrom: (env: string) => `From ${env}`,
    test: 'Test', testing: 'Testing…', ok: (ms: string) => `Works, answered in ${ms}`, failed: (why: string) => `Failed: ${why}`,
    save: 'Save and start', saving: 'Saving…',
    demo: 'Try the demo model', demoNote: 'Scripted and offline: it shows how work looks here, but does not think.',
    name: 'Preset name', makeDefault: 'Use for new sessions', done: 'A model is set up.',
    kinds: { openai: 'OpenAI compatible', 'openai-responses': 'OpenAI Responses', anthropic: 'Anthropic', demo: 'Demo' } as Record<string, string>,
    needModel: 'Enter the name of a model.',
  },

  failure: {
    no_model: 'No model is set up yet. Your message is kept.',
    no_model_because: (why: string) => `The model cannot be used: ${why}`,
    provider_auth: (who: string) => `${who} refused the key.`,
    provider_rate_limit: (who: string) => `${who} asks to wait.`,
    provider_quota: (who: string) => `${who} says the quota is used up.`,
    provider_unavailable: (who: string) => `${who} did not respond.`,
    provider_timeout: (who: string) => `${who} took too long to answer.`,
    provider_bad_response: (who: string) => `${who} sent an answer that could not be read.`,
    provider_refused_request: (who: string) => `${who} refused the request.`,
    context_length: 'This session no longer fits the model.',
    context_length_of: (used: string, max: string) => `This session no longer fits the model (${used} of ${max}).`,
    stream_truncated: 'The answer stopped here. The text so far is kept.',
    storage: 'The server could not store its work.',
    internal: 'Something went wrong in the server.',
    stopped: 'Stopped', interrupted: 'The server restarted. Work up to here is kept.', loop: 'Stopped: the agent was repeating itself.',
    max_iterations: 'Stopped after the largest number of steps for one turn.', budget: 'Stopped: the budget is used up.', empty_final_response: 'The model ended without an answer.',
    other: 'The turn ended early.', provider: 'The provider', details: 'Details',
    setUp: 'Set up a model', openProvider: 'Open provider settings', fork: 'Fork', retry: 'Retry',
  },

  meter: {
    label: 'Context used', tokens: (n: string) => `${n} tokens`, title: 'Tokens by turn', turn: 'Turn', input: 'Input', cached: 'Cached', output: 'Output', cost: 'Cost (estimate)', context: 'Context', none: 'No request yet.',
  },

  code: { copy: 'Copy', wrap: 'Wrap', plain: 'text', table: 'Table', label: (lang: string) => (lang ? `Code, ${lang}` : 'Code') },

  search: {
    title: 'Search', placeholder: 'Search sessions and messages', sessions: 'Sessions', messages: 'Messages', recent: 'Recent sessions',
    none: (q: string) => `Nothing found for “${q}”.`, startWith: 'Start a session with this text', failed: 'Search failed.', results: (n: number) => plural(n, 'result', 'results'),
  },

  settings: {
    title: 'Settings', sections: { general: 'General', models: 'Models', about: 'About' },
    theme: 'Theme', themeNote: 'Light, dark, or what the system says.', themes: { system: 'System', light: 'Light', dark: 'Dark' },
    language: 'Language', languageNote: 'The language of this page.',
    reasoning: 'Reasoning', reasoningNote: 'How the thoughts of the model are shown. A block that you opened or closed by hand stays as it is.',
    reasonings: { live: 'Open while live', folded: 'Always folded', open: 'Always open' },
    sendKey: 'Send with', sendKeyNote: 'The other one breaks the line.', sendKeys: { enter: 'Enter', ctrl_enter: 'Ctrl Enter' },
    saved: 'Saved', failed: 'The settings could not be loaded.',
    presets: 'Models', presetsNote: 'A preset is a provider with one of its models.', providers: 'Providers', noPresets: 'No model yet.', noProviders: 'No provider yet.',
    default: 'default', makeDefault: 'Make default', addModel: 'Add a model', keySet: 'key is set', keyFrom: (env: string) => `key from ${env}`, noKey: 'no key',
    window: (n: string, assumed: boolean) => `${n} tokens${assumed ? ', assumed' : ''}`,
    warnings: 'The configuration file has problems', version: 'Version', boot: 'Server run', mismatches: 'Texts that had to be read again', licences: 'Licences of bundled libraries',
    removeProvider: (name: string) => `Remove provider ${name}`, removePreset: (name: string) => `Remove model ${name}`,
    providerUsed: (models: string[]) => `It is used by ${models.join(', ')}; remove those models first.`,
    removeDefault: 'Remove the default model?', removeDefaultNote: (name: string) => `Sessions that use “${name}” have no model until you make another one the default.`,
  },

  keys: {
    title: 'Keyboard shortcuts',
    list: [
      ['Ctrl K', 'Search'], ['Alt N', 'New session'], ['Ctrl B', 'Show or hide the sidebar'], ['Ctrl .', 'Stop the turn'], ['Esc Esc', 'Stop the turn'],
      ['Enter', 'Send; while a turn runs, queue'], ['Shift Enter', 'New line'], ['Ctrl Enter', 'Send into the running turn'], ['↑', 'In an empty field: edit the last message'],
      ['Alt ↑ / Alt ↓', 'Previous or next message of yours'], ['End', 'To the newest step'], ['F6', 'Next region of the page'], ['?', 'This list'],
    ] as [string, string][],
  },

  live: { thinking: 'Thinking', tool: (verb: string) => verb, ready: (words: number) => `Answer ready, ${plural(words, 'word', 'words')}`, stopped: 'Stopped', failed: (what: string) => `Failed: ${what}` },

  boundary: 'This part could not be shown.',
  notFound: 'There is no page at this address.',
};

export type Dictionary = typeof en;
