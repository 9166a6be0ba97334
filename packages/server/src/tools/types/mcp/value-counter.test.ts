import { expect, it } from 'vitest';
import { createValueCounter } from './value-counter.ts';

const count = (text: string, isStream = false) => createValueCounter(isStream)(text);

it.each([
  ['[{},{},{}]', 6],
  ['{"a":1,"b":[1,2]}', 4],
  ['"a,b,[{"', 0],
  ['["a\\",b","\\\\",1]', 3],
  ['{}\n\n{}', 2],
])('counts %j', (text, expected) => expect(count(text)).toBe(expected));

it('counts the same, however the text is cut', () => {
  const text = '{"a,":["\\",",1,{"b":[]}]}';
  for (let cut = 0; cut <= text.length; cut += 1) {
    const counter = createValueCounter(false);
    counter(text.slice(0, cut));
    expect(counter(text.slice(cut))).toBe(count(text));
  }
});

it.each(['\n', '\r\n', '\r'])(
  'counts each message of a stream by itself, with lines that end in %j',
  (end) => {
    const message = `event: message${end}data: [1,${end}data: 2,{}]${end}${end}`;
    expect(count(message.repeat(5), true)).toBe(4);
  },
);

it('is not fooled by quotes that begin no text of the message', () => {
  expect(count(': "\nevent: "\ndata: [1,2]\n\n', true)).toBe(2);
});
