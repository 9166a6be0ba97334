import type { OutputConfig } from '@svc/contract/bots';
import { describe, expect, it } from 'vitest';
import { readOutput as read } from './run-output.ts';

const readOutput = (config: OutputConfig | null, said: string) =>
  read(config, said, 'a-workspace', AbortSignal.timeout(60_000));

const schema = {
  type: 'object',
  properties: { count: { type: 'integer' }, names: { type: 'array', items: { type: 'string' } } },
  required: ['count'],
  additionalProperties: false,
};

describe('an output as text', () => {
  it.each([null, { format: 'text' as const }, { format: 'text' as const, schema }])(
    'is taken as it is',
    async (config) => {
      expect(await readOutput(config, ' {"not": json ')).toEqual({ kind: 'usable', text: ' {"not": json ' });
    },
  );
});

describe('an output as JSON', () => {
  it.each([
    ['{"count":4}', '{"count":4}'],
    ['\n  {"count": 4}  \n', '{"count":4}'],
    ['```json\n{"count":4}\n```', '{"count":4}'],
    ['```\n{"count":4}\n```', '{"count":4}'],
    ['Here it is:\n\n```json\n{"count":4}\n```\nAnything else?', '{"count":4}'],
    ['Not {"count":3}:\n```json\n{"count":4}\n```', '{"count":4}'],
    ['{"count":4,"names":["```json\\n{}\\n```"]}', '{"count":4,"names":["```json\\n{}\\n```"]}'],
    ['{"count":4,"names":["\\u0000a"]}', '{"count":4,"names":["a"]}'],
  ])('can be %s', async (said, text) => {
    expect(await readOutput({ format: 'json', schema }, said)).toEqual({ kind: 'usable', text });
  });

  it('may be any value where there is no schema', async () => {
    for (const text of ['null', '7', '"four"', '[]']) {
      expect(await readOutput({ format: 'json' }, text)).toEqual({ kind: 'usable', text });
    }
  });

  it.each([
    ['There are four.', ['The output is not valid JSON: ']],
    ['{"count":4} is my answer', ['The output is not valid JSON: ']],
    [
      '```json\n{"count":4}\n```\nor\n```json\n{"count":5}\n```',
      ['The output is more than one block of JSON'],
    ],
    ['[]', ['The output must be an object']],
    ['{"count":"four","name":"x"}', ['count must be an integer', 'name is not']],
  ])('cannot be %s', async (said, faults) => {
    const output = await readOutput({ format: 'json', schema }, said);
    expect(output).toEqual({
      kind: 'unusable',
      faults: faults.map((fault) => expect.stringContaining(fault)),
    });
  });
});
