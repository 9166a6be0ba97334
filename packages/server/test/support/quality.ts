import { sql } from 'drizzle-orm';
import { expect } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { type Script, text } from '../scripted-model/script.ts';
import type { ScriptedModel } from '../scripted-model/server.ts';
import type { Call } from './test-app.ts';

type Body = Record<string, unknown>;

/** Whether the service asks for a grade rather than for a reply. */
export const isGrading = (body: Body) => said(body).includes('You grade the reply of an assistant');
/** Whether it asks for a verdict. */
export const isValidation = (body: Body) => said(body).includes('You compare the answer of an assistant');

const said = (body: Body) => JSON.stringify(body['messages']);

export const score = (value: unknown): Script => [text(JSON.stringify({ score: value }))];
export const claims = (...found: string[]): Script => [text(JSON.stringify({ unsupported_claims: found }))];

/** Replies, grades and verdicts, each from its own list; the last of a list is given ever after. */
export function judge(
  scripted: ScriptedModel,
  lists: { replies?: Script[]; grades?: Script[]; verdicts?: Script[] },
) {
  const { replies = [[text('Yes.')]], grades = [score(1)], verdicts = [claims()] } = lists;
  const left = { replies: [...replies], grades: [...grades], verdicts: [...verdicts] };
  const take = (list: Script[]): Script => (list.length > 1 ? list.shift() : list[0]) ?? [];
  scripted.respondWith(({ body }) => {
    if (isGrading(body)) return take(left.grades);
    return take(isValidation(body) ? left.verdicts : left.replies);
  });
}

/** What the model was asked, by what for. */
export const asked = (scripted: ScriptedModel) => ({
  replies: scripted.requests.filter(({ body }) => !isGrading(body) && !isValidation(body)),
  grades: scripted.requests.filter(({ body }) => isGrading(body)),
  verdicts: scripted.requests.filter(({ body }) => isValidation(body)),
});

/** All that is kept of a conversation's replies, oldest first. */
export async function recordsOf(
  database: Database,
  conversationId: string,
): Promise<Record<string, unknown>[]> {
  const { rows } = await database.query.execute(
    sql`select * from quality_records where conversation_id = ${conversationId} order by id`,
  );
  return rows;
}

/** A tool that answers with what it is asked, assigned to the bot. */
export async function assignTools(call: Call, botId: string, assignments: object[]): Promise<void> {
  const answer = await call('POST /api/v1/tools/assign', { body: { bot_id: botId, assignments } });
  expect(answer).toMatchObject({ status: 200 });
}
