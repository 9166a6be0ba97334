import { describe, expect, it } from 'vitest';
import { hasWords, speakable } from './speakable.ts';

describe('what is spoken', () => {
  it.each([
    ['**Yes**, that is _fine_.', 'Yes, that is fine.'],
    ['## Returns\n\n1. Pack it\n2. Send it', 'Returns Pack it Send it'],
    ['- one\n- two', 'one two'],
    ['See [our page](https://example.com/returns?x=1).', 'See our page.'],
    ['See https://www.example.com/a/b?c=d for more.', 'See example.com for more.'],
    ['Run `npm start` or\n```sh\nrm -rf /\n```\nnow.', 'Run npm start or now.'],
    ['![A parcel](https://example.com/x.png) Your parcel 📦 left.', 'A parcel Your parcel left.'],
    ['| a | b |\n|---|---|\n| 1 | 2 |', 'a, b, 1, 2'],
    ['2 * 3 is 6 and snake_case stays.', '2 * 3 is 6 and snake_case stays.'],
    ['<b>Hello</b> there!', 'Hello there!'],
    ['Ends with an open fence ```js\nconst x', 'Ends with an open fence'],
    ['They wrote:\n> We are closed.\n>\n>> Really?\n>Yes.', 'They wrote: We are closed. Really? Yes.'],
    ['> - one\n> - two', 'one two'],
    ['3 > 2 and a->b stay.', '3 > 2 and a->b stay.'],
    ['👍', ''],
    ['Open until six [1]. Closed on Sunday [2, 3]', 'Open until six. Closed on Sunday'],
    ['See [1](https://example.com/1).', 'See 1.'],
    ['Fine 👍🏽 thanks 👨‍👩‍👧 🇩🇪 1️⃣', 'Fine thanks 1'],
    ['See www.example.com/a?b, or https://example.com?a=b.', 'See example.com, or example.com.'],
    ['It is [known][ref] [1, 2], and 2 \\* 3 [^4].', 'It is known, and 2 * 3.'],
    ['- [x] done\n- [ ] open', 'done open'],
    ['Write to <mailto:a@example.com> or <b@example.com>.', 'Write to a@example.com or b@example.com.'],
    ['***\n\nSo, yes, ', 'So, yes'],
  ])('%j', (text, spoken) => {
    expect(speakable(text)).toBe(spoken);
  });

  it('takes no longer for texts that were made to be slow', () => {
    for (const unit of ['|', '-', ' |', '*', '_ ', '`', '[', '](', '<a', '> ', ', ', '# '])
      expect(speakable(unit.repeat(20_000)).length).toBeLessThanOrEqual(60_000);
  });

  it('knows what has no words', () => {
    expect(['…', '!?', '', ' - '].some(hasWords)).toBe(false);
    expect(['7', 'a', 'ja!', '你好'].every(hasWords)).toBe(true);
  });
});
