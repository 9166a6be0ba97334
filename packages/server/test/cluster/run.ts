/**
 * npm run cluster -- --seed N --minutes M: several nodes under load and faults, and a checker of what they promise.
 *
 * It prints the seed, a line per fault, then a table. A finding is printed with its ids and the timeline around it, and
 * ends the run with exit code 1. The same seed repeats the same requests and faults at the same times; the processes
 * still run in real time, so that a rare race may need several runs to show again.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bundleService } from '../support/bundle-service.ts';
import { bundleOtherVersion } from './other-version.ts';
import { renderFindings, renderSummary } from './report.ts';
import { runCluster } from './run-cluster.ts';

const usage = `npm run cluster -- [--seed N] [--minutes M] [--nodes N] [--processes N] [--without-redis] [--with GIT_REF] [--patience N]

--seed repeats the requests and faults of an earlier run; a random one is chosen and printed otherwise.
--processes runs one node (or --nodes) with SVC_PROCESSES; kills and pauses then hit one of its processes.
--patience allows takeovers (30 s) and shutdowns (10 s) that many times as long, on a busy machine.
--with starts all nodes with that version and upgrades them one by one, on one schema.`;

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    minutes: { type: 'string', default: '2' },
    nodes: { type: 'string' },
    processes: { type: 'string', default: '1' },
    with: { type: 'string' },
    patience: { type: 'string', default: '1.5' },
    'without-redis': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

async function run(): Promise<number> {
  const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000));
  const minutes = Number(values.minutes);
  const processes = Number(values.processes);
  const nodes = Number(values.nodes ?? (processes > 1 ? 1 : 3));
  if (values.help || !(seed >= 0 && minutes > 0 && nodes >= 1)) {
    console.log(usage);
    return values.help ? 0 : 2;
  }
  const withRedis = !values['without-redis'];
  const again = [
    `npm run cluster -- --seed ${seed} --minutes ${minutes} --nodes ${nodes}`,
    ...(processes > 1 ? [`--processes ${processes}`] : []),
    ...(withRedis ? [] : ['--without-redis']),
    ...(values.with === undefined ? [] : [`--with ${values.with}`]),
  ].join(' ');
  console.log(`seed ${seed}`);
  const directory = await mkdtemp(join(tmpdir(), 'svc-cluster-'));
  const old = values.with === undefined ? undefined : await bundleOtherVersion(values.with);
  if (old) console.log(`all nodes start with ${values.with}, commit ${old.commit}`);
  const bundle = await bundleService();
  let isClean = false;
  try {
    const result = await runCluster({
      seed,
      loadMs: minutes * 60_000,
      nodes,
      processes,
      withRedis,
      bundle,
      ...(old && { oldBundle: old.bundle }),
      directory,
      patience: Number(values.patience),
      print: (line) => console.log(line),
    });
    const { findings } = result.history;
    console.log(`\n${renderSummary(result)}\n`);
    isClean = findings.length === 0;
    if (!isClean) {
      console.log(`${renderFindings(result.history)}\n\nThe logs of the nodes are in ${directory}.`);
    }
    console.log(`${isClean ? 'Nothing found' : `${findings.length} findings`}. Again: ${again}`);
    return isClean ? 0 : 1;
  } finally {
    await old?.remove();
    await rm(bundle, { recursive: true, force: true });
    await rm(isClean ? directory : join(directory, 'data'), { recursive: true, force: true });
  }
}

process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));
process.exitCode = await run();
