/** Runs in place of the process that reads documents, tries what it must not be able to do, and prints the results. */
import { spawnSync } from 'node:child_process';
import dns from 'node:dns/promises';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { Worker } from 'node:worker_threads';
import { forbidConnections } from '../../src/knowledge/extraction/forbid-connections.ts';

forbidConnections();
const input: Buffer[] = [];
for await (const chunk of process.stdin) input.push(chunk as Buffer);
const { port, file } = JSON.parse(Buffer.concat(input).toString()) as { port: number; file: string };

const attempts: Record<string, () => unknown> = {
  'read a file': () => readFileSync(file, 'utf8'),
  'read what the system knows': () => readFileSync('/etc/passwd', 'utf8'),
  'write a file': () => writeFileSync(`${file}.written`, 'x'),
  'start a program': () => spawnSync('/bin/true').error ?? 'started',
  'start a thread': () => new Worker('1', { eval: true }),
  // oxlint-disable-next-line typescript/no-implied-eval -- this is what must not be possible
  evaluate: () => new Function('return 1')(),
  connect: () => connect(port, '127.0.0.1'),
  fetch: () => fetch(`http://127.0.0.1:${port}/`),
  'look up a name': () => dns.lookup('localhost'),
};

const outcome: Record<string, string> = { environment: Object.keys(process.env).join(' ') };
for (const [name, attempt] of Object.entries(attempts)) outcome[name] = await tryIt(attempt);
process.stdout.write(JSON.stringify(outcome));

async function tryIt(attempt: () => unknown): Promise<string> {
  try {
    const result = await attempt();
    return result instanceof Error ? 'refused' : 'possible';
  } catch {
    return 'refused';
  }
}
