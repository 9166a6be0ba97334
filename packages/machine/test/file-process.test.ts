import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OperationName } from '@svc/contract/machine-protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFileWork } from '../src/files/file-work.ts';
import { createFileProcess, type FileProcess } from '../src/files/process/file-process.ts';
import type { FileRequest } from '../src/files/process/request.ts';
import type { Operation } from '../src/operations/work.ts';

describe('the process that works on files', () => {
  let base: string;
  let root: string;
  let files: FileProcess;
  beforeEach(() => {
    base = realpathSync(mkdtempSync(join(tmpdir(), 'svc-process-')));
    root = join(base, 'root');
    mkdirSync(root);
    writeFileSync(join(root, 'trap'), `${'a'.repeat(60)}b`);
    files = createFileProcess({ roots: [root], stateFolder: join(base, 'state'), makesChanges: true });
  });
  afterEach(async () => {
    await files.close();
    rmSync(base, { recursive: true });
  });

  const patience = { timeLimitMs: 60_000, isInterruptible: true };
  const request = (name: OperationName, given: object): FileRequest => ({
    kind: 'perform',
    operation: { id: randomUUID(), name, workdir: root, arguments: { ...given } },
  });
  /** Needs longer than the age of the universe. */
  const endless = () => request('search', { query: '(a+)+$', regex: true });
  const short = () => request('read_file', { path: 'trap' });

  it('is killed when a request takes too long, and replaced', async () => {
    expect(await files.request(short(), patience)).toMatchObject({ status: 'ok' });
    const hanging = files.request(endless(), { ...patience, timeLimitMs: 300 });
    const waiting = files.request(short(), patience);
    expect(await hanging).toBe('timed_out');
    expect(await waiting).toMatchObject({ status: 'ok' });
  });

  it('ends with a request that is cancelled, and never starts one that was cancelled before', async () => {
    expect(await files.request(short(), patience)).toMatchObject({ status: 'ok' });
    const controller = new AbortController();
    const hanging = files.request(endless(), { ...patience, signal: controller.signal });
    const waiting = files.request(short(), {
      ...patience,
      isInterruptible: false,
      signal: controller.signal,
    });
    controller.abort();
    expect(await Promise.all([hanging, waiting])).toEqual(['aborted', 'aborted']);
    expect(await files.request(short(), patience)).toMatchObject({ status: 'ok' });
  });

  it('is another one for searches, so that these hold up neither reads nor changes', async () => {
    const work = createFileWork({ roots: [root], stateFolder: join(base, 'state') });
    const search = new AbortController();
    const perform = (name: OperationName, given: object, signal = new AbortController().signal) =>
      work.perform(request(name, given).operation as Operation, { signal, onProgress: () => undefined });
    const hanging = perform('search', { query: '(a+)+$', regex: true }, search.signal);
    expect(await perform('read_file', { path: 'trap' })).toMatchObject({ status: 'ok' });
    expect(await perform('write_file', { path: 'new', content: '' })).toMatchObject({ status: 'ok' });
    search.abort();
    expect(await hanging).toEqual({ status: 'error', message: 'The operation was cancelled.' });
    await work.close();
  });

  it('is replaced after it was killed', async () => {
    expect(await files.request(short(), patience)).toMatchObject({ status: 'ok' });
    const hanging = files.request(endless(), patience);
    const file = readFileSync(join(base, 'state/file-worker.json'), 'utf8');
    process.kill((JSON.parse(file) as { id: number }).id, 'SIGKILL');
    expect(await hanging).toBe('crashed');
    expect(await files.request(short(), patience)).toMatchObject({ status: 'ok' });
  });
});
