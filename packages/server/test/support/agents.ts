import { expect } from 'vitest';
import { type Script, text } from '../scripted-model/script.ts';
import type { ScriptedModel, ScriptedRequest } from '../scripted-model/server.ts';
import { askedBy, type Chat, eventually } from './chat.ts';
import type { Answer, CallOptions, TestApp } from './test-app.ts';

export type Service = Pick<TestApp, 'call'>;

export const complete = { verdict: 'complete', missing: [] };
export const incomplete = (...missing: string[]) => ({ verdict: 'incomplete', missing });

/** An agent with a goal. */
export async function makeAgent(service: Service, fields: object = {}, key?: string): Promise<string> {
  const body = {
    name: 'Agent',
    system_prompt: 'Work carefully.',
    bot_type: 'agent',
    agent_goal: 'Count the stars.',
    ...fields,
  };
  const created = await service.call('POST /api/v1/bots', { body, ...(key && { key }) });
  expect(created).toMatchObject({ status: 201 });
  return created.body.id;
}

/** Gives a bot its tools: types that need no configuration, or whole tools. */
export async function giveTools(
  service: Service,
  botId: string,
  tools: (string | { tool_type: string; name: string; configuration: object })[],
): Promise<void> {
  const assignments: object[] = [];
  for (const tool of tools) {
    if (typeof tool === 'string') {
      assignments.push({ tool_type: tool });
      continue;
    }
    const created = await service.call('POST /api/v1/tools', { body: { description: tool.name, ...tool } });
    expect(created).toMatchObject({ status: 201 });
    assignments.push({ tool_type: tool.tool_type, tool_configuration_id: created.body.id });
  }
  const assigned = await service.call('POST /api/v1/tools/assign', { body: { bot_id: botId, assignments } });
  expect(assigned).toMatchObject({ status: 200 });
}

export function trigger(
  service: Service,
  agentId: string,
  body?: unknown,
  options: CallOptions = {},
): Promise<Answer> {
  const path = `POST /api/v1/agents/${agentId}/trigger`;
  return service.call(path, { ...options, ...(body !== undefined && { body }) });
}

/** Triggers an agent and returns the conversation of the run. */
export async function startRun(service: Service, agentId: string, body?: object): Promise<string> {
  const answer = await trigger(service, agentId, body);
  expect(answer).toMatchObject({ status: 202 });
  return answer.body.data.conversation_id;
}

export async function readConversation(service: Service, conversationId: string): Promise<Answer['body']> {
  const answer = await service.call(`GET /api/v1/conversations/${conversationId}`);
  expect(answer).toMatchObject({ status: 200 });
  return answer.body;
}

/** The conversation once its run is over. */
export async function endOfRun(service: Service, conversationId: string): Promise<Answer['body']> {
  const isOver = async () => {
    const { status } = await readConversation(service, conversationId);
    return !['running', 'paused'].includes(status);
  };
  await eventually(isOver, 60).toBe(true);
  return readConversation(service, conversationId);
}

export async function runToItsEnd(service: Service, agentId: string, body?: object): Promise<Answer['body']> {
  return endOfRun(service, await startRun(service, agentId, body));
}

/** Waits until a reader of the conversation sees the beginning of a reply. */
export async function previewed(chat: Pick<Chat, 'listen'>, conversationId: string): Promise<void> {
  const reader = await chat.listen(conversationId);
  await reader.until(({ event }) => event === 'message.delta' || event === 'stream.snapshot');
  reader.close();
}

/** Whether the request is for a verdict rather than a reply. */
export function isCheck(request: Pick<ScriptedRequest, 'body'>): boolean {
  return askedBy(request)[0]?.content.startsWith('You check whether an autonomous agent') ?? false;
}

export interface PlayedAgent {
  /** The requests to the agent, in order. */
  asked(): ScriptedRequest[];
  /** The requests to the completion check, in order. */
  checks(): ScriptedRequest[];
}

/** Plays replies and verdicts in order; the last of each is repeated. */
export function playAgent(
  scripted: ScriptedModel,
  replies: Script[],
  verdicts: (object | string | Script)[] = [complete],
): PlayedAgent {
  const asked = () => scripted.requests.filter((request) => !isCheck(request));
  const checks = () => scripted.requests.filter(isCheck);
  scripted.respondWith((request) => {
    const [scripts, count] = isCheck(request)
      ? [verdicts.map(scriptOf), checks().length]
      : [replies, asked().length];
    return scripts[Math.min(count, scripts.length) - 1] ?? [];
  });
  return { asked, checks };
}

function scriptOf(verdict: object | string | Script): Script {
  if (Array.isArray(verdict) || 'steps' in Object(verdict)) return verdict as Script;
  return [text(typeof verdict === 'string' ? verdict : JSON.stringify(verdict))];
}

/** An agent that must ask a person before it does anything. */
export async function makeAskingAgent(service: Service, fields: object = {}): Promise<string> {
  const agentId = await makeAgent(service, fields);
  const parameters = { type: 'object', properties: {} };
  const configuration = { method: 'POST', url: 'http://127.0.0.1:9/x', parameters, approval: 'always' };
  await giveTools(service, agentId, [{ tool_type: 'http_request', name: 'pay', configuration }]);
  return agentId;
}

export async function pausedRun(
  service: Service,

  agentId: string,
): Promise<{ conversationId: string; approval: { id: string; expires_at: string } }> {
  const conversationId = await startRun(service, agentId);
  const pending = async () => (await service.call(`GET /api/v1/hitl?conversation_id=${conversationId}`)).body;
  await eventually(async () => (await pending()).length, 60).toBe(1);
  return { conversationId, approval: (await pending())[0] };
}
