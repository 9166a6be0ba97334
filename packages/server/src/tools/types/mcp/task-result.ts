import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import type { CallWatch } from './call-watch.ts';
import { readTask } from './read-answers.ts';

const pollMs = { usual: 1_000, least: 250, most: 5_000 };
const cancelWithinMs = 2_000;

export interface TaskRun {
  /** For each request. When the signal aborts, the server is told to cancel the task. */
  options: { signal: AbortSignal; timeout: number };
  watch: CallWatch;
  onProgress(text: string): void;
  /** The task could not be cancelled. */
  onLeft(error: unknown): void;
}

/** Waits for a task and fetches its result. What it asks a person arrives with the request for the result. */
export async function taskResult(
  client: Client,
  created: Readonly<Record<string, unknown>>,
  { options, watch, onProgress, onLeft }: TaskRun,
): Promise<Readonly<Record<string, unknown>>> {
  let task = readTask(created['task']);
  const params = { taskId: task.taskId };
  let shown: string | undefined;
  try {
    while (task.status === 'working') {
      const { usual, least, most } = pollMs;
      await sleep(Math.min(Math.max(task.pollInterval ?? usual, least), most), undefined, options);
      task = readTask(await client.request({ method: 'tasks/get', params }, ResultSchema, options));
      watch.heard();
      if (task.statusMessage !== undefined && task.statusMessage !== shown) onProgress(task.statusMessage);
      shown = task.statusMessage;
    }
    return await client.request({ method: 'tasks/result', params }, ResultSchema, options);
  } catch (error) {
    if (options.signal.aborted) {
      // Whoever stopped the call does not wait for this.
      const within = { timeout: cancelWithinMs };
      client.request({ method: 'tasks/cancel', params }, ResultSchema, within).catch(onLeft);
    }
    throw error;
  }
}
