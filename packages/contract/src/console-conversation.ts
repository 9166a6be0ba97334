import { type Static, Type } from 'typebox';
import { ApprovalDetail } from './approvals.ts';
import { Branch } from './branches.ts';
import { knownCost, Nullable, OneOf, Strict, Timestamp, Uuid } from './common.ts';
import { ConversationDetail, ConversationMessage, TraceStep, turnStatuses, Usage } from './conversations.ts';

/** In decimal dollars; null if a part of it has no known price. */
const Cost = Nullable(Type.String());

/** A reply that was not sent because its sources did not support it. */
const WithheldReply = Type.Object({
  text: Nullable(Type.String({ description: 'What the model wrote; null if it was not kept.' })),
  score: Nullable(Type.Number()),
});

export const ConsoleConversationQuery = Strict({
  branch_id: Type.Optional({ ...Uuid, description: 'What is in force if it is left out.' }),
});

/** A message as members of the workspace see it. */
export const ConsoleMessage = Type.Object({
  ...ConversationMessage.properties,
  turn_id: Nullable(Uuid),
  model: Nullable(Type.String()),
  usage: Nullable(Usage),
  cost_usd: Cost,
  withheld: Nullable(WithheldReply),
});
export type ConsoleMessage = Static<typeof ConsoleMessage>;

export const ConsoleTurn = Type.Object({
  id: Uuid,
  status: OneOf(turnStatuses),
  started_at: Timestamp,
  ended_at: Nullable(Timestamp),
  error: Nullable(Type.Object({ code: Type.String(), message: Type.String() })),
  stopped_by: Nullable(Type.String()),
  bot_version: Nullable(Type.Integer({ description: 'Null if it ran the version that was current then.' })),
  model: Nullable(Type.String({ description: 'The model that wrote most of it.' })),
  usage: Usage,
  ...knownCost,
});
export type ConsoleTurn = Static<typeof ConsoleTurn>;

export const ConsoleCall = Type.Object({
  id: Type.String(),
  turn_id: Uuid,
  name: Type.String(),
  tool_type: Type.String(),
  status: OneOf(['proposed', 'started', 'ok', 'error', 'denied', 'unknown']),
  started_at: Nullable(Timestamp),
  duration_ms: Nullable(Type.Integer()),
});
export type ConsoleCall = Static<typeof ConsoleCall>;

const { messages: _messages, ...conversation } = ConversationDetail.properties;

export const ConsoleConversation = Type.Object(
  {
    ...conversation,
    last_event_id: Type.Integer({ description: 'The answer includes everything up to this event.' }),
    bot: Type.Object({
      name: Type.String(),
      bot_type: OneOf(['chatbot', 'agent']),
      version: Type.Integer(),
      is_inactive: Type.Boolean({ description: 'It answers nobody.' }),
      is_traced: Type.Boolean({ description: 'Its next turns are recorded step by step.' }),
    }),
    usage: Usage,
    ...knownCost,
    messages: Type.Array(ConsoleMessage),
    turns: Type.Array(ConsoleTurn),
    calls: Type.Array(ConsoleCall),
    approvals: Type.Array(ApprovalDetail),
    branches: Type.Array(Branch),
  },
  { $id: 'ConsoleConversation' },
);
export type ConsoleConversation = Static<typeof ConsoleConversation>;

export const ConsoleTraceQuery = Strict({
  turn_id: Type.Optional({ ...Uuid, description: 'The latest turn if it is left out.' }),
});

export const ConsoleTraceStep = Type.Object({ ...TraceStep.properties, cost_usd: Cost });
export type ConsoleTraceStep = Static<typeof ConsoleTraceStep>;

export const ConsoleTrace = Type.Object(
  {
    conversation_id: Uuid,
    turn_id: Nullable(Uuid),
    source: OneOf(['trace', 'events'], {
      description: '`events`: the turn was not traced, and the steps follow from its events.',
    }),
    steps: Type.Array(ConsoleTraceStep),
  },
  { $id: 'ConsoleTrace' },
);
export type ConsoleTrace = Static<typeof ConsoleTrace>;
