/**
 * npm run cluster -- --seed N --minutes M: several nodes under load and faults, and a checker of what they promise.
 *
 * It prints the seed, a line per fault, then a table. A finding is printed with its ids and the timeline around it, and
 * ends the run with exit code 1. The same seed repeats the same requests and faults at the same times; the processes
 * still run in real time, so that a rare race may need several runs to show again.
 */
import { existsSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bundleService } from '../support/bundle-service.ts';
import { bundleFolder } from '../support/run-bundled-programs.ts';
import { bundleOtherVersion } from './other-version.ts';
import { renderFindings, renderSummary } from './report.ts';
import { runCluster } from './run-cluster.ts';

const usage = `npm run cluster -- [--seed N] [--minutes M] [--rounds N] [--nodes N] [--processes N] [--without-redis] [--with GIT_REF] [--patience N]

--seed repeats the requests and faults of an earlier run; a random one is chosen and printed otherwise.
--minutes is how long load and faults last (2); the checks after them take one or two minutes more.
--rounds repeats that (1), lets everything come to rest after each, and reports memory and tables that grow. See npm run soak.
--processes runs one node (or --nodes) with SVC_PROCESSES; kills and pauses then hit one of its processes.
--patience allows takeovers (30 s) and shutdowns (10 s) that many times as long, on a busy machine.
--with starts all nodes with that version and upgrades them one by one, on one schema.`;

interface Wanted {
  seed: number;
  minutes: number;
  rounds: number;
  nodes: number;
  processes: number;
  patience: number;
  withRedis: boolean;
  otherVersion: string | undefined;
}

/** Undefined for arguments that make no sense, which are reported. */
function readArguments(): Wanted | 'help' | undefined {
  try {
    const { values } = parseArgs({
      options: {
        seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
        minutes: { type: 'string', default: '2' },
        rounds: { type: 'string', default: '1' },
        nodes: { type: 'string' },
        processes: { type: 'string', default: '1' },
        with: { type: 'string' },
        patience: { type: 'string', default: '1.5' },
        'without-redis': { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) return 'help';
    const processes = readNumber('processes', values.processes, 1);
    const rounds = readNumber('rounds', values.rounds, 1);
    const nodes = readNumber('nodes', values.nodes ?? (processes > 1 ? '1' : '3'), 1);
    if (rounds > 1 && (processes > 1 || nodes === 1 || values.with !== undefined))
      throw new Error('--rounds needs several nodes with one process each, one of which lives through all.');
    return {
      seed: readNumber('seed', values.seed, 0),
      minutes: readNumber('minutes', values.minutes),
      rounds,
      nodes,
      processes,
      patience: readNumber('patience', values.patience),
      withRedis: !values['without-redis'],
      otherVersion: values.with,
    };
  } catch (error) {
    console.error((error as Error).message);
    return undefined;
  }
}

/** A whole number if it has a least value, otherwise any number above zero. */
function readNumber(name: string, text: string, least?: number): number {
  const value = Number(text);
  const isRight = least === undefined ? value > 0 : Number.isInteger(value) && value >= least;
  if (!isRight) throw new Error(`--${name} cannot be ${text}.`);
  return value;
}

function commandOf(wanted: Wanted): string {
  const { seed, minutes, rounds, nodes, processes, patience, withRedis, otherVersion } = wanted;
  return [
    `npm run cluster -- --seed ${seed} --minutes ${minutes} --rounds ${rounds} --nodes ${nodes} --patience ${patience}`,
    ...(processes > 1 ? [`--processes ${processes}`] : []),
    ...(withRedis ? [] : ['--without-redis']),
    ...(otherVersion === undefined ? [] : [`--with ${otherVersion}`]),
  ].join(' ');
}

const maxRemovalMs = 10_000;

function remove(...paths: string[]): void {
  // PostgreSQL may still end for a moment. rmSync then stops without an error at a file that vanished meanwhile.
  const giveUpAt = performance.now() + maxRemovalMs;
  for (const path of paths) {
    while (existsSync(path) && performance.now() < giveUpAt) {
      rmSync(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    }
  }
}

async function run(wanted: Wanted): Promise<number> {
  const { minutes, otherVersion, ...options } = wanted;
  const directory = await mkdtemp(join(tmpdir(), 'svc-cluster-'));
  const data = join(directory, 'data');
  const checkout = join(directory, 'other-version');
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    // Not `once`: Ctrl-C arrives from the terminal and again from npm, and the second one must not end the clean-up.
    process.on(signal, () => {
      // Registered now, so that it follows those that end the servers.
      process.once('exit', () => remove(directory, bundleFolder));
      process.exit(code);
    });
  }
  console.log(`seed ${wanted.seed}`);
  let isClean = false;
  try {
    const old = otherVersion === undefined ? undefined : await bundleOtherVersion(otherVersion, checkout);
    if (old) console.log(`all nodes start with ${otherVersion}, commit ${old.commit}`);
    const result = await runCluster({
      ...options,
      loadMs: minutes * 60_000,
      withStaleNode: true,
      bundle: await bundleService(),
      ...(old && { oldBundle: old.bundle }),
      directory,
      print: (line) => console.log(line),
    });
    const { findings } = result.history;
    console.log(`\n${renderSummary(result)}\n`);
    isClean = findings.length === 0;
    if (!isClean) console.log(`${renderFindings(result.history)}\n`);
    console.log(`${isClean ? 'Nothing found' : `${findings.length} findings`}. Again: ${commandOf(wanted)}`);
    return isClean ? 0 : 1;
  } finally {
    remove(bundleFolder, ...(isClean ? [directory] : [data, checkout]));
    if (!isClean) console.log(`The logs of the nodes are in ${directory}.`);
  }
}

const wanted = readArguments();
if (wanted === undefined || wanted === 'help') {
  console.log(usage);
  process.exitCode = wanted === 'help' ? 0 : 2;
} else process.exitCode = await run(wanted);
