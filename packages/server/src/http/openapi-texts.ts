/** The introduction of the reference. */
export const apiDescription = `svc hosts conversational and autonomous AI agents for a workspace. Paste an account key under
_Authentication_ to try any operation on this page. The [guides](/docs) explain how they work together.

**Keys.** Send an account key as \`Authorization: Bearer svc_sk_…\`. Each operation names the ability that the key needs. An id of
another workspace is answered like one that does not exist.

**Errors.** Every error has the same fields: \`success\` (always false), \`code\` for programs, \`message\` for people, \`details\`
where they help, and \`request_id\`, which is also in the header \`X-Request-Id\`. Unknown fields are refused.

**Repeats.** Where an operation takes \`Idempotency-Key\`, a repeat of the same request gets the first answer instead of acting
twice.

**Streams.** Replies arrive as [server-sent events](/docs/guides/streaming); a lost connection resumes with \`Last-Event-ID\`.`;

/** In the order of the reference. */
export const apiTags = [
  { name: 'Chat', description: 'Send messages, follow replies as they are written, and stop them.' },
  {
    name: 'Conversations',
    description:
      'Messages, their authors, and what happened in between, for chats, agent runs and calls alike.',
  },
  {
    name: 'End users',
    description:
      'Tokens with which the pages of an integration talk to bots on behalf of one person, and the erasure of a person.',
  },
  {
    name: 'Bots',
    description: 'Prompt, model and behavior of what answers. Each change is kept as a version.',
  },
  {
    name: 'Agents',
    description:
      'Bots that pursue a goal on their own, when triggered or on a [schedule](/docs/guides/schedules).',
  },
  {
    name: 'Tools',
    description: 'Configured actions that bots may take. See [tools and approvals](/docs/guides/tools).',
  },
  { name: 'Approvals', description: 'Calls that wait for the approval of a person.' },
  {
    name: 'Knowledge',
    description: 'Texts, pages and files that bots answer from. See the [guide](/docs/guides/knowledge).',
  },
  {
    name: 'Machines',
    description: 'Computers that people have paired, so that bots with a coding tool can work on them.',
  },
  {
    name: 'Widgets',
    description:
      'A chat with a bot on any website: its keys, its look, and what its pages request. See the [guide](/docs/guides/widgets).',
  },
  { name: 'Voice', description: 'Phone numbers, the bots that answer them, and voices.' },
  { name: 'Calls', description: 'Calls that bots make.' },
  { name: 'Post-call hooks', description: 'Tools that run after each call of a bot.' },
  {
    name: 'Evaluations',
    description:
      'Scenarios that a bot has to pass. See [versions and evaluations](/docs/guides/evaluations).',
  },
  { name: 'Workspace', description: 'What was used, what it cost, and what is left.' },
  {
    name: 'Console',
    description:
      'What only the web console uses. Integrations work with account keys and the operations above.',
  },
  { name: 'Service', description: 'Health, and this document.' },
];
