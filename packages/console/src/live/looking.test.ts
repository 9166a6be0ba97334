import type { Looker } from '@svc/contract/live';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createLooking } from './looking.ts';

const page = { visibilityState: 'visible' };
beforeEach(() => {
  vi.useFakeTimers();
  page.visibilityState = 'visible';
  vi.stubGlobal('document', page);
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

function open() {
  const sent: string[] = [];
  const looking = createLooking((request) => {
    if (request.type === 'look')
      sent.push(request.is_typing ? `${request.conversation_id} types` : request.conversation_id);
  });
  const shown: (readonly Looker[])[] = [];
  return { sent, looking, shown, look: (id: string) => looking.look(id, (lookers) => shown.push(lookers)) };
}

it('says again and again what the member looks at, while the page is visible and until they leave', async () => {
  const { sent, looking, look } = open();
  const first = look('a');
  expect(sent).toEqual([]);
  looking.resume(true);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(sent.splice(0)).toEqual(['a', 'a']);
  page.visibilityState = 'hidden';
  await vi.advanceTimersByTimeAsync(20_000);
  expect(sent).toEqual([]);
  page.visibilityState = 'visible';
  const second = look('b');
  first.end();
  expect(sent.splice(0)).toEqual(['b']);
  second.end();
  expect(vi.getTimerCount()).toBe(0);
});

it('says once per few seconds that they type, and at once that they have stopped', async () => {
  const { sent, looking, look } = open();
  looking.resume(true);
  const { type } = look('a');
  for (let letter = 0; letter < 20; letter += 1) {
    type(true);
    await vi.advanceTimersByTimeAsync(200);
  }
  expect(sent.splice(0)).toEqual(['a', 'a types', 'a types']);
  type(false);
  type(false);
  expect(sent.splice(0)).toEqual(['a']);
  type(true);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(sent).toEqual(['a types', 'a types', 'a']);
});

it('asks nothing of a node that does not know it, and shows nobody without a connection', () => {
  const { sent, looking, look, shown } = open();
  looking.resume(false);
  look('a');
  expect(sent).toEqual([]);
  looking.receive('a', [{ id: 'g', name: 'Grace', is_typing: false }]);
  looking.receive('b', []);
  looking.pause();
  expect(shown).toEqual([[{ id: 'g', name: 'Grace', is_typing: false }], []]);
});
