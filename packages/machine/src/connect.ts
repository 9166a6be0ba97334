import { realpathSync } from 'node:fs';
import { type HelloFrame, protocolVersion } from '@svc/contract/machine-protocol';
import { keepConnected, type ServiceConnection } from './connection/keep-connected.ts';
import type { ServiceAddress } from './connection/service-address.ts';
import { createWork, type NetworkChoice } from './create-work.ts';
import { ExplainedError } from './explained-error.ts';
import { isWithin } from './is-within.ts';
import { openJournal } from './operations/journal.ts';
import { createOperations } from './operations/operations.ts';
import { createGate, describePolicy, type Policy } from './policy/gate.ts';
import { createQuestions } from './policy/questions.ts';
import { resolveRoots } from './roots.ts';
import { openStateFolder } from './state/state-folder.ts';
import type { Terminal } from './terminal/terminal.ts';

export interface ConnectOptions {
  address: ServiceAddress;
  key: string;
  keyFile: string | undefined;
  roots: string[];
  stateFolder: string;
  policy: Policy;
  isSandboxed: boolean;
  network: NetworkChoice;
  showsSecrets: boolean;
  version: string;
  environment: NodeJS.ProcessEnv;
}

const sweepEveryMs = 60 * 60 * 1000;

/** Works for the service until the signal is aborted. Throws if connecting is or becomes pointless. */
export async function connect(
  options: ConnectOptions,
  terminal: Terminal,
  stopping: AbortSignal,
): Promise<void> {
  const { address, policy, isSandboxed, network, showsSecrets } = options;
  const roots = resolveRoots(options.roots);
  for (const warning of roots.warnings) terminal.warn(warning);
  const keyFile = resolveKeyFile(options.keyFile, roots.paths);
  if (address.isExposed) terminal.warn(`${address.url} is not encrypted: others can read the key.`);
  const state = await openStateFolder(options.stateFolder, roots.paths);
  try {
    const { work, sandbox, runsCommands, warnings } = await createWork({
      roots: roots.paths,
      stateFolder: state.path,
      keyFile,
      isSandboxed,
      network,
      showsSecrets,
      environment: options.environment,
    });
    for (const warning of warnings) terminal.warn(warning);
    terminal.line(describePolicy(policy));
    const asksHere = policy.confirmation === 'terminal';
    const questions = asksHere ? createQuestions(process.stdin, terminal) : undefined;
    const journal = await openJournal(state.path, { onTrouble: (message) => terminal.warn(message) });
    void journal.sweep();
    const sweeping = setInterval(() => void journal.sweep(), sweepEveryMs);
    let connection: ServiceConnection | undefined;
    const operations = createOperations({
      work,
      admit: createGate({ ...policy, allowsNetwork: network !== 'none' }, roots.paths, questions),
      journal,
      terminal,
      send: (frame) => connection?.send(frame),
    });
    try {
      await operations.recover();
      connection = keepConnected(
        {
          url: address.connect,
          key: options.key,
          hello: {
            ...helloOf(options),
            instance_id: state.instanceId,
            roots: roots.paths,
            sandbox,
            runs_commands: runsCommands && policy.level !== 'read-only',
          },
          onWelcome({ name }) {
            operations.expectAgain();
            terminal.line(
              `connected to ${address.url} as ${name}, for work in ${roots.paths.join(', ')}`,
              'good',
            );
          },
          onFrame: operations.handle,
          onDisconnect: operations.dropWaiting,
        },
        terminal,
      );
      const reason = await Promise.race([connection.ended, aborted(stopping)]);
      if (reason !== undefined) throw new ExplainedError(reason);
      terminal.line('stopping');
    } finally {
      await operations.stop();
      await connection?.close();
      clearInterval(sweeping);
      await work.close();
      questions?.close();
    }
  } finally {
    await state.close();
  }
}

/** What the service is told of the daemon before it knows the machine. */
function helloOf({ version, policy }: ConnectOptions) {
  return {
    type: 'hello',
    protocol: protocolVersion,
    version,
    platform: process.platform,
    policy: policy.level,
    confirmation: policy.confirmation,
  } satisfies Partial<HelloFrame>;
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}

/** The real path of the file that the key was read from, which must not be in a root: agents could read it there. */
function resolveKeyFile(path: string | undefined, roots: readonly string[]): string | undefined {
  const real = path === undefined ? undefined : realPath(path);
  const root = real === undefined ? undefined : roots.find((candidate) => isWithin(candidate, real));
  if (root === undefined) return real;
  throw new ExplainedError(
    `The file of the key, ${real}, is inside the root ${root}, where agents could read it: move it elsewhere.`,
  );
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    // A pipe, which has no path.
    return undefined;
  }
}
