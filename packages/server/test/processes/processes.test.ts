import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectNothingLeft } from '../service/npm-script.ts';
import { connectTo, embeddedConnection } from '../support/faults/locks.ts';
import { type PlannedModel, startPlannedModel } from '../support/faults/model.ts';
import { until } from '../support/faults/until.ts';
import { makeDataDirectory, type ServiceProcess, startServiceProcess } from '../support/service-process.ts';
import { openSse, type SseReader } from '../support/sse-client.ts';

let data: Awaited<ReturnType<typeof makeDataDirectory>>;
let model: PlannedModel;
let service: ServiceProcess;
let database: pg.Client;
let key: string;
let botId: string;

beforeAll(async () => {
  data = await makeDataDirectory();
  model = await startPlannedModel();
  service = await startServiceProcess({
    SVC_DATA_DIR: data.path,
    SVC_PROCESSES: '2',
    SVC_METRICS_PORT: '0',
    OPENAI_BASE_URL: model.url,
    SVC_DEFAULT_MODEL: 'openai/scripted',
  });
  await service.ready();
  await until('the service says that it is ready', () => service.output().includes('svc is ready'));
  key = service.firstKey() ?? '';
  database = await connectTo(await embeddedConnection(data.path));
  const bot = { name: 'Parallel', system_prompt: 'Continue.' };
  botId = (await service.call(key)('POST /api/v1/bots', { body: bot })).body.id;
});
afterAll(async () => {
  await service.end('SIGTERM');
  await model.close();
  await data.remove();
});

/** The processes that are part of the service. */
async function workers(): Promise<number[]> {
  const { rows } = await database.query<{ id: number }>('select process_id as id from nodes order by id');
  return rows.map(({ id }) => id);
}

/** The processes that answered requests with this id, as the log says. */
function answeredBy(requestId: string): Set<number> {
  const lines = service.output().matchAll(new RegExp(`"pid":(\\d+),"request_id":"${requestId}"`, 'g'));
  return new Set([...lines].map(([, pid]) => Number(pid)));
}

/** Requests on new connections until each of the processes has answered one. */
async function untilAnsweredBy(processes: readonly number[], requestId: string): Promise<void> {
  await until('every process has answered a request', async () => {
    const headers = { 'x-request-id': requestId, connection: 'close' };
    const response = await fetch(`${service.url}/readyz`, { headers });
    expect(response.status).toBe(200);
    return processes.every((process) => answeredBy(requestId).has(process));
  });
}

/** Sends a message and returns its conversation; a new one, unless given. */
async function send(message: string, conversationId?: string): Promise<string> {
  const target = conversationId
    ? { conversation_id: conversationId }
    : { bot_id: botId, new_conversation: true };
  const stream = await openSse(`${service.url}/api/v1/chat/send-stream`, {
    method: 'POST',
    key,
    body: { message, external_user_id: 'u', ...target },
  });
  return (await stream.until('turn.started')).data.conversation_id;
}

async function untilIdle(conversationId: string): Promise<void> {
  const read = () => service.call(key)(`GET /api/v1/conversations/${conversationId}`);
  await until('the turn is over', async () => (await read()).body.status === 'idle');
}

/** The process that runs the conversation's turn. Turns that have ended still name theirs. */
async function runnerOf(conversationId: string): Promise<number> {
  const { rows } = await database.query<{ id: number }>(
    `select process_id as id from turns join nodes on nodes.id = turns.node_id
     where conversation_id = $1 and status = 'running'`,
    [conversationId],
  );
  return rows[0]?.id ?? 0;
}

