/** What the addresses of a seeded workspace need. */
export interface SeededIds {
  bot: string;
  agent: string;
  conversation: string;
  closed: string;
  taken: string;
  visitor: string;
  approval: string;
  knowledge: string;
  tool: string;
  scenario: string;
  evaluation: string;
  call: string;
}

/** Every page of the console, by the name of its picture. */
export function galleryPages(ids: SeededIds): Record<string, string> {
  const editor = `/bots/${ids.bot}`;
  return {
    overview: '/',
    approvals: '/approvals',
    approval: `/approvals/${ids.approval}`,
    'approvals-resolved': '/approvals?status=resolved',
    conversations: '/conversations',
    'conversations-handoff': '/conversations?handoff=1',
    conversation: `/conversations/${ids.conversation}`,
    'conversation-taken': `/conversations/${ids.taken}`,
    'conversation-branched': `/conversations/${ids.closed}`,
    'conversations-mine': '/conversations?assignee=me&inbox=open',
    'conversation-trace': `/conversations/${ids.conversation}?panel=trace`,
    'conversation-info': `/conversations/${ids.conversation}?panel=info`,
    'conversation-visitor': `/conversations/${ids.visitor}?panel=info`,
    runs: '/runs',
    'runs-now': `/runs?run=${ids.agent}`,
    'runs-slots': `/runs?slots=${ids.agent}`,
    'runs-calendar': '/runs/calendar',
    bots: '/bots',
    'bots-new': '/bots/new',
    'bot-prompt': `${editor}/prompt`,
    'bot-prompt-test': `${editor}/prompt?test=1`,
    'bot-model': `${editor}/model`,
    'bot-tools': `${editor}/tools`,
    'bot-knowledge': `${editor}/knowledge`,
    'bot-voice': `${editor}/voice`,
    'bot-schedule': `/bots/${ids.agent}/schedule`,
    'bot-quality': `${editor}/quality`,
    'bot-versions': `${editor}/versions`,
    'bot-versions-compare': `${editor}/versions?compare=1..2`,
    'bot-evaluations': `${editor}/evaluations`,
    'bot-scenario': `${editor}/evaluations?scenario=new&conversation=${ids.conversation}`,
    'bot-case': `${editor}/evaluations?evaluation=${ids.evaluation}&scenario=${ids.scenario}`,
    knowledge: '/knowledge',
    'knowledge-trash': '/knowledge?deleted=1',
    'knowledge-source': `/knowledge/${ids.knowledge}`,
    'knowledge-search': '/knowledge/search?q=headphones',
    tools: '/tools',
    'tools-new': '/tools/new?type=http_request',
    'tools-import': '/tools/import',
    tool: `/tools/${ids.tool}?test=1`,
    machines: '/machines',
    widgets: '/widgets',
    widget: `/widgets/${ids.bot}`,
    'voice-calls': '/voice/calls',
    'voice-call-me': '/voice/calls?call=new',
    'voice-call': `/conversations/${ids.call}`,
    'voice-numbers': '/voice/numbers',
    'voice-catalog': '/voice/catalog',
    quality: '/quality',
    usage: '/usage',
    'settings-workspace': '/settings/workspace',
    'settings-members': '/settings/members',
    'settings-keys': '/settings/keys',
    'settings-webhooks': '/settings/webhooks',
    'settings-replies': '/settings/replies',
    'settings-data': '/settings/data',
    'settings-audit': '/settings/audit',
    'settings-system': '/settings/system',
    'settings-profile': '/settings/profile',
  };
}
