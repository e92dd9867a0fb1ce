/** 简体中文词典。Loaded only when it is the chosen language. */
import type { Dictionary } from './en.ts';

const times = '90\u00a0s、10\u00a0min 或 1\u00a0h\u00a030\u00a0min';

export const zhCN: Dictionary = {
  locale: 'zh-CN',
  app: 'nanobot',
  agent: '智能体',
  you: '你',
  close: '关闭', copy: '复制', copied: '已复制', retry: '重试', edit: '编辑', discard: '放弃', cancel: '取消', save: '保存', undo: '撤销', remove: '移除', reload: '重新加载',
  skipToThread: '跳到对话', skipToComposer: '跳到输入框',

  sidebar: {
    label: '会话', newSession: '新会话', search: '搜索', settings: '设置', open: '打开侧栏', openWaiting: '打开侧栏：有会话等你处理', hide: '隐藏侧栏',
    empty: '还没有会话。发出第一条消息就会开始一个。', failed: '无法载入会话列表。', more: '显示更多', untitled: '新会话',
    running: '运行中', waiting: '等你处理', parked: '已暂停',
    menu: (title) => `“${title}”的操作`, rename: '重命名', pin: '置顶', unpin: '取消置顶', delete: '删除',
    deleted: (title) => `已删除“${title}”`, newTitle: '新标题',
    group: { waiting: '等你处理', pinned: '置顶', today: '今天', yesterday: '昨天', week: '本周' },
  },

  connection: {
    connecting: '正在连接', ready: '已连接', waiting: '正在重连', signed_out: '未登录', outdated: '有新版本',
    lost: '正在重新连接……（任务在服务器上继续）', reconnect: '立即重连', signIn: '登录', signedOut: '你已退出登录。消息保留在这里。',
    newVersion: '服务器已更新到新版本。', keys: '键盘快捷键',
  },

  thread: {
    label: '对话', loading: '正在载入对话', failed: '无法载入这个会话。', missing: '这个会话已不存在。', goHome: '开始新会话',
    older: '正在载入更早的消息', down: (steps) => (steps > 0 ? `↓ ${steps} 个新步骤` : '↓ 最新'),
    turnName: (steps, state) => `智能体，${steps} 个步骤，${state}`,
    states: { queued: '排队中', running: '处理中', awaiting_approval: '等你处理', parked: '已暂停', done: '已完成', failed: '失败', cancelled: '已停止', interrupted: '已中断' },
    userName: (time) => `你，${time}`,
    stepsLine: (steps, time, failed) => [`${steps} 个步骤`, time, failed ? `${failed} 个失败` : ''].filter(Boolean).join(' · '),
    more: '全部显示', less: '收起', steered: '处理中追加',
    empty: '这里还没有内容。', preparing: '正在开始',
  },

  reasoning: {
    live: '正在思考', done: '已思考', forTime: (time) => `用时 ${time}`, empty: '模型没有公开它的思考。', body: '思考过程',
  },

  tool: {
    verbs: {
      read: ['正在读取', '已读取'], edit: ['正在修改', '已修改'], look: ['正在浏览', '已浏览'], grep: ['正在搜索文件', '已搜索文件'],
      run: ['正在运行', '已运行'], search: ['正在搜索网页', '已搜索'], open: ['正在打开', '已打开'], delegate: ['正在委派', '已委派'],
      schedule: ['正在安排', '已安排'], send: ['正在发送', '已发送'], recall: ['正在回忆', '已回忆'], draw: ['正在绘制', '已绘制'], use: ['正在使用', '已使用'],
    },
    providerVerbs: {
      search: ['正在搜索网页', '已搜索网页'], open: ['正在打开', '已打开'], run: ['正在运行代码', '已运行代码'], draw: ['正在绘制', '已绘制'],
      grep: ['正在搜索文件', '已搜索文件'], use: ['正在使用', '已使用'],
    },
    byProvider: '由服务商运行', input: '输入', output: '输出', noOutput: '没有输出', exit: (code) => `退出码 ${code}`, showAll: (lines) => `显示全部 ${lines} 行`,
    denied: '已拒绝', cancelled: '已停止', unknown: '结果未知', waiting: '等你处理', error: '失败',
    diff: (path) => `${path} 的改动`,
  },

  approval: {
    waiting: '等你批准', several: (n) => `${n} 项等你批准`, show: '查看',
    titles: {
      read: '允许读取吗？', edit: '允许这项改动吗？', look: '允许浏览吗？', grep: '允许搜索这些文件吗？', run: '允许运行这条命令吗？', search: '允许这次网页搜索吗？',
      open: '允许打开这个地址吗？', delegate: '允许委派吗？', schedule: '允许安排吗？', send: '允许发送吗？', recall: '允许查阅吗？', draw: '允许绘制吗？', use: '允许使用这个工具吗？',
    },
    command: '命令', allArguments: '全部参数', hidden: (code) => `看不见的字符：${code}`, in: '位置：', at: '地址：',
    expiresIn: (time) => `${time} 内没有答复则视为拒绝。`, expiresAt: (when) => `到 ${when} 没有答复则视为拒绝。`,
    once: '允许一次', onceChanged: '按改动允许一次', deny: '拒绝', denyWithNote: '拒绝并附上说明', session: '本会话内允许', always: '始终允许',
    scope: '以后不再询问：', everyCall: ['每次调用 ', ''], exactly: '仅限', like: '所有符合以下模式的：',
    addNote: '添加说明…', note: '给智能体的说明', noteHint: '为什么不行，或者应该怎么做',
    changeArguments: '修改参数…', changedArguments: '修改后的参数（JSON）', changedNote: '只运行这一次，使用这些参数。', keepArguments: '保留原来的参数',
    sending: '正在发送你的答复……', offline: '无法连接服务器', late: (detail) => `你的答复没有生效：${detail}`,
    decided: { allow_once: '已允许一次', allow_session: '已在本会话内允许', allow_always: '以后始终允许', deny: '已拒绝', expired: '逾期未答复', cancelled: '答复前已撤回' },
    decidedLine: (what, who) => (who ? `${what}（${who}）` : what), you: '你',
    actors: { loopback: '本机用户', config: '静态令牌', terminal: '命令行', system: 'nanobot' },
  },

  budget: {
    label: '已用预算', title: '预算已用完',
    titles: {
      turn_usd: '本次任务的预算已用完', session_usd: '本会话的预算已用完', day_usd: '今天的预算已用完', turn_tokens: '本次任务的词元已用完', session_tokens: '本会话的词元已用完', day_tokens: '今天的词元已用完',
      turn_seconds: '本次任务的时间已用完', session_seconds: '本会话的时间已用完', day_seconds: '今天的时间已用完',
    },
    used: (used, limit) => `已用 ${used}，上限 ${limit}`, tokens: (n) => `${n} 词元`, units: { usd: '美元', tokens: '词元', seconds: '用时' },
    more: '再给一些', allow: (amount) => `再给 ${amount}`, stop: '到此为止',
    problems: { usd: '请填写大于 0 的金额。', tokens: '请填写大于 0 的整数。', seconds: `请填写不少于 1 秒的时间，例如 ${times}。` },
    decided: { allow_once: '已提高预算', allow_session: '已提高预算', allow_always: '已提高预算', deny: '已到此为止', expired: '逾期未答复', cancelled: '答复前已撤回' },
  },

  notice: {
    other: (kind) => `此页面不认识的步骤类型：${kind}`,
    attempt: (n, max) => (max === null ? `第 ${n} 次尝试` : `第 ${n} 次尝试，共 ${max} 次`),
    askingAgain: (seconds, attempt) => `${seconds} 后再次请求（${attempt}）`, askedAgain: (attempt) => `已再次请求（${attempt}）`, notAsked: (attempt) => `在再次请求之前结束（${attempt}）`,
    switched: (from, to, why) => `改用 ${to}，因为 ${from} 失败：${why}`,
    governed: (before, after) => `请求已精简：${before} → ${after} 个词元`, governedPlain: '请求已精简，以适应模型',
    shortened: (times, before, after) => `请求已精简 ${times} 次，最近一次：${before} → ${after} 个词元`, shortenedPlain: (times) => `请求已精简 ${times} 次`,
  },

  actions: {
    label: '消息操作', retry: '重试', fork: '分叉', inspect: '检查', edit: '编辑', copy: '复制', previous: '上一个版本', next: '下一个版本',
    branch: (index, count) => `${index}/${count}`, branchLabel: (index, count) => `第 ${index} 个版本，共 ${count} 个`,
  },

  composer: {
    label: '消息', placeholder: '输入消息', send: '发送', stop: '停止', model: '模型', noModel: '没有模型', demo: '演示',
    editing: '正在编辑之前的消息，发送后会生成新版本。', leaveEdit: '退出编辑',
    queue: '排队', steer: '立即发送', hint: 'Enter 排队，Ctrl Enter 立即发给正在进行的任务',
    tooLong: (over) => `消息超出 ${over} 个字符。`,
    queued: (n) => `排队 ${n}`,
    modelGone: (name, instead) => `“${name}”已不再设置。此会话改用 ${instead}。`, modelGoneNone: (name) => `“${name}”已不再设置。请选择其他模型。`,
  },

  access: {
    label: '权限', modes: { ask: '先询问再行动', workspace: '仅限工作区', full: '完全访问' }, configured: (mode) => (mode ? `按配置（${mode}）` : '按配置'),
    notes: { ask: '凡是写入、运行或离开本机的操作都先询问。', workspace: '工作区内的文件和沙箱中不联网的命令直接运行，其余先询问。', full: '除非规则要求，一概不询问。拒绝规则仍然有效。' },
    chosen: (mode) => `权限现在是：${mode}。此前对本会话的允许已收回。`,
    confirm: '给这个会话完全访问权限？', fullMeans: '之后智能体行动前不再询问你。',
    fullPoints: ['它会按自己的判断修改、删除文件和运行命令，包括按照网页或文档里的内容去做。', '要求询问或拒绝的规则（设置中的“工具与权限”）以及命令沙箱仍然有效。', '只对这个会话有效，随时可以在这里收回。'],
    give: '给予完全访问权限',
  },

  slash: {
    label: '命令', commands: { model: '选择此会话的模型' },
    unknownModel: (name, known) => `没有名为“${name}”的模型。已设置：${known.join('、') || '无'}。`, chosen: (model, provider) => `此会话现在使用 ${model} · ${provider}。`,
  },

  picker: { title: '选择模型', manage: '管理模型' },

  outbox: {
    sending: '正在发送……', waiting: '等待连接', accepted: '已发送', failed: (why) => `未发送：${why}`, noAnswer: '还没有回应',
  },

  home: {
    question: '要做什么？', recent: '最近', example: '看看我的工作区，告诉我里面有什么。',
  },

  setup: {
    title: '选择模型', intro: 'nanobot 需要一个语言模型。可以使用在本机找到的，也可以填写服务商。现在就可以写第一条消息，它会被保留。',
    found: '在本机找到', nothingFound: '本机没有找到模型服务，也没有找到密钥。',
    server: '本地服务', key: (env) => `${env} 中的密钥`, model: '模型', modelHint: '服务商给模型起的名称',
    other: '其他服务商', provider: '服务商', custom: '自定义', kind: '协议', baseUrl: '基础地址', apiKey: 'API 密钥', keyHint: '保存在服务器上，不再显示', keyFrom: (env) => `来自 ${env}`,
    test: '测试', testing: '正在测试……', ok: (ms) => `可用，${ms} 内应答`, failed: (why) => `失败：${why}`,
    save: '保存并开始', saving: '正在保存……',
    demo: '试用演示模型', demoNote: '按脚本离线运行：只演示界面如何工作，不会真正思考。',
    name: '预设名称', makeDefault: '用于新会话', done: '模型已设置好。',
    kinds: { openai: 'Chat Completions', 'openai-responses': 'OpenAI Responses', anthropic: 'Anthropic Messages', demo: '演示' },
    needModel: '请填写模型名称。',
  },

  failure: {
    no_model: '还没有设置模型。你的消息已保留。',
    no_model_because: (why) => `无法使用这个模型：${why}`,
    provider_auth: (who) => `${who} 拒绝了密钥。`,
    provider_rate_limit: (who) => `${who} 要求稍候再试。`,
    provider_quota: (who) => `${who} 表示额度已用完。`,
    provider_unavailable: (who) => `${who} 没有响应。`,
    provider_timeout: (who) => `${who} 应答超时。`,
    provider_bad_response: (who) => `${who} 的应答无法识别。`,
    provider_refused_request: (who) => `${who} 拒绝了请求。`,
    provider_not_found: (who) => `${who} 不认识这个模型或地址。`,
    provider_paused: (who) => `${who} 连续失败，暂时不再请求。`,
    model_refused: '模型拒绝回答。请换一种说法，或选择其他模型。',
    context_length: '这个会话已超出模型的容量。',
    context_length_of: (used, max) => `这个会话已超出模型的容量（${used}，上限 ${max}）。`,
    stream_truncated: '回答在这里中断了。已有的文字已保留。',
    storage: '服务器无法保存结果。',
    internal: '服务器出错了。',
    stopped: '已停止', interrupted: '服务器已重启。到此为止的工作已保留。', loop: '已停止：智能体在重复自己。',
    max_iterations: '已停止：达到单次任务的最大步数。', budget: '已停止：预算已用完。', empty_final_response: '模型结束时没有给出回答。',
    other: '任务提前结束。', provider: '服务商', details: '详情',
    setUp: '设置模型', openProvider: '打开服务商设置', fork: '分叉', retry: '重试', otherModel: '换模型', rephrase: '换种说法',
  },

  meter: {
    label: '上下文用量', tokens: (n) => `${n} 词元`, title: '每次任务的词元', turn: '任务', input: '输入', cached: '缓存', output: '输出', cost: '费用（估计）', context: '上下文', none: '还没有请求。',
    cachedShare: (share) => `输入的 ${share} 来自服务商的缓存`, costSum: (cost) => `共 ${cost}（估计）`,
  },

  code: { copy: '复制', wrap: '换行', plain: '文本', table: '表格', label: (lang) => (lang ? `代码，${lang}` : '代码') },

  search: {
    title: '搜索', placeholder: '搜索会话和消息', sessions: '会话', messages: '消息', recent: '最近的会话',
    none: (q) => `没有找到“${q}”。`, startWith: '用这段文字开始新会话', failed: '搜索失败。', results: (n) => `${n} 条结果`,
  },

  settings: {
    title: '设置', sections: { general: '通用', models: '模型', tools: '工具与权限', usage: '用量', about: '关于' },
    theme: '主题', themeNote: '浅色、深色，或跟随系统。', themes: { system: '跟随系统', light: '浅色', dark: '深色' },
    language: '语言', languageNote: '此页面使用的语言。',
    reasoning: '思考过程', reasoningNote: '如何显示模型的思考。手动展开或收起的部分保持不变。',
    reasonings: { live: '进行时展开', folded: '始终收起', open: '始终展开' },
    sendKey: '发送键', sendKeyNote: '另一个键用于换行。', sendKeys: { enter: 'Enter', ctrl_enter: 'Ctrl Enter' },
    saved: '已保存', failed: '无法载入设置。',
    presets: '模型', presetsNote: '预设是服务商加上它的一个模型。', providers: '服务商', noPresets: '还没有模型。', noProviders: '还没有服务商。',
    default: '默认', makeDefault: '设为默认', addModel: '添加模型', keySet: '已设置密钥', keyFrom: (env) => `密钥来自 ${env}`, noKey: '没有密钥',
    window: (n, assumed) => `${n} 词元${assumed ? '（假定）' : ''}`,
    warnings: '配置文件有问题', version: '版本', boot: '本次运行', mismatches: '重新读取过的文本', licences: '所含程序库的许可证',
    removeProvider: (name) => `移除服务商 ${name}`, removePreset: (name) => `移除模型 ${name}`,
    providerUsed: (models) => `以下模型正在使用它：${models.join('、')}。请先移除这些模型。`,
    removeDefault: '移除默认模型？', removeDefaultNote: (name) => `在你指定另一个默认模型之前，使用“${name}”的会话将没有模型。`,
  },

  models: {
    intro: '服务商有地址和密钥。模型是服务商的一个模型加上它的设置，会话从中选择。',
    kinds: { openai: 'Chat Completions——几乎所有服务器', 'openai-responses': 'OpenAI Responses', anthropic: 'Anthropic Messages' },
    addModel: '新模型', addModelOf: (provider) => `新模型：${provider}`, testOf: (name) => `测试 ${name}`, testModel: '测试这个模型', editProvider: (name) => `编辑服务商 ${name}`,
    viaProxy: (proxy) => `经由 ${proxy}`, removeWithKey: '保存的密钥也会一并移除，无法恢复。',
    list: '列出模型', listing: '正在询问服务商……', listed: (n) => (n === 0 ? '服务商没有列出模型，请直接填写名称。' : `${n} 个模型可选`), listFailed: (why) => `无法列出名称：${why}`,
    proxy: '代理', proxyNone: '无', keyPlaceholder: '密钥，或环境变量 ${NAME}', keyNote: '保存在服务器上，不再显示。', keepKey: '保留原密钥',
    keyRemoved: '保存时移除', replace: '更换', replaceKey: '更换密钥', removeKey: '移除密钥', keyDropped: '保存的密钥和请求头的值属于原来的地址，保存时会被删除。请为新地址重新填写。',
    advanced: '高级：请求头、查询参数、请求体', headers: '额外的请求头', headersNote: '随每个请求发送。值保存后不再显示。', addHeader: '添加请求头',
    query: '额外的查询参数', queryNote: '加到每个请求的地址上。', addQuery: '添加参数', body: '额外的请求体', bodyNote: '合并到每个请求中的 JSON 对象。',
    pairName: '名称', pairValue: '值', valueSet: '值已设置', replaceOf: (name) => `更换 ${name} 的值`, removePair: (name) => `移除 ${name || '此项'}`,
    makeDefaultOf: (name) => `设为默认：${name}`, editPreset: (name) => `编辑 ${name}`, newPreset: '新模型', duplicate: '复制一份', duplicateOf: (name) => `复制一份：${name}`,
    name: '名称', renameNote: (old) => `使用“${old}”的会话将改用默认模型。默认设置和备用顺序会跟随新名称。`,
    window: '上下文窗口（词元）', windowAssumed: '假定为 128000', maxTokens: '最长回答（词元）', maxTokensDefault: '8192', temperature: '温度', effort: '推理强度', providerDefault: '由服务商决定',
    price: '价格（美元／百万词元）', priceInput: '输入', priceCached: '缓存输入', priceCachedDefault: '同输入', priceOutput: '输出',
    fallbacks: '这个模型失败时', fallbacksNote: '请求多次尝试后仍然失败时，会按顺序询问这些模型，由第一个应答的继续任务。对话中会注明；下一条消息仍从这个模型开始。',
    fallbackGone: '已不再设置', fallbackMoved: (name, place, of) => `${name} 现在排第 ${place}，共 ${of} 个`, fallbackRemoved: (name) => `已将 ${name} 移出顺序`,
    moveUp: (name) => `上移 ${name}`, moveDown: (name) => `下移 ${name}`, removeFallback: (name) => `将 ${name} 移出顺序`, addFallback: '接着询问的模型', add: '添加', noFallbacks: '还没有其他模型。',
    thenFallbacks: (names) => `失败时：${names.join(' → ')}`,
    retrying: '请求失败时', retryModes: { standard: ['标准', '最多尝试 4 次，间隔逐渐加长。'], persistent: ['持续', '一直尝试，直到成功或你按下“停止”。'] },
    problems: {
      required: '请填写。', taken: '已有同名的一项。', long: '最多 64 个字符。', whole: '请填写不小于 1 的整数。', zero_to_two: '请填写 0 到 2 之间的数。',
      zero_or_more: '请填写不小于 0 的数。', both_prices: '价格需要同时填写输入和输出。', url: '请填写完整的地址，例如 https://example.com/v1。', header_name: '请求头名称由字母、数字和连字符组成。',
      pair_name: '每一项都需要名称。', twice: '名称重复。', json: '不是有效的 JSON。', json_object: '需要一个 JSON 对象：{ … }。', json_null: 'null 无法保存，请去掉这个键。',
    },
  },

  toolSettings: {
    access: '默认权限', accessNote: '没有规则适用时，智能体可以不经询问做到哪一步。会话可以有自己的权限，在输入框下方选择。',
    confirmFull: '默认给予完全访问权限？', fullMeans: '之后所有未单独设置的会话行动前都不再询问你。', makeFull: '设为默认完全访问',
    rules: '规则', rulesNote: '每次调用工具时，由第一条符合的规则决定；没有符合的，则由权限决定。命令串中的每一段分别判断。在对话中选择“始终允许”会在这里添加规则。',
    noRules: '还没有规则，一切由权限决定。', addRule: '添加规则', editRule: (n) => `编辑规则 ${n}`, removeRule: (n) => `移除规则 ${n}`, moveUp: (n) => `上移规则 ${n}`, moveDown: (n) => `下移规则 ${n}`,
    ruleMoved: (n, of) => `现在是第 ${n} 条规则，共 ${of} 条`, ruleRemoved: '规则已移除', shadowed: (n) => `不会生效：规则 ${n} 已先符合。`, anything: '任何内容',
    tool: '工具', toolNote: '名称，例如 exec；或模式，例如 mcp_*', match: '调用内容', matchNote: '命令、路径或地址；* 代表任意文字', decision: '决定', verdicts: { allow: '允许', ask: '询问', deny: '拒绝' },
    budgets: '预算', budgetsNote: `任务用量的上限。达到上限时，任务会停下来向你请求更多。留空表示没有上限。没有价格的模型只计词元和用时。用时只计模型和工具花费的时间，不计等你答复的时间；写作 ${times}，也可以用秒、分钟、小时。`, noLimit: '没有上限',
    limits: {
      turn_usd: '单次任务（美元）', session_usd: '单个会话（美元）', day_usd: '每天（美元）', turn_tokens: '单次任务（词元）', session_tokens: '单个会话（词元）', day_tokens: '每天（词元）',
      turn_seconds: '单次任务（用时）', session_seconds: '单个会话（用时）', day_seconds: '每天（用时）',
    },
    hooks: '钩子', hooksNote: ['参与任务的程序。它们在服务器主文件夹的 ', ' 中设置，不能在浏览器中修改。'], noHooks: '没有设置钩子。',
    timeout: (ms) => `最多 ${ms / 1000} 秒`, reraise: '失败时结束任务',
  },

  usage: {
    period: '时段', periods: { '7': '7 天', '30': '30 天', '90': '90 天', month: '本月' }, by: '分组', bys: { day: '日期', session: '会话', preset: '模型' },
    range: (since, until, timezone) => `${since} – ${until}（${timezone}）`, loading: '正在载入用量', failed: '无法载入用量。', empty: '这段时间没有使用过模型。',
    requests: '请求', failedRequests: (n) => `${n} 个失败`, failedColumn: '失败', shareColumn: '缓存比例', input: '输入', cached: '缓存输入', fresh: '新输入', output: '输出', cost: '费用（估计）', total: '合计',
    cachedShare: (share) => `${share} 来自缓存`, estimated: (n) => `${n} 个请求的词元为估计值`, unpriced: (n) => `${n} 个请求没有价格`, noPrice: '没有价格',
    perDay: '每天的词元', bar: (day, fresh, cached, output) => `${day}：新输入 ${fresh}，缓存 ${cached}，输出 ${output}`,
    chartLabel: (days, most, tokens) => `${days} 天内每天的词元；最多的是 ${most}，共 ${tokens}。全部数字见表格。`,
    csv: '下载 CSV', deleted: '已删除的会话',
  },

  inspect: {
    title: '任务检查器', loading: '正在载入任务', failed: '无法载入这个任务。', missing: '这个任务已不存在。', refresh: '刷新', export: '导出', exportNote: '把这里的全部内容导出为一个 JSON 文件，密钥已隐去。',
    requests: '请求', noRequests: '没有发出请求。', calls: '工具调用', notOk: (n) => (n > 0 ? `${n} 次未成功` : ''), time: '用时', noTime: '没有运行任何操作。', split: (model, tools) => `模型 ${model}，工具 ${tools}`,
    number: '请求', numberOf: (iteration, attempt) => (attempt > 1 ? `${iteration} · 第 ${attempt} 次` : String(iteration)), requestName: (iteration, attempt) => `请求 ${iteration}，第 ${attempt} 次尝试`,
    model: '模型', outcome: '结果', cost: '费用', first: '首次输出', duration: '用时', estimated: '估计值', outcomes: { complete: '完整', length: '达到上限被截断', empty: '空', paused: '暂停', truncated: '中断', cancelled: '已停止' },
    governance: '精简过程', budget: (estimated, budget, window, messages) => `${messages} 条消息，约 ${estimated} 词元，预算 ${budget}，窗口 ${window}`, hash: '哈希', nothingCut: '无需精简。', less: (n) => `−${n}`, more: (n) => `+${n}`,
    inexact: '无法逐字节还原这个请求。', sent: '发送的内容', system: '系统提示', tools: '工具', messages: '消息', earlier: (n) => `显示更早的 ${n} 条消息`, chars: (n) => `${n} 个字符`, parameters: (tool) => `${tool} 的参数`, empty: '空', showAll: (n) => `显示全部 ${n} 个字符`,
    roles: { system: '系统', user: '用户', assistant: '助手', tool: '工具' }, blocks: { text: '文字', thinking: '思考', call: '调用', result: '结果', image: '图片', document: '文档', provider_item: '服务商条目', pause: '暂停' },
    difference: '与前一个请求相比', firstRequest: '之前没有请求。', added: '新增', removed: '移除', systemChanged: '系统提示变了', toolsChanged: '工具变了', messagesRemoved: (n) => `移除了 ${n} 条消息`,
    startSame: (n) => `开头保持不变：系统提示、工具和 ${n} 条消息。服务商可以使用缓存。`, startChanged: (n, what) => `开头不同：${what.join('，')}。开头有 ${n} 条消息相同。`,
    byModel: '模型', byTools: '工具', ok: '成功', round: (n) => `请求 ${n}`, outputChars: (n) => `输出 ${n} 个字符`, hooks: '失败的钩子', hookError: (hook) => `${hook} 的错误`,
  },

  keys: {
    title: '键盘快捷键',
    list: [
      ['Ctrl K', '搜索'], ['Alt N', '新会话'], ['Ctrl B', '显示或隐藏侧栏'], ['Ctrl .', '停止任务'], ['Esc Esc', '停止任务'],
      ['Enter', '发送；任务进行中则排队'], ['Shift Enter', '换行'], ['Ctrl Enter', '发给正在进行的任务'], ['↑', '输入框为空时：编辑上一条消息'],
      ['Alt ↑ / Alt ↓', '你的上一条或下一条消息'], ['Alt Enter', '允许一次屏幕上询问的操作'], ['Alt Backspace', '拒绝它'], ['End', '到最新一步'], ['F6', '页面的下一个区域'], ['/', '在消息开头：命令'], ['?', '这份列表'],
    ],
  },

  live: { thinking: '正在思考', tool: (verb) => verb, ready: (words) => `回答已就绪，${words} 个词`, stopped: '已停止', failed: (what) => `失败：${what}`, approval: (title, what) => `等你批准。${title} ${what}`, elsewhere: (title) => `“${title}”等你批准` },

  boundary: '这一部分无法显示。',
  notFound: '这个地址没有页面。',
};
