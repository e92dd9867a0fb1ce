/** The English words of the page. Every other dictionary has the type of this one, so a missing key fails the type check. */
import type { BudgetUnit, Limit } from '../model/budget.ts';
import type { FieldProblem } from '../model/preset-form.ts';
import type { ProviderProblem } from '../model/provider-form.ts';
import type { Verdict } from '../model/rules.ts';
import type { CommandName } from '../model/slash.ts';
import type { ProviderVerb, Verb } from '../model/tools.ts';
import type { Access, Approval } from '../model/types.ts';
import type { By, Period } from '../model/usage.ts';

const plural = (n: number, one: string, other: string): string => `${n} ${n === 1 ? one : other}`;

/** No line breaks inside a time. */
const times = '90\u00a0s, 10\u00a0min or 1\u00a0h\u00a030\u00a0min';

const verbs: Record<Verb, [running: string, finished: string]> = {
  read: ['Reading', 'Read'], edit: ['Editing', 'Edited'], look: ['Looking through', 'Looked through'], grep: ['Searching files', 'Searched files'],
  run: ['Running', 'Ran'], search: ['Searching the web', 'Searched'], open: ['Opening', 'Opened'], delegate: ['Delegating', 'Delegated'],
  schedule: ['Scheduling', 'Scheduled'], send: ['Sending', 'Sent'], recall: ['Recalling', 'Recalled'], draw: ['Drawing', 'Drew'], use: ['Using', 'Used'],
};

const providerVerbs: Record<ProviderVerb, [running: string, finished: string]> = {
  search: ['Searching the web', 'Searched the web'], open: ['Opening', 'Opened'], run: ['Running code', 'Ran code'], draw: ['Drawing', 'Drew'],
  grep: ['Searching files', 'Searched files'], use: ['Using', 'Used'],
};

const problems: Record<FieldProblem | ProviderProblem, string> = {
  required: 'Fill this in.', taken: 'There is one of this name already.', long: 'At most 64 characters.', whole: 'A whole number of 1 or more.', zero_to_two: 'A number from 0 to 2.',
  zero_or_more: 'A number of 0 or more.', both_prices: 'A price needs input and output.', url: 'A complete address, such as https://example.com/v1.', header_name: 'A header name has letters, digits and dashes.',
  pair_name: 'Each entry needs a name.', twice: 'A name stands here twice.', json: 'This is not valid JSON.', json_object: 'This has to be a JSON object: { … }.', json_null: 'null cannot be stored; leave the key out.',
};

