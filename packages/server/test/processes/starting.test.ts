import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { expectNothingLeft } from '../service/npm-script.ts';
import {
  makeDataDirectory,
  runCommand,
  type ServiceProcess,
  startServiceProcess,
  stopLeftBehind,
} from '../support/service-process.ts';

const key = `svc_sk_${'P'.repeat(40)}`;
let data: Awaited<ReturnType<typeof makeDataDirectory>>;
const started: ServiceProcess[] = [];

beforeEach(async () => {
  data = await makeDataDirectory();
});
afterEach(async () => {
  for (const service of started.splice(0)) await service.end('SIGKILL');
  await stopLeftBehind(data.path);
  await data.remove();
});

async function start(environment: Record<string, string> = {}): Promise<ServiceProcess> {
  const service = await startServiceProcess({
    SVC_DATA_DIR: data.path,
    SVC_PROCESSES: '2',
    SVC_BOOTSTRAP_KEY: key,
    SVC_LOG_LEVEL: 'warn',
    ...environment,
  });
  started.push(service);
  return service;
}

/** The service ends with exit code 1 after printing one sentence. */
async function expectFailure(service: ServiceProcess, sentence: RegExp): Promise<void> {
  const [code] = await once(service.child, 'close');
  expect(service.output()).toMatch(sentence);
  expect(code).toBe(1);
}

const postmaster = async () =>
  Number((await readFile(join(data.path, 'postgres/postmaster.pid'), 'utf8')).split('\n')[0]);

it('a start that fails prints one sentence and leaves nothing behind', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  try {
    await expectFailure(
      await start({ PORT: String(port) }),
      new RegExp(`^PORT ${port} is already in use on 127\\.0\\.0\\.1: choose another\\.\\n$`),
    );
  } finally {
    taken.close();
  }
  await expectFailure(
    await start({ SVC_PROCESSES: 'many' }),
    /^SVC_PROCESSES must be auto or a whole number from 1 to 64\.\n$/,
  );
  await expectFailure(
    await start({ SVC_DATA_DIR: '/dev/null/data' }),
    /^SVC_DATA_DIR must be a folder that this user can read and write; \/dev\/null\/data is not \(ENOTDIR\)\.\n$/,
  );
  await expectNothingLeft(data.path);
});

it('survives the death of the supervisor: workers end, and the next start takes over', async () => {
  const first = await start();
  await first.ready();
  const server = await postmaster();
  // Resolves when the workers, which share the output, have ended too.
  expect(await first.end('SIGKILL')).toMatchObject({ signal: 'SIGKILL' });

  const second = await start();
  await second.ready();
  expect(await postmaster()).toBe(server);
  const third = await start();
  await expectFailure(
    third,
    /^The data directory .* is in use by another service \(process \d+\)\. Stop it .*\.\n$/,
  );

  const listed = await runCommand(['keys', 'list', '--json'], { SVC_DATA_DIR: data.path });
  expect(listed.code, listed.stderr).toBe(0);
  expect((await second.call(key)('GET /api/v1/bots')).status).toBe(200);
  expect(await second.end('SIGINT')).toEqual({ code: 0, signal: null });
  await expectNothingLeft(data.path);
});
