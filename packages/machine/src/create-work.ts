import type { OperationName, Outcome, Preview } from '@svc/contract/machine-protocol';
import { createCommandWork } from './commands/command-work.ts';
import { detectSandbox } from './commands/sandbox/detect-sandbox.ts';
import { type IsolatedNetwork, openNetwork } from './commands/sandbox/network.ts';
import { ExplainedError, explain } from './explained-error.ts';
import { createFileWork, resolveDirectory } from './files/file-work.ts';
import type { Operation, Work } from './operations/work.ts';

/** `isolated`: the outside, but nothing that listens on this machine only. */
export type NetworkChoice = 'none' | 'isolated' | 'host';

interface WorkOptions {
  /** Real paths, none inside another. */
  roots: string[];
  stateFolder: string;
  keyFile: string | undefined;
  /** False if the owner lets commands run without a sandbox. */
  isSandboxed: boolean;
  network: NetworkChoice;
  /** Commands in the sandbox see files that may have passwords or keys in them. */
  showsSecrets: boolean;
  environment: NodeJS.ProcessEnv;
}

interface MachineWork {
  work: Work;
  sandbox: 'bubblewrap' | 'none';
  runsCommands: boolean;
  warnings: string[];
}

/** Everything that this machine can do, each operation by the part that it belongs to. */
export async function createWork(options: WorkOptions): Promise<MachineWork> {
  const { roots, stateFolder, isSandboxed } = options;
  const network = isSandboxed && options.network === 'isolated' ? await isolate(options) : undefined;
  const choice = network ?? (options.network === 'host' ? 'host' : 'none');
  const { sandbox, reason } = isSandboxed ? await detectSandbox({ ...options, network: choice }) : {};
  const refusal = isSandboxed && !sandbox ? explainRefusal(reason ?? 'unknown') : undefined;
  // Not all options: these end up in the command line of a process, and the environment contains the key.
  const files = createFileWork({ roots, stateFolder });
  const commands = createCommandWork({ ...options, sandbox, resolveDirectory, files });
  const ofCommands: readonly OperationName[] = ['run_command', 'search', 'describe_project'];
  const partFor = (name: OperationName) => (ofCommands.includes(name) ? commands : files);
  return {
    work: {
      async perform(operation, run): Promise<Outcome> {
        if (refusal !== undefined && isAboutCommand(operation)) return { status: 'error', message: refusal };
        return partFor(operation.name).perform(operation, run);
      },
      recover: (operation) => partFor(operation.name).recover(operation),
      async close() {
        await commands.close();
        await files.close();
        network?.close();
      },
    },
    sandbox: sandbox ? 'bubblewrap' : 'none',
    runsCommands: refusal === undefined,
    warnings: [
      ...(refusal === undefined ? [] : [refusal]),
      ...(isSandboxed
        ? []
        : ['commands run without a sandbox (--no-sandbox): they can read and change whatever you can.']),
    ],
  };
}

async function isolate(options: WorkOptions): Promise<IsolatedNetwork> {
  return openNetwork(options).catch((error: unknown) => {
    throw new ExplainedError(
      `--allow-network needs a network of its own for commands: ${explain(error)}. Install slirp4netns, or use --allow-network=host, with which commands also reach everything that listens on 127.0.0.1 here.`,
    );
  });
}

function explainRefusal(reason: string): string {
  return `commands are refused on this machine, because they cannot run in a sandbox: ${reason}. Reading and changing files works. Its owner can install bubblewrap (on Debian and Ubuntu: apt install bubblewrap) and start svc-machine again, or start it with --no-sandbox to let commands do whatever they can do themselves.`;
}

/** A person should not be asked to approve a command that will be refused. */
function isAboutCommand({ name, arguments: given }: Operation): boolean {
  return (
    name === 'run_command' ||
    (name === 'preview' && (given as unknown as Preview).operation === 'run_command')
  );
}
