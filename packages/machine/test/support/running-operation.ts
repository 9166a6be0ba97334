import type { OperationName, Outcome } from '@svc/contract/machine-protocol';
import type { Operation, WorkRun } from '../../src/operations/work.ts';

/** An operation that a test lets end. */
export interface Running {
  operation: Operation;
  run: WorkRun;
  end(outcome: Outcome): void;
  fail(error: Error): void;
}

/** Valid ones. */
export const argumentsOf: Partial<Record<OperationName, Record<string, unknown>>> = {
  write_file: { path: 'a', content: 'b' },
  run_command: { command: 'true' },
  edit_file: { path: 'a', old_text: 'b', new_text: 'c' },
  read_file: { path: 'a' },
  search: { query: 'a' },
};