export const en = {
  locale: 'en',
  app: 'nanobot',
  agent: 'Agent',
  you: 'You',
  close: 'Close', copy: 'Copy', copied: 'Copied', retry: 'Retry', edit: 'Edit', discard: 'Discard', cancel: 'Cancel', save: 'Save', undo: 'Undo', remove: 'Remove', reload: 'Reload',
  skipToThread: 'Skip to conversation', skipToComposer: 'Skip to message field',

  sidebar: {
    label: 'Sessions', newSession: 'New session', search: 'Search', settings: 'Settings', open: 'Open sidebar', openWaiting: 'Open sidebar: a session waits for you', hide: 'Hide sidebar',
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
    verbs, providerVerbs, byProvider: 'run by the provider', input: 'Input', output: 'Output', noOutput: 'No output', exit: (code: number) => `exit ${code}`, showAll: (lines: number) => `Show all ${lines} lines`,
    denied: 'denied', cancelled: 'stopped', unknown: 'outcome unknown', waiting: 'waiting for you', error: 'failed',
    diff: (path: string) => `Changes to ${path}`,
  },

  approval: {
    waiting: 'Waiting for your approval', several: (n: number) => `${n} approvals wait for you`, show: 'Show',
    titles: {
      read: 'Allow reading this?', edit: 'Allow this change?', look: 'Allow looking through this?', grep: 'Allow searching these files?', run: 'Allow this command?', search: 'Allow this web search?',
      open: 'Allow opening this address?', delegate: 'Allow delegating this?', schedule: 'Allow scheduling this?', send: 'Allow sending this?', recall: 'Allow looking this up?', draw: 'Allow drawing this?', use: 'Allow using this tool?',
    } as Record<Verb, string>,
    command: 'Command', allArguments: 'All arguments', hidden: (code: string) => `A character that would not be seen: ${code}`, in: 'In', at: 'At',
    expiresIn: (time: string) => `No answer within ${time} counts as no.`, expiresAt: (when: string) => `No answer until ${when} counts as no.`,
    once: 'Allow once', onceChanged: 'Allow once as changed', deny: 'Deny', denyWithNote: 'Deny with this note', session: 'Allow for this session', always: 'Always allow',
    scope: 'Do not ask again for:', everyCall: ['every ', ' call'] as [before: string, after: string], exactly: 'exactly', like: 'everything like',
    addNote: 'Add a note…', note: 'Note for the agent', noteHint: 'Why not, or what to do instead',
    changeArguments: 'Change arguments…', changedArguments: 'Changed arguments (JSON)', changedNote: 'The call runs once, with these arguments.', keepArguments: 'Keep the arguments as they were',
    sending: 'Sending your answer…', offline: 'no connection to the server', late: (detail: string) => `Your answer did not count: ${detail}`,
    decided: { allow_once: 'Allowed once', allow_session: 'Allowed for this session', allow_always: 'Always allowed from now on', deny: 'Denied', expired: 'Not answered in time', cancelled: 'Withdrawn before it was answered' } as Record<NonNullable<Approval['decision']>, string>,
    decidedLine: (what: string, who: string) => (who ? `${what} by ${who}` : what), you: 'you',
    actors: { loopback: 'somebody on this machine', config: 'the static token', terminal: 'the command line', system: 'nanobot' } as Record<string, string>,
  },

  budget: {
    label: 'Budget used', title: 'A budget is used up',
    titles: {
      turn_usd: 'This turn has used its budget', session_usd: 'This session has used its budget', day_usd: 'The budget of the day is used up',
      turn_tokens: 'This turn has used its tokens', session_tokens: 'This session has used its tokens', day_tokens: 'The tokens of the day are used up',
      turn_seconds: 'This turn has used its time', session_seconds: 'This session has used its time', day_seconds: 'The time of the day is used up',
    } as Record<Limit, string>,
    used: (used: string, limit: string) => `${used} of ${limit} used`, tokens: (n: string) => `${n} tokens`, units: { usd: 'US dollars', tokens: 'tokens', seconds: 'time at work' } as Record<BudgetUnit, string>,
    more: 'Allow more', allow: (amount: string) => `Allow ${amount} more`, stop: 'Stop here',
    problems: { usd: 'An amount above 0.', tokens: 'A whole number above 0.', seconds: `A time of 1 s or more, such as ${times}.` } as Record<BudgetUnit, string>,
    decided: { allow_once: 'Budget raised', allow_session: 'Budget raised', allow_always: 'Budget raised', deny: 'Stopped here', expired: 'Not answered in time', cancelled: 'Withdrawn before it was answered' } as Record<NonNullable<Approval['decision']>, string>,
  },

  notice: {
    other: (kind: string) => `Step of a kind this page does not know: ${kind}`,
    attempt: (n: number, max: number | null) => (max === null ? `attempt ${n}` : `attempt ${n} of ${max}`),
    askingAgain: (seconds: string, attempt: string) => `Asking again in ${seconds} (${attempt})`, askedAgain: (attempt: string) => `Asked again (${attempt})`, notAsked: (attempt: string) => `Ended before asking again (${attempt})`,
    switched: (from: string, to: string, why: string) => `Going on with ${to} because ${from} failed: ${why}`,
    governed: (before: string, after: string) => `The request was shortened: ${before} → ${after} tokens`, governedPlain: 'The request was shortened to fit the model',
    shortened: (times: number, before: string, after: string) => `The request was shortened ${times} times, last: ${before} → ${after} tokens`, shortenedPlain: (times: number) => `The request was shortened ${times} times`,
  },

  actions: {
    label: 'Message actions', retry: 'Retry', fork: 'Fork', inspect: 'Inspect', edit: 'Edit', copy: 'Copy', previous: 'Previous version', next: 'Next version',
    branch: (index: number, count: number) => `${index}/${count}`, branchLabel: (index: number, count: number) => `Version ${index} of ${count}`,
  },

  composer: {
    label: 'Message', placeholder: 'Message', send: 'Send', stop: 'Stop', model: 'Model', noModel: 'No model', demo: 'demo',
    editing: 'Editing an earlier message. Sending makes a new version.', leaveEdit: 'Leave editing',
    queue: 'Queue', steer: 'Send now', hint: 'Enter queues, Ctrl Enter sends into the running turn',
    tooLong: (over: string) => `The message is ${over} characters too long.`,
    queued: (n: number) => `Queued ${n}`,
    modelGone: (name: string, instead: string) => `“${name}” is not set up any more. This session goes on with ${instead}.`, modelGoneNone: (name: string) => `“${name}” is not set up any more. Choose another model.`,
  },

  access: {
    label: 'Access', modes: { ask: 'Ask before acting', workspace: 'Workspace only', full: 'Full access' } as Record<Access, string>, configured: (mode: string) => (mode ? `As configured (${mode})` : 'As configured'),
    notes: {
      ask: 'Whatever writes, runs or leaves this machine asks first.', workspace: 'Files in the workspace and sandboxed commands without network run by themselves; the rest asks.', full: 'Nothing asks, except where a rule says so. Rules that deny still hold.',
    } as Record<Access, string>,
    chosen: (mode: string) => `Access is now: ${mode}. What had been allowed for this session is taken back.`,
    confirm: 'Give full access to this session?', fullMeans: 'The agent then acts without asking you.',
    fullPoints: ['It changes and deletes files and runs commands as it sees fit, also with what web pages or documents tell it.', 'Rules that ask or deny (Settings, Tools & access) and the sandbox of commands still hold.', 'It is for this session alone. You can take it back here at any time.'],
    give: 'Give full access',
  },

  slash: {
    label: 'Commands', commands: { model: 'Choose the model of this session' } as Record<CommandName, string>,
    unknownModel: (name: string, known: string[]) => `There is no model “${name}”. Set up: ${known.join(', ') || 'none'}.`, chosen: (model: string, provider: string) => `This session now uses ${model} · ${provider}.`,
  },

  picker: { title: 'Choose a model', manage: 'Manage models' },

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
    kinds: { openai: 'Chat Completions', 'openai-responses': 'OpenAI Responses', anthropic: 'Anthropic Messages', demo: 'Demo' } as Record<string, string>,
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
    provider_not_found: (who: string) => `${who} does not know this model or address.`,
    provider_paused: (who: string) => `${who} failed so often that it is left alone for a while.`,
    model_refused: 'The model refused to answer. Put the request in other words, or choose another model.',
    context_length: 'This session no longer fits the model.',
    context_length_of: (used: string, max: string) => `This session no longer fits the model (${used} of ${max}).`,
    stream_truncated: 'The answer stopped here. The text so far is kept.',
    storage: 'The server could not store its work.',
    internal: 'Something went wrong in the server.',
    stopped: 'Stopped', interrupted: 'The server restarted. Work up to here is kept.', loop: 'Stopped: the agent was repeating itself.',
    max_iterations: 'Stopped after the largest number of steps for one turn.', budget: 'Stopped: the budget is used up.', empty_final_response: 'The model ended without an answer.',
    other: 'The turn ended early.', provider: 'The provider', details: 'Details',
    setUp: 'Set up a model', openProvider: 'Open provider settings', fork: 'Fork', retry: 'Retry', otherModel: 'Other model', rephrase: 'Rephrase',
  },

  meter: {
    label: 'Context used', tokens: (n: string) => `${n} tokens`, title: 'Tokens by turn', turn: 'Turn', input: 'Input', cached: 'Cached', output: 'Output', cost: 'Cost (estimate)', context: 'Context', none: 'No request yet.',
    cachedShare: (share: string) => `${share} of the input came from the provider’s cache`, costSum: (cost: string) => `${cost} in all (estimate)`,
  },

  code: { copy: 'Copy', wrap: 'Wrap', plain: 'text', table: 'Table', label: (lang: string) => (lang ? `Code, ${lang}` : 'Code') },

  search: {
    title: 'Search', placeholder: 'Search sessions and messages', sessions: 'Sessions', messages: 'Messages', recent: 'Recent sessions',
    none: (q: string) => `Nothing found for “${q}”.`, startWith: 'Start a session with this text', failed: 'Search failed.', results: (n: number) => plural(n, 'result', 'results'),
  },

  settings: {
    title: 'Settings', sections: { general: 'General', models: 'Models', tools: 'Tools & access', usage: 'Usage', about: 'About' },
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

  models: {
    intro: 'A provider has an address and a key. A model is one of a provider’s models with its settings; sessions choose among them.',
    kinds: { openai: 'Chat Completions — nearly all servers', 'openai-responses': 'OpenAI Responses', anthropic: 'Anthropic Messages' } as Record<string, string>,
    addModel: 'New model', addModelOf: (provider: string) => `New model of ${provider}`, testOf: (name: string) => `Test ${name}`, testModel: 'Test this model', editProvider: (name: string) => `Edit provider ${name}`,
    viaProxy: (proxy: string) => `via ${proxy}`, removeWithKey: 'Its stored key is removed too and cannot be brought back.',
    list: 'List models', listing: 'Asking the provider…', listed: (n: number) => (n === 0 ? 'The provider lists no models; type the name.' : `${plural(n, 'model', 'models')} to choose from`), listFailed: (why: string) => `The names could not be listed: ${why}`,
    proxy: 'Proxy', proxyNone: 'none', keyPlaceholder: 'A key, or ${NAME} of an environment variable', keyNote: 'Stored on the server, never shown again.', keepKey: 'Keep the old key',
    keyRemoved: 'removed when you save', replace: 'Replace', replaceKey: 'Replace the key', removeKey: 'Remove the key', keyDropped: 'The stored key and header values belong to the old address and are dropped when you save. Enter them again for the new one.',
    advanced: 'Advanced: headers, query, body', headers: 'Extra headers', headersNote: 'Sent with each request. Values are stored and never shown again.', addHeader: 'Add a header',
    query: 'Extra query parameters', queryNote: 'Added to the address of each request.', addQuery: 'Add a parameter', body: 'Extra body', bodyNote: 'A JSON object that is merged into each request.',
    pairName: 'Name', pairValue: 'Value', valueSet: 'value is set', replaceOf: (name: string) => `Replace the value of ${name}`, removePair: (name: string) => `Remove ${name || 'this entry'}`,
    makeDefaultOf: (name: string) => `Make default: ${name}`, editPreset: (name: string) => `Edit ${name}`, newPreset: 'New model', duplicate: 'Duplicate', duplicateOf: (name: string) => `Duplicate ${name}`,
    name: 'Name', renameNote: (old: string) => `Sessions that use “${old}” go on with the default model. The default and fallbacks follow the new name.`,
    window: 'Context window (tokens)', windowAssumed: '128000 is assumed', maxTokens: 'Longest answer (tokens)', maxTokensDefault: '8192', temperature: 'Temperature', effort: 'Reasoning effort', providerDefault: 'as the provider does it',
    price: 'Price in dollars per million tokens', priceInput: 'Input', priceCached: 'Cached input', priceCachedDefault: 'as input', priceOutput: 'Output',
    fallbacks: 'If this model fails', fallbacksNote: 'When a request still fails after its attempts, these models are asked in order and the first that answers goes on with the turn. The conversation says so; the next message begins with this model again.',
    fallbackGone: 'not set up any more', fallbackMoved: (name: string, place: number, of: number) => `${name} is now number ${place} of ${of}`, fallbackRemoved: (name: string) => `${name} removed from the order`,
    moveUp: (name: string) => `Move ${name} up`, moveDown: (name: string) => `Move ${name} down`, removeFallback: (name: string) => `Remove ${name} from the order`, addFallback: 'Model to ask next', add: 'Add', noFallbacks: 'There is no other model yet.',
    thenFallbacks: (names: string[]) => `if it fails: ${names.join(' → ')}`,
    retrying: 'When a request fails', retryModes: {
      standard: ['Standard', 'Up to 4 attempts, with longer and longer waits in between.'], persistent: ['Persistent', 'Keeps trying until it works or you press Stop.'],
    } as Record<'standard' | 'persistent', [name: string, sentence: string]>,
    problems,
  },

  toolSettings: {
    access: 'Default access', accessNote: 'How far the agent may go without asking, where no rule fits. A session can have a mode of its own: it is chosen below its message field.',
    confirmFull: 'Full access everywhere?', fullMeans: 'Every session without a mode of its own then acts without asking you.', makeFull: 'Make full access the default',
    rules: 'Rules', rulesNote: 'For each call of a tool, the first rule that fits decides; where none fits, the access mode does. In a chain of commands each part is judged. “Always allow” in a conversation adds a rule here.',
    noRules: 'No rules yet: the access mode decides everything.', addRule: 'Add a rule', editRule: (n: number) => `Edit rule ${n}`, removeRule: (n: number) => `Remove rule ${n}`, moveUp: (n: number) => `Move rule ${n} up`, moveDown: (n: number) => `Move rule ${n} down`,
    ruleMoved: (n: number, of: number) => `Now rule ${n} of ${of}`, ruleRemoved: 'Rule removed', shadowed: (n: number) => `Never reached: rule ${n} fits first.`, anything: 'anything',
    tool: 'Tool', toolNote: 'A name such as exec, or a pattern such as mcp_*', match: 'What it is called with', matchNote: 'The command, path or address; * is any text', decision: 'Decision', verdicts: { allow: 'Allow', ask: 'Ask', deny: 'Deny' } as Record<Verdict, string>,
    budgets: 'Budgets', budgetsNote: `What turns may use at most. When a limit is reached, the turn stops and asks you for more. Empty: no limit. Models without a price count in tokens and time alone. Time counts what models and tools take, not waiting for you; type it as ${times}.`, noLimit: 'no limit',
    limits: {
      turn_usd: 'One turn, US dollars', session_usd: 'One session, US dollars', day_usd: 'One day, US dollars', turn_tokens: 'One turn, tokens', session_tokens: 'One session, tokens', day_tokens: 'One day, tokens',
      turn_seconds: 'One turn, time at work', session_seconds: 'One session, time at work', day_seconds: 'One day, time at work',
    } as Record<Limit, string>,
    hooks: 'Hooks', hooksNote: ['Programs that take part in turns. They are set up in ', ' in the home folder of the server, never in the browser.'] as [before: string, after: string], noHooks: 'No hooks are set up.',
    timeout: (ms: number) => `at most ${ms / 1000} s`, reraise: 'a failure ends the turn',
  },

  usage: {
    period: 'Period', periods: { '7': '7 days', '30': '30 days', '90': '90 days', month: 'This month' } as Record<Period, string>, by: 'Group by', bys: { day: 'Day', session: 'Session', preset: 'Model' } as Record<By, string>,
    range: (since: string, until: string, timezone: string) => `${since} – ${until} (${timezone})`, loading: 'Loading usage', failed: 'The usage could not be loaded.', empty: 'No model was asked in this period.',
    requests: 'Requests', failedRequests: (n: number) => `${n} failed`, failedColumn: 'Failed', shareColumn: 'Cached share', input: 'Input', cached: 'Cached input', fresh: 'Fresh input', output: 'Output', cost: 'Cost (estimate)', total: 'Total',
    cachedShare: (share: string) => `${share} cached`, estimated: (n: number) => `${plural(n, 'request', 'requests')} with estimated tokens`, unpriced: (n: number) => `${plural(n, 'request', 'requests')} without a price`, noPrice: 'no price',
    perDay: 'Tokens per day', bar: (day: string, fresh: string, cached: string, output: string) => `${day}: ${fresh} fresh, ${cached} cached, ${output} out`,
    chartLabel: (days: number, most: string, tokens: string) => `Tokens per day over ${plural(days, 'day', 'days')}; most on ${most} with ${tokens}. The table has all numbers.`,
    csv: 'Download CSV', deleted: 'Deleted session',
  },

  inspect: {
    title: 'Turn inspector', loading: 'Loading the turn', failed: 'The turn could not be loaded.', missing: 'This turn does not exist any more.', refresh: 'Refresh', export: 'Export', exportNote: 'Everything shown here as one JSON file; secrets are struck out.',
    requests: 'Requests', noRequests: 'No request was made.', calls: 'Tool calls', notOk: (n: number) => (n > 0 ? `${n} without success` : ''), time: 'Time', noTime: 'Nothing ran.', split: (model: string, tools: string) => `model ${model}, tools ${tools}`,
    number: 'Request', numberOf: (iteration: number, attempt: number) => (attempt > 1 ? `${iteration} · attempt ${attempt}` : String(iteration)), requestName: (iteration: number, attempt: number) => `Request ${iteration}, attempt ${attempt}`,
    model: 'Model', outcome: 'Outcome', cost: 'Cost', first: 'First output', duration: 'Duration', estimated: 'estimated', outcomes: { complete: 'complete', length: 'cut at the limit', empty: 'empty', paused: 'paused', truncated: 'broke off', cancelled: 'stopped' } as Record<string, string>,
    governance: 'Made to fit', budget: (estimated: string, budget: string, window: string, messages: string) => `${messages} messages, about ${estimated} tokens of a budget of ${budget}, in a window of ${window}`, hash: 'hash', nothingCut: 'Nothing had to be cut.', less: (n: string) => `−${n}`, more: (n: string) => `+${n}`,
    inexact: 'This request could not be rebuilt byte for byte.', sent: 'What was sent', system: 'System prompt', tools: 'Tools', messages: 'Messages', earlier: (n: number) => `Show ${plural(n, 'earlier message', 'earlier messages')}`, chars: (n: string) => `${n} characters`, parameters: (tool: string) => `Arguments of ${tool}`, empty: 'Empty', showAll: (n: string) => `Show all ${n} characters`,
    roles: { system: 'System', user: 'User', assistant: 'Assistant', tool: 'Tool' } as Record<string, string>, blocks: { text: 'Text', thinking: 'Reasoning', call: 'Call', result: 'Result', image: 'Image', document: 'Document', provider_item: 'Item of the provider', pause: 'Pause' } as Record<string, string>,
    difference: 'Compared with the request before', firstRequest: 'There is no request before it.', added: 'added', removed: 'removed', systemChanged: 'the system prompt changed', toolsChanged: 'the tools changed', messagesRemoved: (n: number) => `${plural(n, 'message', 'messages')} removed`,
    startSame: (n: number) => `The start stayed the same: system prompt, tools and ${plural(n, 'message', 'messages')}. A provider can take it from its cache.`, startChanged: (n: number, what: string[]) => `The start is another one: ${what.join(', ')}. ${n === 1 ? '1 message is' : `${n} messages are`} the same at the beginning.`,
    byModel: 'Model', byTools: 'Tools', ok: 'ok', round: (n: number) => `request ${n}`, outputChars: (n: string) => `${n} characters of output`, hooks: 'Hooks that failed', hookError: (hook: string) => `Error of ${hook}`,
  },

  keys: {
    title: 'Keyboard shortcuts',
    list: [
      ['Ctrl K', 'Search'], ['Alt N', 'New session'], ['Ctrl B', 'Show or hide the sidebar'], ['Ctrl .', 'Stop the turn'], ['Esc Esc', 'Stop the turn'],
      ['Enter', 'Send; while a turn runs, queue'], ['Shift Enter', 'New line'], ['Ctrl Enter', 'Send into the running turn'], ['↑', 'In an empty field: edit the last message'],
      ['Alt ↑ / Alt ↓', 'Previous or next message of yours'], ['Alt Enter', 'Allow once what is asked on the screen'], ['Alt Backspace', 'Deny it'], ['End', 'To the newest step'], ['F6', 'Next region of the page'], ['/', 'At the start of a message: commands'], ['?', 'This list'],
    ] as [string, string][],
  },

  live: { thinking: 'Thinking', tool: (verb: string) => verb, ready: (words: number) => `Answer ready, ${plural(words, 'word', 'words')}`, stopped: 'Stopped', failed: (what: string) => `Failed: ${what}`, approval: (title: string, what: string) => `Waiting for your approval. ${title} ${what}`, elsewhere: (title: string) => `“${title}” waits for your approval` },

  boundary: 'This part could not be shown.',
  notFound: 'There is no page at this address.',
};

export type Dictionary = typeof en;
