import { expect } from 'vitest';
import type { TestApp } from '../support/test-app.ts';

export const plainBot = { name: 'Host', system_prompt: 'Be kind.', model: 'openai/gpt-5-mini' };

/** What tests do with one bot and its versions. */
export function versionsOf(service: () => TestApp, botId: () => string) {
  const call: TestApp['call'] = (operation, options) => service().call(operation, options);
  const list = (query = '', bot = botId()) => call(`GET /api/v1/bots/${bot}/versions${query}`);
  return {
    list,
    read: async () => (await call(`GET /api/v1/bots/${botId()}`)).body,
    async put(body: object): Promise<void> {
      expect(await call(`PUT /api/v1/bots/${botId()}`, { body })).toMatchObject({ status: 200 });
    },
    numbers: async (): Promise<number[]> => (await list()).body.map((one: { number: number }) => one.number),
    version: async (number: number) => (await call(`GET /api/v1/bots/${botId()}/versions/${number}`)).body,
    restore: (number: number, options: object = {}) =>
      call(`POST /api/v1/bots/${botId()}/versions/${number}/restore`, options),
    async makeTool(): Promise<string> {
      const configuration = {
        host: 'mail.example.com',
        from: 'bot@example.com',
        username: 'x',
        password: 'planted-4711',
      };
      const body = { tool_type: 'send_email', name: 'Mail', description: 'x', configuration };
      const answer = await call('POST /api/v1/tools', { body });
      expect(answer).toMatchObject({ status: 201 });
      return answer.body.id;
    },
    async assign(assignments: object[]): Promise<void> {
      const body = { bot_id: botId(), assignments };
      expect(await call('POST /api/v1/tools/assign', { body })).toMatchObject({ status: 200 });
    },
    /** The types of its tools, as they are assigned. */
    tools: async (): Promise<string[]> =>
      (await call(`GET /api/v1/tools/bot?bot_id=${botId()}`)).body.map(
        (entry: { tool_type: string }) => entry.tool_type,
      ),
  };
}
