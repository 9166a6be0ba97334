import { callEndReasons } from '@svc/contract/calls';
import { channelNames } from '@svc/contract/channels';
import { createApprovalLinks } from '../../src/approvals/page/approval-links.ts';
import { newId } from '../../src/lib/new-id.ts';
import { hashKey, makeKey } from '../../src/secrets/bearer-key.ts';
import { createKeyRing } from '../../src/secrets/key-ring.ts';
import { createSecretBox } from '../../src/secrets/secret-box.ts';
import { ownPageHeaders } from '../http/own-page.ts';
import { createCall } from '../support/test-app.ts';
import { type Insert, markOf } from './fill.ts';
import {
  add,
  inAnHour,
  longAgo,
  type MarkedWorkspace,
  metadata,
  type Place,
  shared,
} from './marked-workspace.ts';

/** The ids of what conversations refer to. */
export interface Bots {
  chatbot: string;
  agent: string;
  tool: string;
  scenario: string;
}

interface Conversation {
  id: string;
  turnId: string;
  branchId: string;
  /** What its bot called. */
  callId: string;
  messageIds: string[];
}

/** Operations are called with its ids. Not with those of every conversation: most are there to be found, by what they differ in. */
function open(ids: MarkedWorkspace['ids'], { id, turnId, branchId, messageIds }: Conversation): void {
  add(ids, 'conversations', id);
  add(ids, 'turns', turnId);
  add(ids, 'branches', branchId);
  add(ids, 'messages', ...messageIds);
}

type Converse = (channel: string, state?: string, given?: object) => Promise<Conversation>;

/** Makes conversations with everything that one can have: messages, events, a trace, a tool call, a quality record, usage. */
export function createConverse(insert: Insert, { name }: MarkedWorkspace, bots: Bots): Converse {
  const mark = (table: string, column: string) => markOf(name, table, column);

  async function converse(channel: string, state = 'completed', given: object = {}): Promise<Conversation> {
    const isOpen = state === 'paused';
    const botId = channel === 'agent' ? bots.agent : bots.chatbot;
    const conversation = await insert('conversations', {
      bot_id: botId,
      channel,
      status: isOpen ? state : 'idle',
      metadata: metadata(name, 'conversations'),
      code_session: { workdir: mark('conversations', 'code_session') },
      message_count: 4,
      last_sequence: 7,
      handoff_requested_at: new Date(),
      labels: [mark('conversations', 'labels')],
      last_message_at: new Date(),
      ...given,
    });
    return fillConversation(conversation.id, { botId, state });
  }

  async function fillConversation(id: string, { botId, state }: { botId: string; state: string }) {
    const place = { conversation_id: id, bot_id: botId };
    const turn = await insert('turns', {
      ...place,
      status: state,
      node_id: null,
      reply_ids: [],
      options: { request_id: mark('turns', 'options') },
      error: state === 'failed' ? { code: 'INTERNAL', message: mark('turns', 'error') } : null,
      ended_at: state === 'paused' ? null : new Date(),
    });
    const [callId, knowledgeId] = [newId(), newId()];
    const inTurn = { conversation_id: id, turn_id: turn.id };
    const called = { id: callId, name: 'find', arguments: { note: mark('messages', 'tool_calls') } };
    const citation = { knowledge_id: knowledgeId, source_url: null, score: 1, title: 'x' };
    const written = {
      ...inTurn,
      tool_calls: [],
      tool_call_id: null,
      citations: [],
      author_name: null,
      branch_id: null,
      attachments: null,
      rating: null,
      rating_comment: null,
    };
    const say = (sequence: number, role: string, given = {}) =>
      insert('messages', { ...written, sequence: sequence + 100, role, ...given });
    const sent = { id: newId(), name: mark('messages', 'attachments'), media_type: 'image/png', size: 1 };
    const question = await say(1, 'user', { attachments: [sent] });
    const reply = await say(2, 'assistant', {
      rating: 'down',
      rating_comment: mark('messages', 'rating_comment'),
      tool_calls: [{ ...called, executed_arguments: null }],
      citations: [{ ...citation, quote: mark('messages', 'citations') }],
    });
    await say(3, 'tool', { tool_call_id: callId });
    await say(4, 'operator', { author_name: mark('messages', 'author_name') });
    await insert('conversation_notes', { conversation_id: id, kind: 'written', author_id: null });
    const branch = { conversation_id: id, after_message_id: null, first_message_id: question.id };
    const { id: branchId } = await insert('conversation_branches', { ...branch, is_current: true });
    const call = { ...inTurn, message_id: reply.id, tool_id: bots.tool, needs_approval: true };
    const toolCall = { position: 0, repeatable: false, status: 'ok', started_at: new Date() };
    await insert('tool_calls', { ...call, ...toolCall, id: callId });
    for (const [index, type] of ['model', 'tool', 'retrieval', 'goal_completion_check'].entries()) {
      const usage = { input_tokens: 1, cached_input_tokens: 0, output_tokens: 1 };
      const step = { ...inTurn, sequence: index + 1, type, status: 'error', usage };
      await insert('trace_steps', { ...step, started_at: new Date(), duration_ms: 5 });
    }
    const note = mark('events', 'data');
    const wire = { id: reply.id, conversation_id: id, turn_id: turn.id, role: 'assistant', content: note };
    const message = { ...wire, tool_calls: [], citations: [], interrupted: false, created_at: new Date() };
    const data: Record<string, object> = {
      'turn.started': { turn_id: turn.id, user_message: { ...message, id: question.id, role: 'user' } },
      'message.completed': { message },
      'tool.started': { tool_call_id: callId, tool_name: note, tool_type: 'x', arguments: { note } },
      'tool.completed': { tool_call_id: callId, status: 'ok', result: note, duration_ms: 1 },
      'conversation.needs_human': { needs_human: { reason: note, since: new Date() } },
      'message.operator': { message: { ...message, role: 'operator', author_name: note } },
      'turn.completed': {
        turn_id: turn.id,
        message_id: reply.id,
        usage: {},
        cost_usd: '0',
        handed_off: false,
      },
    };
    for (const [index, type] of Object.keys(data).entries())
      await insert('events', { ...inTurn, sequence: index + 1, type, data: data[type] });
    await insert('usage_records', { ...inTurn, bot_id: botId, channel: 'chat', external_user_id: null });
    await insert('usage_records', { ...inTurn, bot_id: botId, cost_usd: 0.5 });
    await fillQuality({ ...place, turn_id: turn.id, message_id: reply.id });
    return { id, turnId: turn.id, branchId, callId, messageIds: [question.id, reply.id] };
  }

  async function fillQuality(place: object): Promise<void> {
    await insert('quality_records', {
      ...place,
      grading: 'ungraded',
      refused: true,
      validation: 'validated',
      verdict: 'unsupported',
      unsupported_claims: [mark('quality_records', 'unsupported_claims')],
      passages: [{ title: 'x', text: mark('quality_records', 'passages') }],
    });
  }

  return converse;
}

