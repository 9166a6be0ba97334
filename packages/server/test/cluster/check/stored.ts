import type { ReadEvent } from '../../support/faults/reader.ts';
import type { Stage } from '../stage/stage.ts';

export interface StoredConversation {
  id: string;
  status: string;
  lastSequence: number;
  messageCount: number;
  messages: StoredMessage[];
  events: (ReadEvent & { id: number; turnId: string | null })[];
}

export interface StoredMessage {
  id: string;
  role: string;
  content: string;
  turn_id: string | null;
  interrupted: boolean;
  failed: boolean;
}

export interface StoredTurn {
  id: string;
  conversation_id: string;
  status: string;
  reserved_usd: string;
}

export interface StoredCall {
  id: string;
  turn_id: string;
  conversation_id: string;
  ref: string;
  status: string;
  needs_approval: boolean;
}

export interface StoredApproval {
  id: string;
  status: string;
  turn_id: string;
  tool_call_id: string;
  note: string | null;
}

export interface StoredRun {
  turn_id: string;
  conversation_id: string;
  payload: string | null;
  status: string;
}

/** Everything that the database holds when the cluster is at rest. */
export interface Stored {
  conversations: Map<string, StoredConversation>;
  turns: Map<string, StoredTurn>;
  calls: StoredCall[];
  approvals: Map<string, StoredApproval>;
  runs: StoredRun[];
}

interface EventRow {
  conversation_id: string;
  sequence: string;
  turn_id: string | null;
  type: string;
  data: unknown;
}

export async function readStored({ postgres }: Pick<Stage, 'postgres'>): Promise<Stored> {
  const conversations = new Map<string, StoredConversation>();
  const rows = await postgres.query<{
    id: string;
    status: string;
    last_sequence: string;
    message_count: number;
  }>('select id, status, last_sequence, message_count from conversations');
  for (const { id, status, last_sequence, message_count } of rows) {
    conversations.set(id, {
      id,
      status,
      lastSequence: Number(last_sequence),
      messageCount: message_count,
      messages: [],
      events: [],
    });
  }
  const messages = await postgres.query<StoredMessage & { conversation_id: string }>(
    'select id, conversation_id, role, content, turn_id, interrupted, failed from messages order by sequence, id',
  );
  for (const message of messages) conversations.get(message.conversation_id)?.messages.push(message);
  const events = await postgres.query<EventRow>(
    'select conversation_id, sequence, turn_id, type, data from events order by sequence',
  );
  for (const { conversation_id: id, sequence, turn_id: turnId, type, data } of events) {
    conversations.get(id)?.events.push({ id: Number(sequence), event: type, data, turnId });
  }
  const turns = await postgres.query<StoredTurn>(
    'select id, conversation_id, status, reserved_usd from turns',
  );
  const calls = await postgres.query<StoredCall>(
    `select id, turn_id, conversation_id, arguments->>'ref' as ref, status, needs_approval from tool_calls`,
  );
  const approvals = await postgres.query<StoredApproval>(
    `select id, status, turn_id, tool_call_id, edited_arguments->>'note' as note from approvals`,
  );
  const runs = await postgres.query<StoredRun>('select turn_id, conversation_id, payload, status from runs');
  return {
    conversations,
    turns: new Map(turns.map((turn) => [turn.id, turn])),
    calls,
    approvals: new Map(approvals.map((approval) => [approval.id, approval])),
    runs,
  };
}
