import type { OperationFrame, OperationName } from '@svc/contract/machine-protocol';
import { expect, it } from 'vitest';
import { describeOperation, describeOutcome } from './describe-operation.ts';

it.each<[OperationName, Record<string, unknown>, string]>([
  ['check_workdir', {}, 'check the folder /shop'],
  ['list_files', {}, 'list . in /shop'],
  ['edit_file', { path: 'a\n.ts' }, 'edit a\\n.ts in /shop'],
  ['preview', { operation: 'run_command', arguments: { command: 'make' } }, 'preview: run make in /shop'],
  ['revert', { operation_ids: ['x'] }, 'revert 1 change'],
  ['revert', { operation_ids: ['x', 'y'] }, 'revert 2 changes'],
])('describes %s with %j', (name, given, text) => {
  const frame = { name, arguments: given, workdir: '/shop' } as OperationFrame;
  expect(describeOperation(frame)).toBe(text);
});

it('describes what was reverted', () => {
  const files = [{ operation_id: 'x', path: 'a', outcome: 'restored' }];
  expect(describeOutcome('revert', { status: 'ok', value: { files } })).toBe('1 of 1 file reverted');
});
