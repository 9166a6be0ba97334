import { fork, type Serializable } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { threadEnvironment } from '../../lib/thread-environment.ts';
import type { ModelFiles } from './model-files.ts';

/** A process that runs a model. What is sent after its end is lost. */
export interface ModelProcess {
  send(message: Serializable): void;
  /** Ends it at once; `onEnd` still reports it. */
  stop(): void;
}

export interface ModelProcessOptions<Answer> {
  program: URL;
  models: ModelFiles;
  onAnswer(answer: Answer): void;
  /** Called once, for whatever reason it ended. */
  onEnd(reason: Error): void;
}

const maxErrorLength = 2_000;

export function startModelProcess<Answer>(options: ModelProcessOptions<Answer>): ModelProcess {
  const { program, models, onAnswer, onEnd } = options;
  const child = fork(fileURLToPath(program), [JSON.stringify(models)], {
    serialization: 'advanced',
    execArgv: [],
    // It needs none of our secrets.
    env: threadEnvironment(),
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
    send(message) {
      // A process that has just ended cannot be sent anything; its end is reported anyway.
      if (child.connected) child.send(message, () => undefined);
    },
    stop: () => child.kill('SIGKILL'),
  };
}
