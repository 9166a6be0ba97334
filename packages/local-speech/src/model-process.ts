import { fork, type Serializable } from 'node:child_process';
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ModelFiles } from './model-files.ts';

export type ModelProcess = ReturnType<typeof startModelProcess>;

export interface ModelProcessOptions<Answer> {
  program: URL;
  models: ModelFiles;
  onAnswer(answer: Answer): void;
  /** Called once, for whatever reason it ended. */
  onEnd(reason: Error): void;
}

const maxErrorLength = 2_000;

/** It gets none of our secrets; the compile cache makes it start sooner. Node appends a folder for its own version. */
function environment(): Record<string, string> {
  const cache = getCompileCacheDir();
  return cache === undefined ? {} : { NODE_COMPILE_CACHE: dirname(cache) };
}

/** A process that runs a model. Messages sent after its end are lost. */
export function startModelProcess<Answer>(options: ModelProcessOptions<Answer>) {
  const { program, models, onAnswer, onEnd } = options;
  const child = fork(fileURLToPath(program), [JSON.stringify(models)], {
    serialization: 'advanced',
    execArgv: [],
    env: environment(),
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let complaint = '';
  let hasEnded = false;
  const end = (reason: string) => {
    if (hasEnded) return;
    hasEnded = true;
    onEnd(new Error(`${reason} ${complaint}`.trim()));
  };
  child.stderr?.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk.toString('utf8')).slice(-maxErrorLength);
  });
  child.on('message', (answer) => onAnswer(answer as Answer));
  child.once('error', (error) => {
    child.kill('SIGKILL');
    end(error.message);
  });
  child.once('exit', (code, signal) => end(`The process of the model ended (${signal ?? code}).`));
  return {
    send(message: Serializable): void {
      // A process that has just ended cannot receive anything; its end is reported anyway.
      if (child.connected) child.send(message, () => undefined);
    },
    /** Ends it at once; `onEnd` still reports it. */
    stop: () => child.kill('SIGKILL'),
  };
}
