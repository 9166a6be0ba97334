import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rename, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Outcome } from '@svc/contract/machine-protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openJournal } from '../src/operations/journal.ts';

const done: Outcome = { status: 'ok', value: { files: [] } };
let folder: string;
let troubles: string[];
const open = (options: Partial<Parameters<typeof openJournal>[1]> = {}) =>
  openJournal(folder, { onTrouble: (message) => troubles.push(message), ...options });
const fileOf = (id: string) => join(folder, 'operations/finished', `${id}.json`);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-journal-'));
  troubles = [];
});
afterEach(() => rm(folder, { recursive: true }));

describe('the journal', () => {
  it('remembers what was finished', async () => {
    const operation = { id: randomUUID(), name: 'write_file' } as const;
    const journal = await open();
    expect(journal.isFinished(operation.id)).toBe(false);
    await journal.start(operation);
    await journal.finish(operation, done);
    const reopened = await open();
    expect(reopened.isFinished(operation.id)).toBe(true);
    expect(await reopened.read(operation.id)).toEqual(done);
    expect(await reopened.listUnfinished()).toEqual([]);
  });

  it('lists what was started and not finished', async () => {
    const operation = { id: randomUUID(), name: 'run_command' } as const;
    await (await open()).start(operation);
    const reopened = await open();
    expect(await reopened.listUnfinished()).toEqual([operation]);
    expect(reopened.isFinished(operation.id)).toBe(false);
  });

  it('believes the result if the daemon died before it could remove the first record', async () => {
    const operation = { id: randomUUID(), name: 'run_command' } as const;
    const journal = await open();
    await journal.start(operation);
    await journal.forbid(operation.id, done);
    expect(await (await open()).listUnfinished()).toEqual([]);
    expect(await readdir(join(folder, 'operations/started'))).toEqual([]);
  });

  it.each([
    ['empty', (path: string) => truncate(path, 0)],
    ['cut short', (path: string) => truncate(path, 20)],
    ['something else', (path: string) => writeFile(path, '{"outcome":{"status":"fine"}}')],
    ['zeros', (path: string) => writeFile(path, Buffer.alloc(100))],
  ])('reports a record that is %s as unknown', async (_, damage) => {
    const id = randomUUID();
    const journal = await open();
    await journal.forbid(id, done);
    await damage(fileOf(id));
    expect(journal.isFinished(id)).toBe(true);
    expect(await journal.read(id)).toMatchObject({ status: 'unknown' });
  });

  it('starts nothing on a full disk', async () => {
    const journal = await open({ freeBytes: async () => 5_000_000 });
    const operation = { id: randomUUID(), name: 'write_file' } as const;
    await expect(journal.start(operation)).rejects.toThrow('almost full (4 MB free). Nothing was done.');
    expect(await journal.listUnfinished()).toEqual([]);
  });

  it('starts nothing while a result cannot be stored, and keeps the result', async () => {
    const [first, second] = [randomUUID(), randomUUID()];
    const journal = await open();
    await journal.start({ id: first, name: 'run_command' });
    const finished = join(folder, 'operations/finished');
    await rename(finished, `${finished}-away`);
    await journal.finish({ id: first, name: 'run_command' }, done);
    expect(troubles[0]).toContain('cannot be written');
    expect(journal.isFinished(first)).toBe(true);
    expect(await journal.read(first)).toEqual(done);
    await expect(journal.start({ id: second, name: 'run_command' })).rejects.toThrow('Nothing was done');
    await rename(`${finished}-away`, finished);
    await journal.start({ id: second, name: 'run_command' });
    expect(await (await open()).read(first)).toEqual(done);
  });

  it('forgets results after a day, and that they existed after a month', async () => {
    const id = randomUUID();
    const journal = await open();
    await journal.forbid(id, done);
    await journal.sweep();
    expect(await journal.read(id)).toEqual(done);
    await age(fileOf(id), 1);
    await journal.sweep();
    expect(existsSync(fileOf(id))).toBe(false);
    expect(journal.isFinished(id)).toBe(true);
    expect(await journal.read(id)).toMatchObject({ status: 'unknown' });
    await age(join(folder, 'operations/expired', id), 30);
    await journal.sweep();
    expect(journal.isFinished(id)).toBe(false);
  });

  it('keeps the newest results within its limits', async () => {
    const journal = await open({ limits: { maxResults: 3, maxResultBytes: 250 } });
    const ids = Array.from({ length: 5 }, () => randomUUID());
    for (const [index, id] of ids.entries()) {
      await journal.forbid(id, { status: 'ok', value: index === 1 ? 'x'.repeat(300) : 'y' });
      await utimes(fileOf(id), 1e9, Date.now() / 1000 - 60 + index);
    }
    await journal.sweep();
    expect(ids.map((id) => existsSync(fileOf(id)))).toEqual([false, false, true, true, true]);
    expect(ids.every((id) => journal.isFinished(id))).toBe(true);
  });
});

async function age(path: string, days: number): Promise<void> {
  const seconds = Date.now() / 1000 - days * 86_400 - 60;
  await utimes(path, seconds, seconds);
}
