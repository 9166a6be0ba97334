import { expect } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { sql } from '../../src/database/drizzle.ts';
import { type Script, text } from '../scripted-model/script.ts';
import type { ScriptedModel, ScriptedRequest } from '../scripted-model/server.ts';
import { complete, isCheck } from './agents.ts';
import type { Call } from './test-app.ts';

type Body = Record<string, unknown>;

/** Whether the request is for a grade rather than a reply. */
export const isGrading = (body: Body) => said(body).includes('You grade the reply of an assistant');
/** Whether the request is for a verdict. */
export const isValidation = (body: Body) => said(body).includes('You compare the answer of an assistant');

const said = (body: Body) => JSON.stringify(body['messages']);

export const score = (value: unknown): Script => [text(JSON.stringify({ score: value }))];
export const claims = (...found: string[]): Script => [text(JSON.stringify({ unsupported_claims: found }))];

/** Replies, grades, verdicts and checks of runs, each from its own list; the last of a list is repeated. */
export function judge(
  scripted: ScriptedModel,
  lists: { replies?: Script[]; grades?: Script[]; verdicts?: Script[]; checks?: object[] },
) {
  const {
    replies = [[text('Yes.')]],
    grades = [score(1)],
    verdicts = [claims()],
    checks = [complete],
  } = lists;
  const left = {
    replies: [...replies],
    grades: [...grades],
    verdicts: [...verdicts],
    checks: checks.map((check): Script => [text(JSON.stringify(check))]),
  };
  const take = (list: Script[]): Script => (list.length > 1 ? list.shift() : list[0]) ?? [];
  scripted.respondWith((request) => take(left[kindOf(request)]));
}

function kindOf({ body }: Pick<ScriptedRequest, 'body'>) {
  if (isGrading(body)) return 'grades';
  if (isValidation(body)) return 'verdicts';
  return isCheck({ body }) ? 'checks' : 'replies';
}

/** The requests to the model, by purpose. */
export const asked = (scripted: ScriptedModel) => {
  const of = (kind: ReturnType<typeof kindOf>) => scripted.requests.filter((one) => kindOf(one) === kind);
  return { replies: of('replies'), grades: of('grades'), verdicts: of('verdicts'), checks: of('checks') };
};

/** The quality records of a conversation, oldest first. */
export async function recordsOf(
  database: Database,
  conversationId: string,
): Promise<Record<string, unknown>[]> {
  const { rows } = await database.acrossWorkspaces.execute(
    sql`select * from quality_records where conversation_id = ${conversationId} order by id`,
  );
  return rows;
}

/** A tool that echoes its request, assigned to the bot. */
export async function assignTools(call: Call, botId: string, assignments: object[]): Promise<void> {
  const answer = await call('POST /api/v1/tools/assign', { body: { bot_id: botId, assignments } });
  expect(answer).toMatchObject({ status: 200 });
}
