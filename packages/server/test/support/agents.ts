import { expect } from 'vitest';
import { eventually } from './chat.ts';
import type { Answer, TestApp } from './test-app.ts';

export type Service = Pick<TestApp, 'call'>;

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

export const trigger = (service: Service, agentId: string, body?: object): Promise<Answer> =>
  service.call(`POST /api/v1/agents/${agentId}/trigger`, { ...(body && { body }) });

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
  await eventually(isOver).toBe(true);
  return readConversation(service, conversationId);
}
