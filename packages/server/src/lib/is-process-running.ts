import { errorCode } from './error-code.ts';

/** Whether a process has this id. One that reuses it, or that we may not signal, counts as running. */
export function isProcessRunning(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== 'ESRCH';
  }
}
