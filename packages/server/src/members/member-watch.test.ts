import { expect, it } from 'vitest';
import { createMemberWatch } from './member-watch.ts';

it('calls back for the person, and for everybody after a reconnect, until it is told to stop', () => {
  const watch = createMemberWatch();
  const called: string[] = [];
  const stop = watch.onChanged('ada', () => called.push('ada'));
  watch.onChanged('ada', () => called.push('ada elsewhere'));
  watch.onChanged('grace', () => called.push('grace'));
  watch.hear('ada');
  watch.hear('nobody');
  expect(called.splice(0)).toEqual(['ada', 'ada elsewhere']);
  // Notifications were missed meanwhile.
  watch.setListening(false);
  expect(called).toEqual([]);
  watch.setListening(true);
  expect(called.splice(0)).toEqual(['ada', 'ada elsewhere', 'grace']);
  stop();
  watch.hear('ada');
  expect(called).toEqual(['ada elsewhere']);
});
