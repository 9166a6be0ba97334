const opening = '<think>';
const closing = '</think>';

/**
 * Some servers of open models write their reasoning into the reply, between tags at its very beginning. Tags anywhere
 * else belong to the reply: it may be about such tags.
 */
export function createThoughtFilter() {
  let state: 'start' | 'thought' | 'after' | 'reply' = 'start';
  let held = '';

  return {
    /** The part of the text that belongs to the reply. */
    push(text: string): string {
      if (state === 'reply') return text;
      held += text;
      if (state === 'start') {
        const begin = held.trimStart();
        if (begin.length < opening.length && opening.startsWith(begin)) return '';
        state = begin.startsWith(opening) ? 'thought' : 'reply';
      }
      if (state === 'thought') {
        const end = held.indexOf(closing);
        if (end === -1) {
          held = held.slice(-(closing.length - 1));
          return '';
        }
        held = held.slice(end + closing.length);
        state = 'after';
      }
      if (state === 'after') {
        held = held.trimStart();
        if (held === '') return '';
        state = 'reply';
      }
      const reply = held;
      held = '';
      return reply;
    },
    /** What was held back because it could have become a tag. */
    flush(): string {
      const rest = state === 'start' ? held : '';
      held = '';
      return rest;
    },
  };
}