/** One of every channel; a paused one; one for each state of a run. None has a running turn: a node would finish it meanwhile. */
export async function fillConversations(
  { service, client }: Place,
  insert: Insert,
  { name, ids, key, page, owner }: MarkedWorkspace,
  bots: Bots,
  converse: Converse,
): Promise<void> {
  const mark = (table: string, column: string) => markOf(name, table, column);
  async function ask({ id, turnId, callId }: Conversation, status: string): Promise<void> {
    const approval = await insert('approvals', {
      conversation_id: id,
      turn_id: turnId,
      bot_id: bots.chatbot,
      tool_call_id: callId,
      status,
      context: { kind: 'call', summary: mark('approvals', 'context') },
      arguments_schema: { type: 'object', description: mark('approvals', 'arguments_schema') },
      grantable: { kind: 'edits', machineId: newId(), directory: mark('approvals', 'grantable'), paths: [] },
      resolved_by: status === 'pending' ? null : `member:${owner.id}`,
      resolved_at: status === 'pending' ? null : new Date(),
      expires_at: inAnHour,
    });
    add(ids, 'hitl', approval.id);
    const links = createApprovalLinks(createSecretBox(createKeyRing(service.encryptionKey)), '');
    add(ids, 'a', links.urlFor(approval.id, 'ops@example.com').slice('/a/'.length));
  }

  // A bot answers in this one; the others wait for a person.
  const ofPerson = { external_user_id: shared.userId, handoff_requested_at: null, handoff_reason: null };
  open(ids, await converse('chat', 'completed', ofPerson));
  for (const channel of channelNames) open(ids, await converse(channel));
  const paused = await converse('chat', 'paused');
  open(ids, paused);
  for (const status of ['pending', 'approved', 'denied']) await ask(paused, status);
  await converse('chat', 'failed');

  // The visitor writes for themselves, because only the service knows who they are.
  const asked = { key: page.visitorToken, headers: ownPageHeaders, body: { message: 'Hello' } };
  const { body: events } = await createCall(service.url, key)(
    `POST /api/widget/messages?key=${page.widgetKey}`,
    asked,
  );
  const visited = /"conversation_id":"([^"]+)"/.exec(events)?.[1] ?? 'no conversation';
  const said = `update messages set content = $2 where conversation_id = $1`;
  await client.query(said, [visited, mark('messages', 'content')]);
  const retitled = `update conversations set title = $2, metadata = $3 where id = $1`;
  await client.query(retitled, [visited, mark('conversations', 'title'), metadata(name, 'conversations')]);
  add(ids, 'conversations', visited);

  const runStates = ['paused', 'completed', 'failed', 'interrupted'] as const;
  const runStatuses = [...runStates, 'running', 'timed_out', 'max_iterations_reached'];
  for (const [index, status] of runStatuses.entries()) {
    const conversation = await converse(
      'agent',
      status === 'running' ? 'paused' : (runStates.find((one) => one === status) ?? 'completed'),
    );
    if (['completed', 'failed', 'interrupted'].includes(status)) open(ids, conversation);
    const isOpen = status === 'running' || status === 'paused';
    await insert('runs', {
      turn_id: conversation.turnId,
      conversation_id: conversation.id,
      status,
      // A bot has at most one open run.
      bot_id: status === 'paused' ? bots.chatbot : bots.agent,
      trigger: ['api', 'schedule', 'console'][index % 3],
      error: { code: 'INTERNAL', message: mark('runs', 'error') },
      output_config: { format: 'text', schema: { description: mark('runs', 'output_config') } },
      deadline_at: inAnHour,
      ended_at: isOpen ? null : new Date(),
      webhook_status: 'failed',
    });
  }
  const outcomes = ['fired', 'skipped_busy', 'skipped_late', 'failed'];
  for (const [index, outcome] of outcomes.entries())
    await insert('schedule_slots', {
      bot_id: bots.agent,
      slot_at: new Date(longAgo.getTime() + index),
      outcome,
      conversation_id: outcome === 'fired' ? ids['conversations']?.at(-1) : null,
    });
}

