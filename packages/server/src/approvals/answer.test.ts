import { afterAll, expect, it } from 'vitest';
import { stopJsonChecks } from '../validation/json-schema/check-json.ts';
import { checkAnswer } from './answer.ts';

afterAll(stopJsonChecks);

const row = (schema: Record<string, unknown>) => ({
  workspaceId: 'one',
  argumentsSchema: schema,
  grantable: null,
  toolGrantable: null,
});
const edited = (value: Record<string, unknown>) => ({
  action: 'approve_edited' as const,
  edited_args: value,
});

it('takes edited arguments that fit, patterns included', async () => {
  const asked = row({ properties: { code: { pattern: '^[a-z]+$' } } });
  await expect(checkAnswer(asked, edited({ code: 'abc' }))).resolves.toBeUndefined();
  await expect(checkAnswer(asked, edited({ code: '1' }))).rejects.toMatchObject({
    code: 'VALIDATION_FAILED',
    details: [{ path: 'edited_args.code', message: 'must match the pattern ^[a-z]+$' }],
  });
});

it('refuses those that cannot be checked', async () => {
  for (const pattern of ['^(a+)+$', '(']) {
    const answer = checkAnswer(
      row({ properties: { code: { pattern } } }),
      edited({ code: `${'a'.repeat(60)}!` }),
    );
    await expect(answer).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      message: expect.stringMatching(/^edited_args cannot be checked/),
    });
  }
});

it('takes a bare approval of a question only if the tool needs nothing', async () => {
  const bare = { action: 'approve' } as const;
  const optional = { type: 'object', properties: { name: { type: 'string' } } };
  const question = (schema: Record<string, unknown>) => ({ ...row(schema), isQuestion: true });
  await expect(checkAnswer(question(optional), bare)).resolves.toBeUndefined();
  await expect(checkAnswer(question({ ...optional, required: ['name'] }), bare)).rejects.toMatchObject({
    code: 'VALIDATION_FAILED',
    details: [{ path: 'action' }],
  });
  await expect(
    checkAnswer(question({ ...optional, required: ['name'] }), { action: 'deny' }),
  ).resolves.toBeUndefined();
});

it('takes a grant for a bot only of a tool, and its end only with a grant', async () => {
  const asked = { ...row({}), toolGrantable: { toolId: 't', revision: 1, offer: 'o' } };
  const approve = { action: 'approve' as const };
  await checkAnswer(asked, { ...approve, grant: 'bot', grant_expires_in: 3_600 });
  const refused = (path: string) => ({ code: 'VALIDATION_FAILED', details: [{ path }] });
  await expect(checkAnswer(asked, { ...approve, grant: 'machine' })).rejects.toMatchObject(refused('grant'));
  const early = checkAnswer(asked, { ...approve, grant_expires_in: 3_600 });
  await expect(early).rejects.toMatchObject(refused('grant_expires_in'));
});

it('takes a grant only with an approval of a call that offers one', async () => {
  const plain = row({});
  const offering = {
    ...plain,
    grantable: {
      kind: 'command' as const,
      machineId: 'm',
      directory: '/',
      command: 'npm test',
      actsFor: null,
    },
  };
  const approve = { action: 'approve' as const, grant: 'conversation' as const };
  await expect(checkAnswer(offering, approve)).resolves.toBeUndefined();
  const refused = { code: 'VALIDATION_FAILED', details: [{ path: 'grant' }] };
  await expect(checkAnswer(plain, approve)).rejects.toMatchObject(refused);
  await expect(checkAnswer(offering, { ...approve, action: 'deny' })).rejects.toMatchObject(refused);
  await expect(checkAnswer(offering, { ...edited({}), grant: 'machine' })).rejects.toMatchObject(refused);
});
