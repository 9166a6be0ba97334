import { expect, it } from 'vitest';
import { codeOptions, codeSessionOf, hasCode } from './code-options.ts';

const remembered = { machine_id: 'a', workdir: '/one', is_planning: true };

it('a conversation fills in what a message does not say', () => {
  const known = { code_machine_id: 'a', code_workdir: '/one', is_planning: true };
  expect(codeOptions({}, remembered)).toEqual(known);
  expect(codeOptions({ code_workdir: '/two' }, remembered)).toEqual({ ...known, code_workdir: '/two' });
  expect(codeOptions({ code_machine_id: 'A' }, remembered)).toEqual({ ...known, code_machine_id: 'A' });
  // A directory of another machine is not the same.
  expect(codeOptions({ code_machine_id: 'b' }, remembered)).toEqual({
    code_machine_id: 'b',
    is_planning: true,
  });
  expect(codeOptions({}, {})).toEqual({});
});

it('the mode is what the last message said', () => {
  expect(codeOptions({ code_mode: 'work' }, remembered)).toEqual({
    code_machine_id: 'a',
    code_workdir: '/one',
  });
  expect(codeOptions({ code_mode: 'plan' }, {})).toEqual({ is_planning: true });
});

it('what is remembered can be read again', () => {
  expect(codeSessionOf(codeOptions({}, remembered))).toEqual(remembered);
  expect(hasCode({})).toBe(false);
  expect(hasCode({ code_mode: 'work' })).toBe(true);
});
