interface Document {
  paths?: Record<string, Record<string, { parameters?: Parameter[] }>>;
}

interface Parameter {
  in: string;
  name: string;
  description?: string;
}

/** What an id belongs to, by the path segment before it. */
const owners: Record<string, string> = {
  agents: 'the agent',
  attachments: 'the file',
  bots: 'the bot',
  calls: 'the call',
  'canned-replies': 'the canned reply',
  'conversation-views': 'the view',
  conversations: 'the conversation',
  'end-users': 'the end user, as the integration names it',
  evaluations: 'the evaluation',
  hitl: 'the approval',
  invitations: 'the invitation',
  jobs: 'the job',
  keys: 'the key',
  'legal-holds': 'the hold',
  knowledge: 'the source',
  machines: 'the machine',
  members: 'the member',
  messages: 'the message',
  numbers: 'the phone number',
  'post-call-hooks': 'the hook',
  scenarios: 'the scenario',
  tools: 'the tool',
};

const inQuery: Record<string, string> = {
  bot_id: 'The id of the bot.',
  conversation_id: 'The id of the conversation.',
  external_user_id: "The integration's own id of its end user.",
  limit: 'The most entries on a page.',
};

/** Describes parameters that mean the same everywhere, so that routes need not repeat it. */
export function withParameterTexts<Given extends object>(document: Given): Given {
  for (const [path, methods] of Object.entries((document as Document).paths ?? {})) {
    for (const { parameters = [] } of Object.values(methods)) {
      for (const parameter of parameters) {
        const text = textFor(path, parameter);
        if (text) parameter.description ??= text;
      }
    }
  }
  return document;
}

function textFor(path: string, { in: place, name }: Parameter): string | undefined {
  if (place === 'query') return inQuery[name];
  const segments = path.split('/');
  const owner = owners[segments[segments.indexOf(`{${name}}`) - 1] ?? ''];
  return owner && `The id of ${owner}.`;
}
