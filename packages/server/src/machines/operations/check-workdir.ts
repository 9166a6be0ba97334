import type { CheckedWorkdir } from '@svc/contract/machine-protocol';
import { AppError } from '../../lib/app-error.ts';
import { newId } from '../../lib/new-id.ts';
import type { Operations } from './machine-operation.ts';
import type { Performer } from './performer.ts';

const timeLimitMs = 5_000;

export function createWorkdirCheck(
  performer: Pick<Performer, 'perform'>,
  connectMs: number,
): Operations['checkWorkdir'] {
  return async (workspaceId, machineId, workdir, botId) => {
    const target = { id: newId(), workspaceId, machineId, workdir, timeLimitMs };
    const outcome = await performer.perform(
      { ...target, name: 'check_workdir', arguments: {}, botId, conversationId: undefined },
      { signal: new AbortController().signal, onProgress: () => undefined },
      connectMs,
    );
    if (outcome.status === 'unknown')
      throw new AppError('MACHINE_OFFLINE', { message: 'The machine does not respond.' });
    if (outcome.status === 'error') return { refused: outcome.message };
    const { workdir: realPath } = (outcome.value ?? {}) as Partial<CheckedWorkdir>;
    return typeof realPath === 'string' ? { workdir: realPath } : { refused: 'The machine gave no path.' };
  };
}
