import type { OperationName, Outcome } from '@svc/contract/machine-protocol';
import type { Operation, Work } from '../operations/work.ts';
import { isChangeName } from './change-names.ts';
import { createFileProcess, type Ended, type FileProcess } from './process/file-process.ts';
import type { FileRequest } from './process/request.ts';
import { timeLimits } from './time-limits.ts';

export { resolveDirectory } from '../confine/workdir.ts';

/** Everything about files: reading, searching without ripgrep, previews, changes and taking them back. */
export function createFileWork(options: { roots: readonly string[]; stateFolder: string }): Work {
  // A search that hangs must hold up neither reads nor changes.
  const changes = createFileProcess({ ...options, makesChanges: true });
  const reads = createFileProcess({ ...options, makesChanges: false });
  const searches = createFileProcess({ ...options, makesChanges: false });

  function processFor(name: OperationName): FileProcess {
    if (hasEffects(name)) return changes;
    return ['list_files', 'search', 'describe_project'].includes(name) ? searches : reads;
  }

  async function recover(operation: Pick<Operation, 'id' | 'name'>): Promise<Outcome> {
    if (!hasEffects(operation.name)) return failed('The operation was interrupted; repeat it.');
    const request: FileRequest = { kind: 'recover', operation: { id: operation.id, name: operation.name } };
    const limits = { timeLimitMs: timeLimits.change, isInterruptible: false };
    const answer = await changes.request(request, limits);
    if (typeof answer !== 'string') return answer;
    return {
      status: 'unknown',
      message: 'The change was interrupted, and what became of it cannot be read.',
    };
  }

  return {
    recover,
    async perform(operation, { signal }) {
      const request: FileRequest = { kind: 'perform', operation };
      // A change that has started is not interrupted: it ends soon, and is whole then.
      const isChange = hasEffects(operation.name);
      const timeLimitMs = isChange ? timeLimits.change : timeLimits.read;
      const limits = { timeLimitMs, signal, isInterruptible: !isChange };
      const answer = await processFor(operation.name).request(request, limits);
      if (typeof answer !== 'string') return answer;
      return isChange && answer !== 'aborted' ? recover(operation) : failed(explain(answer));
    },
    async close() {
      await Promise.all([changes, reads, searches].map((files) => files.close()));
    },
  };
}

function hasEffects(name: OperationName): boolean {
  return name === 'revert' || isChangeName(name);
}

function explain(ended: Ended): string {
  if (ended === 'aborted') return 'The operation was cancelled.';
  if (ended === 'crashed') return 'The process that works on files ended unexpectedly; try again.';
  return `The operation took longer than ${timeLimits.read / 1000} s. Narrow it to fewer or smaller files.`;
}

function failed(message: string): Outcome {
  return { status: 'error', message };
}
