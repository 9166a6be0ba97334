import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { findProgram } from '../environment/find-program.ts';
import type { Mount } from './build-arguments.ts';

/** A network that commands share, in which 127.0.0.1 is their own: what listens on the machine's cannot be reached. */
export interface IsolatedNetwork {
  /** The program and its arguments that start another program in this network. */
  enter: readonly string[];
  /** What names are looked up with. */
  mounts: readonly Mount[];
  close(): void;
}

const startMs = 15_000;
/** Of slirp4netns, which passes questions on to the name server of the machine. */
const nameServer = 'nameserver 10.0.2.3\n';

/**
 * Opens a network namespace that slirp4netns connects to the outside; neither needs privileges. Both end with the daemon, even if
 * that is killed, because their pipes close. Throws an error that says what is missing.
 */
export async function openNetwork(dependencies: {
  roots: readonly string[];
  stateFolder: string;
  environment: NodeJS.ProcessEnv;
}): Promise<IsolatedNetwork> {
  const { roots, stateFolder, environment } = dependencies;
  const find = (name: string) => {
    const program = findProgram(name, environment['PATH'], roots);
    if (program) return program;
    throw new Error(`${name} is not installed, or only inside a root, where a bot could replace it`);
  };
  const [slirp, unshare, nsenter] = [find('slirp4netns'), find('unshare'), find('nsenter')];
  const options = { env: { PATH: environment['PATH'] ?? '' }, detached: true };
  const inNamespace = ['--user', '--map-current-user', '--net', '/bin/sh', '-c', 'echo ready; exec cat'];
  const holder = spawn(unshare, inNamespace, { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
  let connector: ChildProcess | undefined;
  const close = () => {
    holder.kill('SIGKILL');
    connector?.kill('SIGKILL');
  };
  try {
    await ready(holder, holder.stdout);
    const target = String(holder.pid);
    const flags = ['--configure', '--mtu=65520', '--disable-host-loopback', '--ready-fd=3', '--exit-fd=4'];
    connector = spawn(slirp, [...flags, target, 'tap0'], {
      ...options,
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    });
    for (const pipe of [holder.stdin, connector.stdio[4] as Writable]) pipe?.on('error', () => undefined);
    await ready(connector, connector.stdio[3] as Readable);
    const settings = join(stateFolder, 'resolv.conf');
    await writeFile(settings, nameServer);
    return {
      enter: [nsenter, '--user', '--net', '--preserve-credentials', '--target', target, '--'],
      mounts: [{ kind: 'read-only', source: settings, target: '/etc/resolv.conf' }],
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

/** Resolves when the process has written something there. */
async function ready(child: ChildProcess, output: Readable): Promise<void> {
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    if (errors.length < 2000) errors += chunk.toString();
  });
  const over = new AbortController();
  const { signal } = over;
  try {
    const isReady = await Promise.race([
      once(output, 'data', { signal: AbortSignal.any([signal, AbortSignal.timeout(startMs)]) }).then(
        () => true,
      ),
      once(child, 'exit', { signal }).then(() => false),
    ]);
    if (!isReady) throw new Error(errors.trim().split('\n').at(-1) || 'it ended at once');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${child.spawnfile} does not work here: ${reason}`, { cause: error });
  } finally {
    over.abort();
    // Its output is of no interest from here on, but must not block it.
    output.on('error', () => undefined).resume();
  }
}
