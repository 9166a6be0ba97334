import { describe, expect, it } from 'vitest';
import { explainEnd } from './explain-end.ts';
import { packMessage } from './extraction-message.ts';
import { usualLimits } from './limits.ts';
import type { ChildEnd } from './run-child.ts';

const end = (given: Partial<ChildEnd>): ChildEnd => ({
  output: Buffer.alloc(0),
  complaint: '',
  code: 0,
  signal: null,
  stopped: null,
  ...given,
});
const said = (head: object, body: string) => Buffer.concat(packMessage(head, Buffer.from(body)));

describe('the end of a child', () => {
  it('is an answer when all of it is there', () => {
    const answer = { done: 'extract', length: 4, title: null, pages: null };
    expect(explainEnd(end({ output: said(answer, 'text') }), usualLimits)).toEqual({
      answer,
      body: Buffer.from('text'),
    });
  });

  it.each<[string, Partial<ChildEnd>, string, boolean]>([
    ['a refusal', { output: said({ refused: 'No.', cause: 'x' }, '') }, 'No.', false],
    ['too long', { signal: 'SIGKILL', stopped: 'time' }, 'It took longer than 60 s to read.', false],
    [
      'too long, says the system',
      { signal: 'SIGXCPU', code: null },
      'It took longer than 60 s to read.',
      false,
    ],
    [
      'too much',
      { signal: 'SIGKILL', stopped: 'output' },
      'It contains more than 10 MB of text: split it into smaller files.',
      false,
    ],
    [
      'no memory',
      { signal: 'SIGABRT', code: null, complaint: 'FATAL ERROR: … JavaScript heap out of memory' },
      'It takes more than 512 MB of memory to read: split it into smaller files or save it again.',
      false,
    ],
    [
      'ended by others',
      { signal: 'SIGKILL', code: null },
      'Its reading was ended from outside: the machine may be short of memory.',
      true,
    ],
    ['a crash', { signal: 'SIGSEGV', code: null }, 'It cannot be read: the file seems to be damaged.', false],
    [
      'an uncaught error',
      { code: 1, complaint: 'Error: x' },
      'It cannot be read: the file seems to be damaged.',
      false,
    ],
    [
      'half an answer',
      { output: said({ done: 'extract', length: 9 }, 'text') },
      'It cannot be read: the file seems to be damaged.',
      false,
    ],
    [
      'no answer',
      { output: Buffer.from('hello') },
      'It cannot be read: the file seems to be damaged.',
      false,
    ],
  ])('may be %s', (_name, given, message, passing) => {
    expect(explainEnd(end(given), usualLimits)).toMatchObject({ message, passing });
  });
});
