import type { Approval } from '@svc/contract/approvals';
import { expect, it } from 'vitest';
import { type Answering, answerApproval } from './answer-approval.ts';

/** A person who types these lines, and this in the editor. */
async function answer(schema: object, typed: string[], edited?: string) {
  const sent: unknown[] = [];
  const asked: string[] = [];
  const said: string[] = [];
  const opened: string[] = [];
  const approval = {
    id: 'a',
    tool_name: 'search',
    arguments: {},
    arguments_schema: schema,
    context: { kind: 'call', summary: 'search asks: Which account?' },
    expires_at: new Date(60_000).toISOString(),
    is_question: true,
  } as unknown as Approval;
  const answering = {
    client: { respond: async (_id: string, response: unknown) => void sent.push(response) },
    terminal: {
      ask: async (question: string) => {
        asked.push(question);
        return typed.shift();
      },
      lend: (work: () => Promise<string>) => work(),
      say: (text: string) => void said.push(text),
      sayLines: () => undefined,
      columns: () => 80,
    },
    edit: async (text: string) => {
      opened.push(text);
      return edited ?? text;
    },
    botName: 'Bot',
    place: '',
    signal: new AbortController().signal,
  } as unknown as Answering;
  const outcome = await answerApproval(approval, answering);
  return { outcome, sent, asked, said, opened };
}

const account = {
  type: 'object',
  properties: { account: { type: 'string' }, kind: { type: 'string', default: 'all' }, note: {} },
  required: ['account'],
};

it('a question is answered with its fields, and cannot be approved without them', async () => {
  const { sent, asked, said, opened } = await answer(account, ['a', 'e'], '{"account":"17"}');
  expect(asked[0]).toBe('[e] answer, [d]ecline (Ctrl-C: later)> ');
  expect(said).toEqual(['Type e or d.']);
  expect(opened.map((text) => JSON.parse(text))).toEqual([{ account: '', kind: 'all' }]);
  expect(sent).toEqual([{ action: 'approve_edited', edited_args: { account: '17' } }]);
});

it('a question whose required fields were left empty is asked again', async () => {
  expect(await answer(account, ['e'])).toMatchObject({
    outcome: 'unanswered',
    sent: [],
    said: ['Nothing was changed.'],
  });
});

it('a question without fields is answered without the editor, and can be declined', async () => {
  const none = { type: 'object', properties: {} };
  const agreed = await answer(none, ['e']);
  expect(agreed).toMatchObject({ sent: [{ action: 'approve_edited', edited_args: {} }], opened: [] });
  expect((await answer(none, ['d', ''])).sent).toEqual([{ action: 'deny' }]);
});
