import { type Static, Type } from 'typebox';
import type { Approval } from './approvals.ts';
import { Metadata, Strict, Uuid } from './common.ts';
import {
  ConversationIdQuery,
  type ConversationMessage,
  longestMessage,
  type NeedsHuman,
  type Usage,
} from './conversations.ts';
import type { ErrorCode } from './errors.ts';

export const SendMessage = Strict(
  {
    bot_id: Type.Optional(
      Type.String({ format: 'uuid', description: 'May be left out when conversation_id is given.' }),
    ),
    message: Type.String({ minLength: 1, maxLength: longestMessage }),
    external_user_id: Type.String({
      minLength: 1,
      maxLength: 200,
      description: "Whose conversation it is: the integration's own id of its end user.",
    }),
    new_conversation: Type.Optional(Type.Boolean({ description: 'Start afresh.' })),
    conversation_id: Type.Optional(Type.String({ format: 'uuid', description: 'Continue this one.' })),
    code_machine_id: Type.Optional(
      Type.String({ format: 'uuid', description: 'A paired machine for file and shell work.' }),
    ),
    code_workdir: Type.Optional(
      Type.String({ minLength: 1, maxLength: 4096, description: 'The project directory on that machine.' }),
    ),
    metadata: Type.Optional(Metadata),
  },
  {
    examples: [
      {
        bot_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e90',
        message: 'Where is my parcel?',
        external_user_id: 'customer-17',
      },
    ],
  },
);
export type SendMessage = Static<typeof SendMessage>;

export const StreamQuery = Strict({
  ...ConversationIdQuery,
  after: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Send what came after this event id; like Last-Event-ID.' }),
  ),
});

export const EventsQuery = Strict({
  ...ConversationIdQuery,
  after: Type.Optional(Type.Integer({ minimum: 0, description: 'Only events after this id.' })),
});

export const StatsQuery = Strict(ConversationIdQuery);

export const StopTurn = Strict(
  { conversation_id: Uuid },
  { examples: [{ conversation_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e93' }] },
);
export const Stopped = Type.Object(
  { stopped: Type.Boolean({ description: 'Whether a running or paused turn was interrupted.' }) },
  { examples: [{ stopped: true }] },
);

export type Stopped = Static<typeof Stopped>;

export const LoggedEvent = Type.Object(
  {
    id: Type.Integer(),
    event: Type.String(),
    data: Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
    created_at: Type.String({ format: 'date-time' }),
  },
  { $id: 'Event' },
);
export type LoggedEvent = Static<typeof LoggedEvent>;

export const ChatStats = Type.Object(
  {
    conversation_id: Uuid,
    turns: Type.Integer(),
    messages: Type.Integer(),
    tool_calls: Type.Integer(),
    input_tokens: Type.Integer(),
    cached_input_tokens: Type.Integer(),
    output_tokens: Type.Integer(),
    total_tokens: Type.Integer(),
    cost_usd: Type.String(),
    by_model: Type.Array(
      Type.Object({
        model: Type.String(),
        input_tokens: Type.Integer(),
        output_tokens: Type.Integer(),
        cost_usd: Type.String(),
      }),
    ),
  },
  {
    $id: 'ChatStats',
    examples: [
      {
        conversation_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e93',
        turns: 1,
        messages: 2,
        tool_calls: 0,
        input_tokens: 120,
        cached_input_tokens: 0,
        output_tokens: 40,
        total_tokens: 160,
        cost_usd: '0.00011',
        by_model: [{ model: 'openai/gpt-5-mini', input_tokens: 120, output_tokens: 40, cost_usd: '0.00011' }],
      },
    ],
  },
);
export type ChatStats = Static<typeof ChatStats>;

export interface EventError {
  success: false;
  code: ErrorCode;
  message: string;
  details?: Record<string, unknown>[];
  request_id: string;
  retryable: boolean;
}

/** `unknown`: a crash cut the call off, and nobody can tell whether it was carried out. */
export type ToolCallOutcome = 'ok' | 'error' | 'denied' | 'unknown';

/** Events that are kept: each has an id in its conversation's one sequence. */
export interface DurableEvents {
  'turn.started': {
    turn_id: string;
    conversation_id: string;
    bot_id: string;
    user_message: ConversationMessage;
  };
  'message.completed': { message: ConversationMessage };
  'tool.started': {
    tool_call_id: string;
    tool_name: string;
    tool_type: string;
    arguments: Record<string, unknown>;
  };
  'tool.completed': {
    tool_call_id: string;
    status: ToolCallOutcome;
    result: unknown;
    duration_ms: number;
  };
  'approval.requested': { approval: Approval };
  'approval.resolved': { approval: Approval };
  'turn.paused': { turn_id: string; approval_ids: string[] };
  'turn.resumed': { turn_id: string };
  'turn.completed': { turn_id: string; message_id: string; usage: Usage; cost_usd: string };
  'turn.interrupted': { turn_id: string; by: string };
  'turn.failed': { turn_id: string; error: EventError };
  'message.operator': { message: ConversationMessage };
  'conversation.needs_human': { needs_human: NeedsHuman | null };
  'conversation.truncated': { after_message_id: string };
}

/** Events that only help a reader who is there: never stored. */
export interface LiveEvents {
  'message.delta': { message_id: string; offset: number; text: string };
  'tool.progress': { tool_call_id: string; text: string };
  'stream.snapshot': { message_id: string; text: string };
  'stream.gap': { from: number; to: number; conversation_url: string };
}

/** A stream that one send opened ends after one of these. */
export const turnEnds = ['turn.completed', 'turn.paused', 'turn.interrupted', 'turn.failed'] as const;
