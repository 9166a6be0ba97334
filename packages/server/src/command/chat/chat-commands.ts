import type { Approval } from '@svc/contract/approvals';
import type { SendMessage } from '@svc/contract/chat';
import { visibleText } from '@svc/contract/visible-text';
import type { ApiClient } from './api-client.ts';
import { grantText } from './approval-text.ts';
import { diffsIn } from './call-view.ts';
import type { FoundBot } from './find-bot.ts';
import type { Terminal } from './terminal.ts';
import type { ResumedTurn } from './turn-events.ts';

export const help = `/new            start a new conversation
/undo           take back the last message, its reply and the changes of files that came of it
/diff           show all changes of files in this conversation
/plan           let the bot only read until you approve its plan; /plan off ends that
/approve        answer what waits for approval in this conversation
/allowed        list what was allowed in this conversation; /allowed revoke 1 takes the first back
/model          show the bot's model; /model provider/name changes it, for everybody who uses the bot
/help           show this
/exit           leave (so do Ctrl-D, and Ctrl-C while nothing runs)
//…             send a message that begins with a slash
Arrow up shows what you typed before. Ctrl-C while a reply runs stops the reply; while a call waits for your approval it leaves it waiting.`;

export interface Commanding {
  client: ApiClient;
  terminal: Pick<Terminal, 'say' | 'sayLines'>;
  bot: FoundBot;
  conversationId: string | undefined;
}

/** What the chat does after a command: nothing more, ask about approvals, or send the next message with this. */
export type CommandOutcome =
  | { kind: 'done' }
  | { kind: 'failed' }
  | { kind: 'answer'; turn: ResumedTurn & { pending: Approval[] } }
  | { kind: 'mode'; mode: NonNullable<SendMessage['code_mode']> };

const done: CommandOutcome = { kind: 'done' };

const names = new Set(['/undo', '/diff', '/plan', '/approve', '/allowed', '/model']);

/** A single word with a slash is meant as a command even if it is none; `/etc/hosts is empty` is a message. */
export function isCommand(text: string): boolean {
  return /^\/\w+$/.test(text) || names.has(text.split(/\s/, 1)[0] ?? '');
}

/** Carries out a command of the chat. Undefined if there is no such command. */
export function runCommand(line: string, commanding: Commanding): Promise<CommandOutcome> | undefined {
  const [name = '', ...words] = line.trim().split(/\s+/);
  switch (name) {
    case '/undo':
      return words.length === 0 ? undo(commanding) : undefined;
    case '/diff':
      return words.length === 0 ? showDiff(commanding) : undefined;
    case '/plan':
      return plan(words, commanding);
    case '/approve':
      return words.length === 0 ? approve(commanding) : undefined;
    case '/allowed':
      return allowed(words, commanding);
    case '/model':
      return words.length <= 1 ? model(words[0], commanding) : undefined;
    default:
      return undefined;
  }
}

/** Says that there is nothing yet; undefined too. */
function needConversation({ conversationId, terminal }: Commanding): string | undefined {
  if (!conversationId) terminal.say('There is no conversation yet: send a message first.');
  return conversationId;
}

async function undo(commanding: Commanding): Promise<CommandOutcome> {
  const id = needConversation(commanding);
  if (!id) return { kind: 'failed' };
  const { client, terminal } = commanding;
  const { messages } = await client.getConversation(id);
  const last = messages.findLastIndex(({ role }) => role === 'user');
  // The first message of a conversation cannot be removed, only what came of it.
  const kept = messages[last - 1] ?? messages[last];
  if (last === -1 || !kept) {
    terminal.say('There is nothing to undo.');
    return done;
  }
  const truncated = await client.truncate(id, kept.id);
  terminal.say(
    `Undone: ${truncated.removed_messages} ${truncated.removed_messages === 1 ? 'message' : 'messages'} removed.`,
  );
  for (const { path, status, reason } of truncated.reverted_files ?? [])
    terminal.say(
      `  ${visibleText(path)}: ${status.replace('_', ' ')}${reason ? ` (${visibleText(reason)})` : ''}`,
    );
  const left = truncated.executed_tool_calls.map((call) => call.name);
  if (left.length > 0) terminal.say(`Not undone: ${[...new Set(left)].join(', ')}.`);
  return done;
}

