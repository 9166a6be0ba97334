import { describe, expect, it } from 'vitest';
import { createKeypad, hasPlaceholder } from './keypad.ts';

describe('what is shown of keypad input', () => {
  it.each([
    ['1', '1'],
    ['12', '**** [keypad:1]'],
    ['1234', '**** [keypad:1]'],
    ['1234567', '**** [keypad:1]'],
    ['12345678', '****5678 [keypad:1]'],
    ['4111111111111111', '****1111 [keypad:1]'],
  ])('of %s: %s', (digits, shown) => {
    expect(createKeypad(true).note(digits, 0)).toBe(shown);
    expect(createKeypad(false).note(digits, 0)).toBe(digits);
  });

  it('is a single digit only as a choice, not as a part of something that is typed slowly', () => {
    const keypad = createKeypad(true);
    expect([keypad.note('1', 0), keypad.note('2', 60_000)]).toEqual(['1', '**** [keypad:1]']);
    keypad.noteReply();
    expect(keypad.note('3', 120_000)).toBe('3');
  });

  it('is not a PIN that is typed slowly, whatever the bot says in between', () => {
    const keypad = createKeypad(true);
    const shown = '4815'.split('').map((digit, index) => {
      keypad.noteReply();
      return keypad.note(digit, index * 9_000);
    });
    expect(shown).toEqual(['4', '**** [keypad:1]', '**** [keypad:2]', '**** [keypad:3]']);
  });
});

it('gives tools the digits, and hides them in what comes back', () => {
  const keypad = createKeypad(true);
  keypad.note('4111111111111111', 0);
  keypad.note('737', 0);
  const given = { card: '[keypad:1]', nested: [{ text: 'cvc=[keypad:2]!' }], amount: 12 };
  expect(hasPlaceholder(given)).toBe(true);
  expect(keypad.fillIn(given)).toEqual({
    card: '4111111111111111',
    nested: [{ text: 'cvc=737!' }],
    amount: 12,
  });
  expect(keypad.fillIn({ card: '[keypad:3]' })).toBeUndefined();
  const echoed = {
    card: 4111111111111111,
    text: 'Card 4111 1111 1111 1111, 4111-1111-1111-1111, cvc 737.',
    list: ['737', 737, 7371, true, null],
  };
  expect(keypad.hide(echoed)).toEqual({
    card: '****1111',
    text: 'Card ****1111, ****1111, cvc ****.',
    list: ['****', '****', 7371, true, null],
  });
});

describe('digits in what comes back are hidden', () => {
  /** Fills in the text for a tool that returns something. */
  function echo(entered: string[], given: string, returned = (filled: string) => filled): string {
    const keypad = createKeypad(true);
    for (const digits of entered) keypad.note(digits, 0);
    const { text } = keypad.fillIn({ text: given }) as { text: string };
    for (const digits of entered) expect(text).toContain(digits);
    return keypad.hide(returned(text));
  }

  it.each([
    ['groups that are joined', ['4111', '1111', '1234'], '[keypad:1][keypad:2][keypad:3]', '****'],
    ['short groups that are joined', ['12', '737'], 'n=[keypad:1][keypad:2].', 'n=****.'],
    ['digits that are typed slowly', ['48', '1', '5'], '[keypad:1][keypad:2][keypad:3]', '****'],
    ['after another digit', ['4111111111111234'], '0[keypad:1]', '****'],
    ['before another digit', ['737'], '[keypad:1]0', '****'],
    ['with a PIN that touches them', ['4111111111111234', '9174'], '[keypad:1][keypad:2]', '****'],
    ['with keys that are no digits', ['#12*34'], 'pin=[keypad:1]', 'pin=#****'],
  ])('%s', (_what, entered, given, shown) => {
    expect(echo(entered, given)).toBe(shown);
  });

  it('in an address', () => {
    expect(echo(['#1234'], '[keypad:1]', (text) => `/?pin=${encodeURIComponent(text)}`)).toMatch(
      /^\/\?pin=%(23)?\*{4}$/,
    );
    expect(echo(['737'], '#[keypad:1]', (text) => encodeURIComponent(text))).toMatch(/^%(23)?\*{4}$/);
  });

  it.each([
    '\u00a0',
    ', ',
    '  ',
    '\u2013',
    '/',
    '_',
    '+',
    ' - ',
    '%20',
    '%2C%20',
    String.raw`\u00a0`,
    '&#160;',
  ])('between groups with %j', (separator) => {
    const card = '4111111111111234';
    const grouped = (text: string) => `a ${text.replaceAll(/\d{4}(?=\d)/g, `$&${separator}`)} b`;
    expect(echo([card], '[keypad:1]', grouped)).toMatch(/^a \*{4}(1234)? b$/);
  });

  it('but other numbers are not', () => {
    expect(
      echo(['737', '9174'], '[keypad:1], then [keypad:2]', () => '1737 7370 91-7 9 1 7 five 4 2026'),
    ).toBe('1737 7370 91-7 9 1 7 five 4 2026');
  });
});

it('keeps the latest 50 entries', () => {
  const keypad = createKeypad(true);
  for (let number = 0; number < 51; number += 1) keypad.note(String(1_000 + number), 0);
  expect(keypad.fillIn({ pin: '[keypad:1]' })).toBeUndefined();
  expect(keypad.fillIn({ pins: '[keypad:2] [keypad:51]' })).toEqual({ pins: '1001 1050' });
});

it('is not kept busy by texts in which much could be a digit', () => {
  const keypad = createKeypad(true);
  const entered = Array.from({ length: 50 }, (_, index) => '20'.repeat(index % 20).padEnd(40, String(index)));
  for (const digits of entered) keypad.note(digits, 0);
  const text = `${'2%2020'.repeat(10_000)} ${entered[7]}`;
  expect(keypad.hide(text).includes(entered[7] ?? '')).toBe(false);
});