/** Telephone calls in every state. */
export async function fillCalls(
  insert: Insert,
  { name, ids, secrets }: MarkedWorkspace,
  bots: Bots,
  converse: Converse,
): Promise<void> {
  const states = [
    'queued',
    'ringing',
    'in_progress',
    'completed',
    'no_answer',
    'busy',
    'failed',
    'ended_by_limit',
  ];
  for (const [index, status] of states.entries()) {
    const conversation = await converse('voice');
    if (status === 'completed') open(ids, conversation);
    const token = makeKey('svc_vs_');
    const isOpen = index < 3;
    const call = await insert('voice_calls', {
      id: conversation.id,
      bot_id: bots.chatbot,
      status,
      transport: index === 0 ? 'web' : 'sip',
      direction: ['web', 'inbound', 'outbound'][index % 3],
      network_id: `${markOf(name, 'voice_calls', 'network_id')}-${index}`,
      end_reason: isOpen ? null : callEndReasons[index],
      max_seconds: 600,
      session_token_hash: hashKey(token),
      deadline_at: inAnHour,
      used: {},
      answered_at: longAgo,
      ended_at: isOpen ? null : new Date(),
    });
    await insert('voice_call_turns', { turn_id: conversation.turnId, call_id: call.id });
    const hook = { call_id: call.id, hook_id: newId(), tool_configuration_id: bots.tool, position: 0 };
    await insert('voice_call_hooks', { ...hook, status: 'error', started_at: longAgo, ended_at: new Date() });
    const audio = Buffer.from(markOf(name, 'call_recording_parts', 'audio'));
    await insert('call_recordings', {
      call_id: call.id,
      bot_id: bots.chatbot,
      sample_rate: 8_000,
      bytes: audio.length,
      file_key: null,
      marks: [{ turnId: conversation.turnId, atMs: 0 }],
    });
    await insert('call_recording_parts', { call_id: call.id, position: 0, audio });
    add(ids, 'calls', call.id);
    const ofTransfer = { call_id: call.id, deadline_at: inAnHour, checked_at: inAnHour, used: {} };
    if (!isOpen) await insert('voice_transfers', ofTransfer);
    add(ids, 'voice-sessions', token);
    secrets.push(token);
  }
}
