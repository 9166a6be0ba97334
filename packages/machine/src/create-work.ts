import type { OperationName, Outcome, Preview } from '@svc/contract/machine-protocol';
import type { BackgroundLimits } from './commands/background/background-processes.ts';
import { createCommandWork } from './commands/command-work.ts';
import { detectSandbox } from './commands/sandbox/detect-sandbox.ts';
import { type IsolatedNetwork, openNetwork } from './commands/sandbox/network.ts';
import type { Sandbox } from './commands/sandbox/sandbox.ts';
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
  backgroundLimits?: Partial<BackgroundLimits>;
}

interface MachineWork {
  work: Work;
  sandbox: 'bubblewrap' | 'none';
  runsCommands: boolean;
  warnings: string[];
}

const ofCommands: readonly OperationName[] = [
  'run_command',
  'start_process',
  'read_process',
  'stop_process',
  'search',
  'describe_project',
];

/** Everything that this machine can do, each operation by the part that it belongs to. */
export async function createWork(options: WorkOptions): Promise<MachineWork> {
  const { roots, stateFolder, isSandboxed } = options;
  const network = isSandboxed && options.network === 'isolated' ? await isolate(options) : undefined;
  const choice = network ?? (options.network === 'host' ? 'host' : 'none');
  const { sandbox, reason } = isSandboxed ? await detectSandbox({ ...options, network: choice }) : {};
  const refusal = isSandboxed && !sandbox ? explainRefusal(reason ?? 'unknown') : undefined;
  const networks = createNetworkSandbox(options);
  // Not all options: these end up in the command line of a process, and the environment contains the key.
  const files = createFileWork({ roots, stateFolder });
  const commands = createCommandWork(
    { ...options, sandbox, openNetworkSandbox: networks.open, resolveDirectory, files },
    options.backgroundLimits,
  );

  const partFor = (name: OperationName) => (ofCommands.includes(name) ? commands : files);
  return {
    work: {
      async perform(operation, run): Promise<Outcome> {
        if (refusal !== undefined && isAboutCommand(operation)) return { status: 'error', message: refusal };
        return commands.during(operation.conversationId ?? null, () =>
          partFor(operation.name).perform(operation, run),
        );
      },
      recover: (operation) => partFor(operation.name).recover(operation),
      async close() {
        await commands.close();
        await files.close();
        network?.close();
        await networks.close();
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

/** The sandbox for single commands that may use the network, opened when the first of them runs. */
function createNetworkSandbox(options: WorkOptions) {
  let opening: Promise<{ sandbox: Sandbox; network: IsolatedNetwork }> | undefined;

  async function openOnce() {
    const network = await openNetwork(options);
    const { sandbox, reason } = await detectSandbox({ ...options, network });
    if (sandbox) return { sandbox, network };
    network.close();
    throw new Error(reason);
  }

  return {
    async open(): Promise<Sandbox> {
      opening ??= openOnce();
      try {
        return (await opening).sandbox;
      } catch (error) {
        opening = undefined;
        throw new Error(
          `The command was not run, because this machine cannot give single commands access to the network: ${explain(error)}. Its owner can install slirp4netns, or start svc-machine with --allow-network=host.`,
          { cause: error },
        );
      }
    },
    async close(): Promise<void> {
      // One that could not be opened has nothing to close.
      (await opening?.catch(() => undefined))?.network.close();
    },
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
  return isCommand(name) || (name === 'preview' && isCommand((given as unknown as Preview).operation));
}

function isCommand(name: OperationName): boolean {
  return name === 'run_command' || name === 'start_process';
}
