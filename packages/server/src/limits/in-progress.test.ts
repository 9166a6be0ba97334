import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createInProgress, type Leave } from './in-progress.ts';

it('refuses the one too many, names the limit, and lets in again when one has left', () => {
  const inProgress = createInProgress();
  const leave = inProgress.enter('drafts', 'w', 1);
  expect(() => inProgress.enter('drafts', 'w', 1)).toThrow(
    expect.objectContaining({
      code: 'RATE_LIMITED',
      message: expect.stringMatching(/limit of 1 drafts.*--max-drafts/s),
      details: [{ limit: 'drafts', value: 1 }],
      retryAfterSeconds: expect.any(Number),
    }),
  );
  inProgress.enter('drafts', 'another', 1)();
  inProgress.enter('turns', 'w', 1)();
  leave();
  leave();
  inProgress.enter('drafts', 'w', 1)();
  expect(inProgress.current('drafts', 'w')).toBe(0);
});

it('is never above the limit for those who can be refused, and zero when all have left', () => {
  const step = fc.record({
    isLeaving: fc.boolean(),
    isForced: fc.boolean(),
    workspaceId: fc.constantFrom('a', 'b'),
    index: fc.nat(100),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), fc.integer({ min: 0, max: 5 }), (steps, limit) => {
      const inProgress = createInProgress();
      const inside: { leave: Leave; workspaceId: string }[] = [];
      const count = (id: string) => inside.filter(({ workspaceId }) => workspaceId === id).length;
      for (const { isLeaving, isForced, workspaceId, index } of steps) {
        if (isLeaving) {
          const [gone] = inside.splice(index % (inside.length || 1), 1);
          gone?.leave();
          gone?.leave();
        } else if (isForced) inside.push({ leave: inProgress.count('turns', workspaceId), workspaceId });
        else if (count(workspaceId) >= limit)
          expect(() => inProgress.enter('turns', workspaceId, limit)).toThrow(/limit of/);
        else inside.push({ leave: inProgress.enter('turns', workspaceId, limit), workspaceId });
        for (const id of ['a', 'b']) expect(inProgress.current('turns', id)).toBe(count(id));
      }
      for (const { leave } of inside) leave();
      for (const id of ['a', 'b']) expect(inProgress.current('turns', id)).toBe(0);
    }),
  );
});
