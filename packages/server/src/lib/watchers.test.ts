import { expect, it } from 'vitest';
import { createWatchers } from './watchers.ts';

it('calls back for a name, and for every name, until it is told to stop', () => {
  const { watch, notify, notifyAll, names } = createWatchers();
  const called: string[] = [];
  const stop = watch('ada', () => called.push('ada'));
  const stopElsewhere = watch('ada', () => called.push('ada elsewhere'));
  watch('grace', () => called.push('grace'));
  notify('ada');
  notify('nobody');
  expect(called.splice(0)).toEqual(['ada', 'ada elsewhere']);
  notifyAll();
  expect(called.splice(0)).toEqual(['ada', 'ada elsewhere', 'grace']);
  stop();
  notify('ada');
  expect(called.splice(0)).toEqual(['ada elsewhere']);
  stopElsewhere();
  expect(names()).toEqual(['grace']);
  // A function that was called already does not end another watch.
  watch('ada', () => called.push('ada again'));
  stop();
  notify('ada');
  expect(called).toEqual(['ada again']);
});
