import { AppError } from '../../../lib/app-error.ts';
import type { CodeTarget, Configuration } from '../../tool-type.ts';

/** Where a coding tool works: its configuration wins, and the turn fills in what that leaves blank. */
export function codeTargetOf(configuration: Configuration, ofTurn: CodeTarget = {}): CodeTarget {
  const machineId = filled(configuration['machine_id']) ?? filled(ofTurn.machineId);
  const workdir = filled(configuration['workdir']) ?? filled(ofTurn.workdir);
  return {
    // Ids are compared as text.
    ...(machineId !== undefined && { machineId: machineId.toLowerCase() }),
    ...(workdir !== undefined && { workdir }),
  };
}

/** Throws VALIDATION_FAILED that names what is missing and how to set it. */
export function requireTarget({ machineId, workdir }: CodeTarget): Required<CodeTarget> {
  if (machineId === undefined) throw missing('machine', 'machine_id', 'code_machine_id');
  if (workdir === undefined) throw missing('directory', 'workdir', 'code_workdir');
  return { machineId, workdir };
}

function missing(what: string, field: string, ofTurn: string): AppError {
  const message = `This tool has no ${what} to work on: set ${field} in its configuration, or send the message with ${ofTurn}.`;
  return new AppError('VALIDATION_FAILED', { message, details: [{ path: ofTurn, message: 'is required' }] });
}

function filled(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
