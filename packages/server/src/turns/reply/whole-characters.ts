import { storable } from '../../validation/storable.ts';

/**
 * Returns text in chunks that never end inside a surrogate pair, without characters that PostgreSQL cannot store: a model may
 * write anything.
 */
export function createWholeCharacters(): { push(text: string): string; flush(): string } {
  let held = '';
  return {
    push(text) {
      const whole = held + text;
      const last = whole.charCodeAt(whole.length - 1);
      const endsInHalf = last >= 0xd800 && last <= 0xdbff;
      held = endsInHalf ? whole.slice(-1) : '';
      return storable(endsInHalf ? whole.slice(0, -1) : whole);
    },
    /** At the end: half a surrogate pair is replaced. */
    flush() {
      const left = held ? '\uFFFD' : '';
      held = '';
      return left;
    },
  };
}
