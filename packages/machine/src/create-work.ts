import type { OperationName } from '@svc/contract/machine-protocol';
import { createCommandWork } from './commands/command-work.ts';
import { detectSandbox } from './commands/sandbox/detect-sandbox.ts';
import { ExplainedError } from './explained-error.ts';
import { createFileWork, resolveDirectory } from './files/file-work.ts';
import type { Work } from './operations/work.ts';

export type SandboxMode = 'auto' | 'required' | 'off';

interface WorkOptions {
  /** Real paths, none inside another. */
  roots: string[];
  stateFolder: string;
  keyFile: string | undefined;
  sandbox: SandboxMode;
  allowNetwork: boolean;
  environment: NodeJS.ProcessEnv;
}

interface MachineWork {
  work: Work;
  sandbox: 'bubblewrap' | 'none';
  warnings: string[];
}

/** Everything that this machine can do, each operation by the part that it belongs to. */
export async function createWork(options: WorkOptions): Promise<MachineWork> {
  const { sandbox, reason } = options.sandbox === 'off' ? {} : await detectSandbox(options);
  if (options.sandbox === 'required' && !sandbox) {
    throw new ExplainedError(
      `Commands cannot run in a sandbox: ${reason}. Without --sandbox required they run anyway.`,
    );
  }
  const { roots, stateFolder } = options;
  // Not all options: these end up in the command line of a process, and the environment contains the key.
  const files = createFileWork({ roots, stateFolder });
  const commands = createCommandWork({ ...options, sandbox, resolveDirectory, builtInSearch: files });
  const partFor = (name: OperationName) => (name === 'run_command' || name === 'search' ? commands : files);
  return {
    work: {
      perform: (operation, run) => partFor(operation.name).perform(operation, run),
      recover: (operation) => partFor(operation.name).recover(operation),
      async close() {
        await commands.close();
        await files.close();
      },
    },
    sandbox: sandbox ? 'bubblewrap' : 'none',
    warnings: sandbox
      ? []
      : [
          `commands run without a sandbox${reason ? ` (${reason})` : ''}: they can read and change whatever you can.`,
        ],
  };
}
