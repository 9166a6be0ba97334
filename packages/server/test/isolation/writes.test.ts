import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCall } from '../support/test-app.ts';
import { writesLeftOut } from './exceptions.ts';
import { readRows } from './fill.ts';
import { fillWorkspace } from './fill-workspace.ts';
import { type Forbidden, forbiddenOf, openStage, type Stage } from './walk.ts';
import { type WriteRequest, write, writesOf } from './writes.ts';

/**
 * Every operation that is not read with GET, by everybody in the first workspace: about its own, and with ids of the second in each
 * place of the path, the query and the body. That another workspace's id in a path gets the answer of an id that does not exist
 * is shown by http/operations.test.ts.
 */
let stage: Stage;
let forbidden: Forbidden;

beforeAll(async () => {
  stage = await openStage();
  await fillWorkspace(stage, stage.first);
  await fillWorkspace(stage, stage.second);
  forbidden = await forbiddenOf(stage, stage.second);
});
afterAll(() => stage?.stop());

const isWalked = ({ operation }: WriteRequest) => !(operation.name in writesLeftOut);

describe('what the first workspace writes', () => {
  it('covers every operation, or there is a reason why not', () => {
    const { operations } = stage;
    const writes = operations.filter(({ method }) => method !== 'GET').map(({ name }) => name);
    expect(writes).toEqual(expect.arrayContaining(Object.keys(writesLeftOut)));
    const walked = new Set(
      requests()
        .own.filter(isWalked)
        .map(({ operation }) => operation.name),
    );
    expect(writes.filter((name) => !walked.has(name)).toSorted()).toEqual(
      Object.keys(writesLeftOut).toSorted(),
    );
  });

  it('neither reads nor changes anything of the second, nor refers to it', async () => {
    const { send, client, columns, first, second } = stage;
    const { own, foreign } = requests();
    const untouched = await readRows(client, columns, second.id);
    const leaks: string[] = [];
    const accepted: string[] = [];
    const answered = new Set<string>();
    for (const request of [...foreign, ...own].filter(isWalked)) {
      const { operation, caller, address, body } = request;
      const name = `${caller.as}: ${operation.method} ${address} ${JSON.stringify(body) ?? ''}`;
      const { status, text } = await write(send, request);
      const leaked = new Set(forbidden.in(text));
      if (leaked.size > 0) leaks.push(`${name} → ${status} ${[...leaked].join(', ')}`);
      if (foreign.includes(request) && status < 400) accepted.push(`${name} → ${status}`);
      if (status < 400) answered.add(operation.name);
      expect.soft(status, name).not.toBe(500);
    }
    expect(leaks).toEqual([]);
    expect(accepted).toEqual([]);
    expect(answered.size).toBeGreaterThan(60);
    expect(await readRows(client, columns, second.id)).toEqual(untouched);
    const rows = [...(await readRows(client, columns, first.id)).values()].flat();
    expect(rows.filter((row) => forbidden.in(row).length > 0)).toEqual([]);
  });

  it('is not answered with what the second was answered for the same Idempotency-Key', async () => {
    const { service, first, second } = stage;
    const headers = { 'idempotency-key': randomUUID() };
    const body = { name: 'Same', system_prompt: 'x' };
    const [theirs, ours] = [
      await createCall(service.url, second.key)('POST /api/v1/bots', { headers, body }),
      await createCall(service.url, first.key)('POST /api/v1/bots', { headers, body }),
    ];
    expect([theirs.status, ours.status]).toEqual([201, 201]);
    const read = createCall(service.url, first.key);
    expect((await read(`GET /api/v1/bots/${ours.body.id}`)).status).toBe(200);
    expect((await read(`GET /api/v1/bots/${theirs.body.id}`)).status).toBe(404);
  });
});

function requests() {
  const { service, operations, first, second } = stage;
  return writesOf(operations, service.url, first, second);
}
