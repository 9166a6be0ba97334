import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface Program {
  child: ChildProcess;
  output(): string;
  /** Sends the signal and answers with the exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

export interface PrivateNetwork {
  start(command: string[], environment: Record<string, string>): Program;
  /** Runs a command to its end and answers what it printed. Fails if the command does. */
  run(command: string[], environment?: Record<string, string>): Promise<string>;
  close(): Promise<void>;
}

export interface PrivateNetworkOptions {
  folder: string;
  /** Addresses by name: they can be used as on machines of their own. */
  names: Record<string, string>;
  /** Addresses without a name. */
  strangers: string[];
  /** Whoever connects to the first address does so from the second, unless told otherwise. */
  source: { to: string; from: string };
  /** Empty folders in these places, whatever the machine has there. */
  replaced: string[];
}

/** A network where addresses, names and ports are free, however this machine uses them. Needs root. */
export async function openPrivateNetwork(options: PrivateNetworkOptions): Promise<PrivateNetwork> {
  const { folder, names, strangers, source, replaced } = options;
  const hosts = join(folder, 'hosts');
  const lines = Object.entries(names).map(([name, address]) => `${address} ${name}`);
  await writeFile(hosts, `127.0.0.1 localhost\n${lines.join('\n')}\n`);
  for (const path of replaced) await mkdir(path, { recursive: true });
  const script = [
    'set -e',
    'ip link set lo up',
    ...[...Object.values(names), ...strangers].map((address) => `ip address add ${address}/32 dev lo`),
    `ip route change local ${source.to} dev lo proto kernel scope host src ${source.from} table local`,
    `mount --bind ${hosts} /etc/hosts`,
    ...replaced.map((path) => `mount -t tmpfs tmpfs ${path}`),
    'echo open',
    'exec sleep infinity',
  ].join('\n');
  const owner = spawn('unshare', ['--net', '--mount', 'sh', '-c', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said] = (await Promise.race([once(owner.stdout, 'data'), once(owner, 'exit')])) as [Buffer | number];
  if (String(said) !== 'open\n') throw new Error(`The network could not be made (${String(said)}).`);

  const enter = ['nsenter', `--target=${owner.pid}`, '--net', '--mount', `--wd=${folder}`, '--'] as const;
  const inherited = { PATH: `/usr/sbin:${process.env['PATH']}`, HOME: folder };
  const programs: ChildProcess[] = [];
  return {
    start(command, environment) {
      const [file, ...args] = [...enter, ...command];
      const child = spawn(file, args, {
        env: { ...inherited, ...environment },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      programs.push(child);
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
      const ended = once(child, 'exit') as Promise<[number | null]>;
      return {
        child,
        output: () => output,
        async end(signal) {
          child.kill(signal);
          const [code] = await ended;
          return code;
        },
      };
    },
    async run(command, environment = {}) {
      const [file, ...args] = [...enter, ...command];
      const { stdout } = await promisify(execFile)(file, args, { env: { ...inherited, ...environment } });
      return stdout;
    },
    async close() {
      for (const child of programs.toReversed()) {
        if (child.exitCode !== null || child.signalCode !== null) continue;
        const ended = once(child, 'exit');
        child.kill('SIGTERM');
        await ended;
      }
      owner.kill('SIGKILL');
    },
  };
}
