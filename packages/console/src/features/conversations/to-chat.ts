import type { CallTurn } from '@svc/contract/calls';
import { withoutChangedArguments } from '@svc/contract/changed-result';
import type { ConsoleCall, ConsoleMessage, ConsoleTurn } from '@svc/contract/console-conversation';
import type { ConversationNote } from '@svc/contract/conversations';
import type { ConversationState } from '../../api/conversations.ts';
import type { ChatCall, ChatMessage } from '../chat/chat-types.ts';

/** One thing that is shown in the log of a conversation. */
export type ChatEntry =
  | { kind: 'message'; id: string; message: ChatMessage; source: ConsoleMessage | null }
  /** How a turn ended, if it did not just complete. */
  | { kind: 'ending'; id: string; turn: ConsoleTurn; messageId: string }
  /** How long the answer to a caller took. */
  | { kind: 'latency'; id: string; turn: CallTurn }
  /** What the team did or wrote, which the user does not see. */
  | { kind: 'note'; id: string; note: ConversationNote }
  /** The bot is at work, and nothing shows it yet. */
  | { kind: 'working'; id: string };

/** What a conversation shows, in order. */
export function toChat(state: ConversationState): ChatEntry[] {
  return [...storedEntries(state), ...unfinishedEntries(state)];
}

type Stored = Pick<ConversationState, 'conversation' | 'results' | 'progress'>;

/** What stays while a reply is being written. Results of tools are part of their calls. */
export function storedEntries(state: Stored): ChatEntry[] {
  const { conversation } = state;
  const results = new Map(
    conversation.messages.flatMap(({ tool_call_id: id, content }) => (id === null ? [] : [[id, content]])),
  );
  const calls = new Map(conversation.calls.map((call) => [call.id, call]));
  const waiting = new Set(
    conversation.approvals.flatMap(({ status, tool_call_id: id }) => (status === 'pending' ? id : [])),
  );
  const turns = new Map(conversation.turns.map((turn) => [turn.id, turn]));
  const spokenTurns = new Map(conversation.call?.turns.map((turn) => [turn.turn_id, turn]));
  // A caller's message is emptied when it was a wrong guess of the recognizer: what was really said follows.
  const guesses = new Set(
    conversation.messages.flatMap(({ role, content, turn_id: id }) =>
      role === 'user' && content === '' ? id : [],
    ),
  );
  const shown = conversation.messages.filter(
    ({ role, turn_id: id }) => role !== 'tool' && !(id !== null && guesses.has(id)),
  );
  const lastOfTurn = new Map(shown.map(({ turn_id: id }, index) => [id, index]));
  const entries = shown.flatMap((source, index): ChatEntry[] => {
    const message = toChatMessage(
      source,
      (id, isEdited) => ({
        call: calls.get(id),
        isWaiting: waiting.has(id),
        result: resultOf(state, results, id, isEdited),
      }),
      state,
    );
    const entry: ChatEntry = { kind: 'message', id: source.id, message, source };
    const turn = lastOfTurn.get(source.turn_id) === index ? turns.get(source.turn_id ?? '') : undefined;
    const spoken = spokenTurns.get(source.turn_id ?? '');
    // The reply itself says that the caller interrupted it.
    const isCut = turn?.status === 'interrupted' && spoken?.interrupted;
    const isOdd = turn?.status === 'failed' || (turn?.status === 'interrupted' && !isCut);
    return [
      entry,
      ...(spoken && source.role === 'user'
        ? [{ kind: 'latency' as const, id: `${spoken.turn_id}-latency`, turn: spoken }]
        : []),
      ...(turn && isOdd
        ? [{ kind: 'ending' as const, id: `${turn.id}-end`, turn, messageId: source.id }]
        : []),
    ];
  });
  return withNotes(entries, conversation.notes);
}

/** Each note before the first message that is younger. */
function withNotes(entries: ChatEntry[], notes: readonly ConversationNote[]): ChatEntry[] {
  const merged = [...entries];
  for (const note of notes) {
    const next = merged.findIndex(
      (entry) => entry.kind === 'message' && entry.message.createdAt > note.created_at,
    );
    merged.splice(next === -1 ? merged.length : next, 0, { kind: 'note', id: note.id, note });
  }
  return merged;
}

/** What the bot is doing. Text that arrives after its turn has ended is not shown: nothing would finish it. */
export function unfinishedEntries({
  conversation,
  preview,
}: Pick<ConversationState, 'conversation' | 'preview'>): ChatEntry[] {
  const isAnswering = conversation.call
    ? conversation.turns.at(-1)?.status === 'running'
    : conversation.status === 'running';
  if (!isAnswering) return [];
  if (preview) {
    const message = previewMessage(preview);
    return [{ kind: 'message', id: preview.messageId, message, source: null }];
  }
  return conversation.calls.some(isRunning) ? [] : [{ kind: 'working', id: 'working' }];
}

const isRunning = ({ status }: ConsoleCall) => status === 'started';

function resultOf({ results }: Stored, stored: Map<string, string>, id: string, isEdited: boolean): unknown {
  if (Object.hasOwn(results, id)) return results[id];
  const text = stored.get(id);
  return text === undefined ? undefined : parsed(isEdited ? withoutChangedArguments(text) : text);
}

/** Results are stored as the model was sent them: JSON or a text. */
function parsed(text: string): unknown {
  if (!/^[[{"]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Messages without calls never change, so the same ones are shown again: a long conversation is not drawn again each time. */
const shownBefore = new WeakMap<ConsoleMessage, ChatMessage>();

function toChatMessage(
  source: ConsoleMessage,
  find: (
    callId: string,
    isEdited: boolean,
  ) => { call: ConsoleCall | undefined; isWaiting: boolean; result: unknown },
  { progress }: Stored,
): ChatMessage {
  const known = shownBefore.get(source);
  if (known) return known;
  const message: ChatMessage = {
    id: source.id,
    role: source.role === 'tool' ? 'assistant' : source.role,
    text: isOfFilesAlone(source) ? '' : source.content,
    isStreaming: false,
    isInterrupted: source.interrupted,
    authorName: source.author_name,
    citations: source.citations,
    attachments: source.attachments ?? [],
    createdAt: source.created_at,
    withheld: source.withheld,
    calls: source.tool_calls.map(({ id, name, arguments: input, executed_arguments: ran }): ChatCall => {
      const edited = ran && JSON.stringify(ran) !== JSON.stringify(input) ? ran : null;
      const { call, isWaiting, result } = find(id, edited !== null);
      return {
        id,
        name,
        status: isWaiting ? 'waiting' : (call?.status ?? 'proposed'),
        input,
        edited,
        output: result,
        durationMs: call?.duration_ms ?? null,
        progress: call?.status === 'started' ? (progress[id] ?? null) : null,
      };
    }),
  };
  if (message.calls.length === 0) shownBefore.set(source, message);
  return message;
}

/** The widget sends the names of files as the text of a message that has none. The files are shown with their names anyway. */
function isOfFilesAlone({ content, attachments = [] }: ConsoleMessage): boolean {
  return content === attachments.map(({ name }) => name).join(', ');
}

function previewMessage({ messageId, text }: { messageId: string; text: string }): ChatMessage {
  return {
    id: messageId,
    role: 'assistant',
    text,
    isStreaming: true,
    isInterrupted: false,
    authorName: null,
    citations: [],
    attachments: [],
    calls: [],
    createdAt: '',
    withheld: null,
  };
}
