import { expect } from 'vitest';
import { type Script, text } from '../scripted-model/script.ts';
import type { ScriptedModel, ScriptedRequest } from '../scripted-model/server.ts';
import { askedBy } from './chat.ts';
import type { Call } from './test-app.ts';

export interface Judgement {
  number: number;
  holds: boolean;
  explanation?: string;
}

/** Whether the request is for a judgement rather than a reply. */
export function asksForJudgement(request: ScriptedRequest): boolean {
  return askedBy(request)[0]?.content.startsWith('You judge the answers of an assistant') === true;
}

export const judged = (...facts: Judgement[]): Script => [text(JSON.stringify({ facts }))];

/** Gives every user the same reply and lets every fact hold, unless `play` overrides it. */
export function playBot(
  scripted: ScriptedModel,
  play: { reply?: (request: ScriptedRequest) => Script; judge?: (request: ScriptedRequest) => Script } = {},
): void {
  const holds = Array.from({ length: 50 }, (_, index) => ({ number: index + 1, holds: true }));
  const { reply = () => [text('All is well.')], judge = () => judged(...holds) } = play;
  scripted.respondWith((request) => (asksForJudgement(request) ? judge(request) : reply(request)));
}

/** The last user message of a request. */
export const lastSaid = (request: ScriptedRequest): string =>
  askedBy(request).findLast(({ role }) => role === 'user')?.content ?? '';

export function evaluating(place: () => { call: Call }) {
  const call: Call = (operation, options) => place().call(operation, options);
  const read = async (botId: string, id: string) =>
    (await call(`GET /api/v1/bots/${botId}/evaluations/${id}`)).body;
  const start = async (botId: string, body?: object): Promise<string> => {
    const answer = await call(`POST /api/v1/bots/${botId}/evaluations`, body ? { body } : {});
    expect(answer).toMatchObject({ status: 202, body: { status: 'running' } });
    return answer.body.id;
  };
  const report = async (botId: string, id: string) => {
    const statusNow = async () => (await read(botId, id)).status;
    await expect.poll(statusNow, { interval: 100 }).not.toBe('running');
    return read(botId, id);
  };
  return {
    read,
    start,
    /** The report, once it is over. */
    report,
    evaluate: async (botId: string, body?: object) => report(botId, await start(botId, body)),
    async scenario(botId: string, fields: object): Promise<string> {
      const body = { name: 'A scenario', turns: ['Hello'], ...fields };
      const answer = await call(`POST /api/v1/bots/${botId}/scenarios`, { body });
      expect(answer).toMatchObject({ status: 201 });
      return answer.body.id;
    },
  };
}
