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
    expect(createKeypad(true).note(digits)).toBe(shown);
    expect(createKeypad(false).note(digits)).toBe(digits);
  });

  it('is a single digit only as a choice, not as a part of something that is typed slowly', () => {
    const keypad = createKeypad(true);
    expect([keypad.note('1'), keypad.note('2')]).toEqual(['1', '**** [keypad:1]']);
    keypad.noteReply();
    expect(keypad.note('3')).toBe('3');
  });
});

it('gives tools the digits, and hides them in what comes back', () => {
  const keypad = createKeypad(true);
  keypad.note('4111111111111111');
  keypad.note('737');
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