describe('several processes', { shuffle: false }, () => {
  it('serve one port, and print the welcome once, without a secret', async () => {
    const processes = await workers();
    expect(processes).toHaveLength(2);
    expect(processes).not.toContain(service.child.pid);
    await untilAnsweredBy(processes, 'serve-one-port');
    expect(service.output().match(/svc is ready/g)).toHaveLength(1);
    expect(service.output().match(/^ +\S+first-key$/gm)).toHaveLength(1);
    expect(service.output()).not.toMatch(/svc_sk_|token=/);
  });

  it('all refuse a key that was revoked', async () => {
    const call = service.call(key);
    const created = await call('POST /api/v1/keys', {
      body: { name: 'short-lived', abilities: ['bots:read'] },
    });
    const statuses = () =>
      Promise.all(
        Array.from({ length: 4 }, async () => {
          const headers = { authorization: `Bearer ${created.body.key}`, connection: 'close' };
          return (await fetch(`${service.url}/api/v1/bots`, { headers })).status;
        }),
      );
    expect(await statuses()).toEqual([200, 200, 200, 200]);
    await call(`DELETE /api/v1/keys/${created.body.id}`);
    await until('every process refuses it', async () => (await statuses()).every((status) => status === 401));
  });

  it('show previews of the others, take over the turns of one that is killed, and replace it', async () => {
    const before = await workers();
    const conversationId = await send('hello');
    await untilIdle(conversationId);
    const open = () =>
      openSse(`${service.url}/api/v1/chat/stream?conversation_id=${conversationId}`, { key });
    // Connections are given to the processes one after the other.
    const readers = [await open(), await open()];
    model.plan(
      'killed',
      [{ type: 'text', text: 'Half' }, { type: 'hang' }],
      [{ type: 'text', text: 'Whole.' }],
    );
    await send('killed', conversationId);
    for (const reader of readers) {
      // A process that begins to follow the turn after that was written shows all of it at once.
      const shown = await reader.until(
        ({ event }) => event === 'message.delta' || event === 'stream.snapshot',
      );
      expect(shown.data).toMatchObject({ text: 'Half' });
    }

    const killed = await runnerOf(conversationId);
    // Otherwise its neighbours would look for its process every three seconds.
    await database.query('update nodes set process_space = null');
    const killedAt = performance.now();
    process.kill(killed, 'SIGKILL');
    await until('another process asks the model', () => model.calls('killed') === 2);
    // A node that is only silent counts as lost after 15 seconds.
    expect(performance.now() - killedAt).toBeLessThan(8_000);
    await untilIdle(conversationId);
    const { body } = await service.call(key)(`GET /api/v1/conversations/${conversationId}`);
    expect(body.messages.at(-1)).toMatchObject({ content: 'Whole.' });
    // One reader was on the process that ran the turn, and the other one saw the whole turn from another process.
    const seen = (reader: SseReader) =>
      reader
        .until(({ event, id }) => event === 'turn.completed' && id !== undefined && id > 3)
        .then(
          () => 'whole',
          () => 'cut',
        );
    expect((await Promise.all(readers.map(seen))).toSorted()).toEqual(['cut', 'whole']);
    for (const reader of readers) reader.close();

    await until('it is replaced', async () => (await workers()).length === 2);
    const after = await workers();
    expect(after).not.toContain(killed);
    expect(after.filter((process) => before.includes(process))).toHaveLength(1);
    await untilAnsweredBy(after, 'after-a-kill');
    expect(service.output()).toContain(`"process_id":${killed},"exit_code":null,"signal":"SIGKILL"`);
  });

  it('close connections that one was given but did not accept before it was killed', async () => {
    const [paused = 0] = await workers();
    process.kill(paused, 'SIGSTOP');
    const request = () =>
      fetch(`${service.url}/healthz`, { headers: { connection: 'close' } }).then(
        ({ status }) => status,
        () => 'closed',
      );
    const outcomes = Array.from({ length: 6 }, request);
    await until('the other process still answers', async () => (await request()) === 200);
    process.kill(paused, 'SIGKILL');
    expect(new Set(await Promise.all(outcomes))).toEqual(new Set([200, 'closed']));
    await until('it is replaced', async () => {
      const now = await workers();
      return now.length === 2 && !now.includes(paused);
    });
    await untilAnsweredBy(await workers(), 'after-a-pause');
  });

  it('replace one that is stopped, which finishes its requests first', async () => {
    const [stopped = 0] = await workers();
    process.kill(stopped, 'SIGTERM');
    await until('it is replaced', async () => {
      const now = await workers();
      return now.length === 2 && !now.includes(stopped);
    });
    await untilAnsweredBy(await workers(), 'after-a-stop');
    expect(service.output()).toContain('was stopped; another one takes its place');
  });

  it('report the metrics of all of them in one answer, each with its place, which successors take', async () => {
    const [address = ''] = /http:\/\/\S+\/metrics$/m.exec(service.output()) ?? [];
    const read = async () => (await fetch(address, { headers: { connection: 'close' } })).text();
    const placesIn = (text: string) =>
      [...text.matchAll(/^svc_turns_in_progress\{process="(\d+)"\}/gm)].map(([, place]) => place).toSorted();
    // Both were replaced above.
    await until('both are read', async () => placesIn(await read()).length === 2);
    const text = await read();
    expect(placesIn(text)).toEqual(['1', '2']);
    for (const place of [1, 2]) expect(text).toContain(`\nsvc_process_up{process="${place}"} 1\n`);
    expect(text.match(/^# TYPE svc_turns_in_progress gauge$/gm)).toHaveLength(1);
    expect(text).toMatch(/^process_resident_memory_bytes\{process="2"\} \d+$/m);
    expect(text).toMatch(/^svc_nodes\{state="alive"\} \d$/m);
  });

  it('keep serving while the system cannot start another one, and try again', async () => {
    const [killed = 0, other = 0] = await workers();
    const limitFiles = (limit: string) =>
      promisify(execFile)('prlimit', ['--pid', String(service.child.pid), `--nofile=${limit}:`]);
    await limitFiles('20');
    process.kill(killed, 'SIGKILL');
    await until('a start has failed', () => service.output().includes('EMFILE'));
    await limitFiles('1024');
    await untilAnsweredBy([other], 'without-files');
    await until('it is replaced', async () => (await workers()).length === 2);
  });

  it('end together within ten seconds, even if one is stuck, and leave nothing behind', async () => {
    const [stuck = 0] = await workers();
    await database.end();
    process.kill(stuck, 'SIGSTOP');
    const stoppingAt = performance.now();
    // The exit code says that something was left behind.
    expect(await Promise.race([service.end('SIGTERM'), sleep(30_000)])).toEqual({ code: 1, signal: null });
    expect(performance.now() - stoppingAt).toBeLessThan(12_000);
    await expectNothingLeft(data.path);
  });
});
