import { afterAll, describe, expect, it } from 'vitest';
import { checkAnswer } from '../../src/approvals/answer.ts';
import { AppError } from '../../src/lib/app-error.ts';
import { checkJson, stopJsonChecks } from '../../src/validation/json-schema/check-json.ts';
import { holdingOf } from '../support/event-loop.ts';

afterAll(stopJsonChecks);

const codeOf = (error: unknown) => (error instanceof AppError ? error.code : String(error));

const tooMuch = [{ path: '', message: 'cannot be checked: the schema is too complicated for this value' }];
const evil = { pattern: '^(a+)+$' };
const endless = `${'a'.repeat(60)}!`;
const count = <Entry>(length: number, make: (index: number) => Entry) =>
  Array.from({ length }, (_, index) => make(index));

describe('patterns', () => {
  it('that would take forever are aborted and block no other check', async () => {
    const order: string[] = [];
    const { heldMs } = await holdingOf(async () => {
      const bad = count(3, () =>
        checkJson(evil, endless, 'bad').then((faults) => (order.push('bad'), faults)),
      );
      const good = checkJson({ pattern: '^b+$' }, 'bbb', 'good').then(
        (faults) => (order.push('good'), faults),
      );
      expect(await good).toEqual([]);
      expect(await Promise.all(bad)).toEqual(count(3, () => tooMuch));
    });
    expect(heldMs).toBeLessThan(200);
    // The other workspace waits for at most one of them, however many there are.
    expect(order.indexOf('good')).toBeLessThanOrEqual(1);
  });

  it('mean what they mean in JavaScript', async () => {
    const email = { pattern: '^(?!.*\\.\\.)[a-z.]+@(?<host>[a-z]+)$' };
    expect(await checkJson(email, 'a.b@host', 'one')).toEqual([]);
    expect(await checkJson(email, 'a..b@host', 'one')).toHaveLength(1);
    expect(await checkJson({ patternProperties: { '^a': { type: 'number' } } }, { ab: 'x' }, 'one')).toEqual([
      { path: 'ab', message: 'must be a number' },
    ]);
  });

  it('that are invalid or cannot be run are reported as a fault, not thrown', async () => {
    for (const pattern of ['(', '('.repeat(30_000)]) {
      const [fault] = await checkJson({ pattern }, 'x', 'one');
      expect(fault?.message).toMatch(/^cannot be checked: its pattern \(+…? cannot be used$/);
    }
    expect(await checkJson({ pattern: '(((a?){1000}){1000}){1000}' }, 'x', 'one')).toHaveLength(1);
    expect(await checkJson({ pattern: 'x' }, 'x', 'one')).toEqual([]);
  });

  it('are refused when too many are waiting', async () => {
    const waiting = Promise.allSettled(count(150, () => checkJson(evil, endless, 'crowd')));
    await expect(checkJson({ pattern: 'x' }, 'x', 'crowd')).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      retryAfterSeconds: 5,
    });
    expect(await checkJson({ pattern: 'x' }, 'x', 'somebody else')).toEqual([]);
    await stopJsonChecks();
    const reasons = (await waiting).map((one) =>
      one.status === 'rejected' ? codeOf(one.reason) : 'checked',
    );
    expect(reasons.filter((reason) => reason === 'RATE_LIMITED')).toHaveLength(49);
    // Checks that were still waiting at the stop fail with a code that does not blame their value.
    expect(reasons).toContain('NOT_READY');
    expect(new Set(reasons)).toEqual(new Set(['checked', 'RATE_LIMITED', 'NOT_READY']));
    expect(await checkJson({ pattern: 'x' }, 'x', 'one')).toEqual([]);
  });

  it('of a turn wait in the queue, but no longer than the turn', async () => {
    const crowd = new AbortController();
    const waiting = count(150, () => checkJson(evil, endless, 'crowd', crowd.signal));
    const settled = Promise.allSettled(waiting);
    const good = checkJson({ pattern: 'x' }, 'x', 'crowd', new AbortController().signal);
    expect(await waiting[0]).toEqual(tooMuch);
    crowd.abort(new Error('The turn is over.'));
    expect(await good).toEqual([]);
    const messages = (await settled).flatMap((one) =>
      one.status === 'rejected' ? [String(one.reason)] : [],
    );
    expect(new Set(messages)).toEqual(new Set(['Error: The turn is over.']));
  });

  it("are not counted as faults of a person's answer when too many are waiting", async () => {
    const crowd = new AbortController();
    const settled = Promise.allSettled(count(120, () => checkJson(evil, endless, 'crowd', crowd.signal)));
    const asked = {
      workspaceId: 'crowd',
      argumentsSchema: { properties: { code: { pattern: '^[a-z]+$' } } },
      grantable: null,
      toolGrantable: null,
    };
    const answer = { action: 'approve_edited' as const, edited_args: { code: 'abc' } };
    await expect(checkAnswer(asked, answer)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    crowd.abort(new Error('enough'));
    await settled;
    await expect(checkAnswer(asked, answer)).resolves.toBeUndefined();
  });
});
