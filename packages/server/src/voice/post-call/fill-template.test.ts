import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fillTemplate, type TemplateValues, UnfitTemplate } from './fill-template.ts';

const values: TemplateValues = {
  call: {
    call_id: 'c',
    direction: 'inbound',
    from_number: null,
    to_number: '+15550100',
    status: 'completed',
    end_reason: 'caller_hung_up',
    duration_seconds: 61,
    cost_usd: '0.05',
    answered_at: '2026-11-15T09:30:00.000Z',
    ended_at: '2026-11-15T09:31:01.000Z',
    bot_id: 'b',
  },
  transcript: 'Caller: Hello {{summary}}',
  summary: 'Said hello.',
  conversationId: 'c',
};

it('fills strings at any depth, and neither keys nor the choice of a function', () => {
  const template = {
    $function: 'create',
    '{{summary}}': [
      '{{ summary }}',
      { deep: 'It took {{call.duration_seconds}} s, from {{call.from_number}}.' },
    ],
    count: 3,
  };
  expect(fillTemplate(template, values)).toEqual({
    '{{summary}}': ['Said hello.', { deep: 'It took 61 s, from .' }],
    count: 3,
  });
});

it('keeps the type of a value that stands alone', () => {
  const template = { seconds: '{{call.duration_seconds}}', from: '{{call.from_number}}', call: '{{call.*}}' };
  expect(fillTemplate(template, values)).toEqual({ seconds: 61, from: null, call: values.call });
  expect(fillTemplate({ a: '{{call.constructor}}', b: 'x{{nothing}}' }, values)).toEqual({ a: '', b: 'x' });
});

it('never fills in what a caller said', () => {
  fc.assert(
    fc.property(fc.string(), (said) => {
      const transcript = `{{summary}}${said}$&$1{{call.*}}`;
      const filled = fillTemplate({ a: '{{transcript}}', b: '[{{transcript}}]' }, { ...values, transcript });
      expect(filled).toEqual({ a: transcript, b: `[${transcript}]` });
    }),
  );
});

it('refuses what would be too large or too deep', () => {
  const transcript = 'x'.repeat(50_000);
  const many = { a: '{{transcript}} '.repeat(20) };
  expect(() => fillTemplate(many, { ...values, transcript })).toThrow(UnfitTemplate);
  let deep: unknown = 'x';
  for (let level = 0; level < 10_000; level += 1) deep = [deep];
  expect(() => fillTemplate({ deep }, values)).toThrow(UnfitTemplate);
});
