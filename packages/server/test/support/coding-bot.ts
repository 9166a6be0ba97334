import type { Approval } from '@svc/contract/approvals';
import type { Machine } from '@svc/contract/machines';
import { expect } from 'vitest';
import { type ScriptStep, text } from '../scripted-model/script.ts';
import type { ScriptedModel } from '../scripted-model/server.ts';
import { giveTools } from './agents.ts';
import { askedBy, chatWith, type Message } from './chat.ts';
import type { SseEvent } from './sse-client.ts';
import type { Call } from './test-app.ts';

export interface CodingService {
  url: string;
  key: string;
  call: Call;
}

/** The answer of a person to an approval, as `respond` takes it. */
export type Decide = (approval: Approval) => object | Promise<object>;

const approve: Decide = () => ({ action: 'approve' });

export interface CodingTurn {
  conversationId: string;
  events: SseEvent[];
  /** As they were requested. */
  approvals: Approval[];
  /** `tool.completed`, in the order of the calls' ends. */
  results: { status: string; result: unknown }[];
}

export async function pairMachine({ call, key }: CodingService, name = 'test-machine', by = key) {
  const paired = await call('POST /api/v1/machines', { body: { name }, key: by });
  expect(paired).toMatchObject({ status: 201 });
  return paired.body as { id: string; name: string; token: string };
}

/** A bot with one coding tool. */
export async function makeCodingBot(
  service: CodingService,
  configuration: { machine_id?: string } & Record<string, unknown>,
  fields: object = {},
): Promise<string> {
  const botId = await chatWith(() => service).bot({ name: 'Coder', ...fields });
  await allowBot(service, botId, configuration.machine_id);
  await giveTools(service, botId, [{ tool_type: 'coding', name: 'Project', configuration }]);
  return botId;
}

/** Lets a bot work on a machine, or on all machines of the key. */
export async function allowBot(
  { call }: Pick<CodingService, 'call'>,
  botId: string,
  machineId?: string,
): Promise<void> {
  const { body: machines } = await call('GET /api/v1/machines');
  for (const { id, allowed_bots: allowed } of machines as Machine[]) {
    if (machineId !== undefined && machineId.toLowerCase() !== id) continue;
    const answer = await call(`PATCH /api/v1/machines/${id}`, {
      body: { allowed_bots: [...allowed, botId] },
    });
    expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 200 });
  }
}

/** The replies of the model, one after another in each conversation. */
export function playReplies(scripted: ScriptedModel, ...replies: ScriptStep[][]): void {
  scripted.respondWith((request) => {
    const given = askedBy(request).filter(({ role }) => role === 'assistant').length;
    return replies[given] ?? [text('Done.')];
  });
}

/** What the model read as the results of its calls. */
export function toolTexts(scripted: ScriptedModel): string[] {
  return askedBy(scripted.requests.at(-1))
    .filter(({ role }) => role === 'tool')
    .map(({ content }) => content);
}

const isPause = ({ event }: SseEvent) => /^turn\.(paused|completed|failed|interrupted)$/.test(event);

/** Sends a message and answers all approvals until the turn is over. */
export async function runCodingTurn(
  service: CodingService,
  message: Message,
  decide: Decide = approve,
): Promise<CodingTurn> {
  const chat = chatWith(() => service);
  const sent = await chat.say(message);
  const { conversationId } = sent;
  const events = [...sent.events];
  while (events.at(-1)?.event === 'turn.paused') {
    const after = events.at(-1)?.id ?? 0;
    await answerApprovals(service, conversationId, decide);
    const reader = await chat.listen(conversationId, { after });
    await reader.until(isPause);
    reader.close();
    events.push(...reader.events.slice(0, reader.events.findIndex(isPause) + 1));
  }
  return turnOf(conversationId, events);
}

/** Answers what is pending, all of it together. */
export async function answerApprovals(
  { call }: CodingService,
  conversationId: string,
  decide: Decide = approve,
): Promise<void> {
  const pending = await call(`GET /api/v1/hitl?conversation_id=${conversationId}`);
  for (const approval of pending.body as Approval[]) {
    const body = await decide(approval);
    const answer = await call(`POST /api/v1/hitl/${approval.id}/respond`, { body });
    expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 200 });
  }
}

export function turnOf(conversationId: string, events: SseEvent[]): CodingTurn {
  const dataOf = (name: string) => events.flatMap(({ event, data }) => (event === name ? [data] : []));
  return {
    conversationId,
    events,
    approvals: dataOf('approval.requested').map(({ approval }) => approval),
    results: dataOf('tool.completed').map(({ status, result }) => ({ status, result })),
  };
}