async function showDiff(commanding: Commanding): Promise<CommandOutcome> {
  const id = needConversation(commanding);
  if (!id) return { kind: 'failed' };
  const { client, terminal } = commanding;
  const events = await client.listEvents(id);
  const lines = events.flatMap((event) =>
    event.event === 'tool.completed' ? diffsIn(event.data.result) : [],
  );
  if (lines.length === 0) terminal.say('No files were changed in this conversation.');
  else terminal.sayLines(lines);
  return done;
}

function plan(words: readonly string[], { terminal }: Commanding): Promise<CommandOutcome> | undefined {
  const [word = 'on', ...more] = words;
  if (more.length > 0 || (word !== 'on' && word !== 'off')) return undefined;
  terminal.say(
    word === 'on'
      ? 'From the next message on the bot can only read, until you approve its plan. /plan off ends that.'
      : 'From the next message on the bot can work again, as far as it is allowed.',
  );
  return Promise.resolve({ kind: 'mode', mode: word === 'on' ? 'plan' : 'work' });
}

async function approve(commanding: Commanding): Promise<CommandOutcome> {
  const id = needConversation(commanding);
  if (!id) return { kind: 'failed' };
  const pending = await commanding.client.listPending(id);
  if (pending.length === 0) {
    commanding.terminal.say('Nothing waits for approval in this conversation.');
    return done;
  }
  const events = await commanding.client.listEvents(id);
  return { kind: 'answer', turn: { conversationId: id, lastId: events.at(-1)?.id ?? 0, pending } };
}

function allowed(words: readonly string[], commanding: Commanding): Promise<CommandOutcome> | undefined {
  const [verb, number, ...more] = words;
  if (verb === undefined) return listAllowed(commanding);
  if (verb !== 'revoke' || more.length > 0 || !/^\d+$/.test(number ?? '')) return undefined;
  return revokeAllowed(commanding, Number(number));
}

async function listAllowed(commanding: Commanding): Promise<CommandOutcome> {
  const id = needConversation(commanding);
  if (!id) return { kind: 'failed' };
  const grants = await commanding.client.listGrants(id);
  commanding.terminal.say(
    `${grants.length === 0 ? 'Nothing was' : 'This was'} allowed without asking in this conversation. The console lists what was allowed in others, under Approvals: on the same machine that counts here too.`,
  );
  for (const [index, grant] of grants.entries()) {
    const where =
      grant.scope === 'machine' ? `on ${visibleText(grant.machine_name)}` : 'in this conversation';
    commanding.terminal.say(`${index + 1}. ${grantText(grant)}, ${where}`);
  }
  return done;
}

async function revokeAllowed(commanding: Commanding, number: number): Promise<CommandOutcome> {
  const id = needConversation(commanding);
  if (!id) return { kind: 'failed' };
  const grant = (await commanding.client.listGrants(id))[number - 1];
  if (!grant) {
    commanding.terminal.say(`There is no number ${number}: /allowed lists them.`);
    return { kind: 'failed' };
  }
  await commanding.client.revokeGrant(grant.id);
  commanding.terminal.say(`Revoked: ${grantText(grant)}. It is asked about again.`);
  return done;
}

async function model(
  wanted: string | undefined,
  { client, terminal, bot }: Commanding,
): Promise<CommandOutcome> {
  if (wanted !== undefined) await client.changeModel(bot.id, wanted);
  const { settings } = await client.getBot(bot.id);
  const { model: current } = JSON.parse(settings) as { model?: string };
  terminal.say(
    `${visibleText(bot.name)} ${wanted === undefined ? 'uses' : 'now uses'} ${current ?? 'the default model of the service'}.`,
  );
  return done;
}
