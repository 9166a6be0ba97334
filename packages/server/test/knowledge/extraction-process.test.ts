import { existsSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { indexChunks } from '../../src/knowledge/chunks/index-chunks.ts';
import { splitIntoChunks } from '../../src/knowledge/chunks/split.ts';
import { type ChildCommand, childCommand } from '../../src/knowledge/extraction/child-command.ts';
import {
  createExtractor,
  type Extractor,
  type ExtractorOptions,
} from '../../src/knowledge/extraction/extract.ts';
import { usualLimits } from '../../src/knowledge/extraction/limits.ts';
import { runChild } from '../../src/knowledge/extraction/run-child.ts';
import { until } from '../support/faults/until.ts';

const never = new AbortController().signal;
const text = { bytes: Buffer.from('Some text.'), filename: 'a.txt' };
const isLinux = process.platform === 'linux';

const open: Extractor[] = [];
afterEach(async () => {
  for (const extractor of open.splice(0)) await extractor.close();
});

function start(options: ExtractorOptions = {}): { extractor: Extractor; pids: number[] } {
  const pids: number[] = [];
  const extractor = createExtractor({
    ...options,
    onStart: (pid) => {
      pids.push(pid);
      options.onStart?.(pid);
    },
  });
  open.push(extractor);
  return { extractor, pids };
}

function isAlive(pid: number | undefined): boolean {
  try {
    return pid !== undefined && process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('the process that reads a document', () => {
  it('is a new one for each document and ends with it', async () => {
    const { extractor, pids } = start();
    await Promise.all([extractor.extract(text, never), extractor.extract(text, never)]);
    expect(new Set([process.pid, ...pids]).size).toBe(3);
    expect(pids.map(isAlive)).toEqual([false, false]);
  });

  it('waits while the maximum number is running', async () => {
    let most = 0;
    const pids: number[] = [];
    const { extractor } = start({
      concurrency: 2,
      onStart: (pid) => {
        pids.push(pid);
        most = Math.max(most, pids.filter(isAlive).length);
      },
    });
    await Promise.all(Array.from({ length: 5 }, () => extractor.extract(text, never)));
    expect([pids.length, most]).toEqual([5, 2]);
  });

  it('is ended when its time is up', async () => {
    const { extractor, pids } = start({ timeMs: 1 });
    await expect(extractor.extract(text, never)).rejects.toMatchObject({
      name: 'ExtractionError',
      message: 'It took longer than 0.001 s to read.',
      passing: false,
    });
    expect(pids.map(isAlive)).toEqual([false]);
  });

  it('is ended when it needs too much memory', async () => {
    const { extractor, pids } = start({ memoryMb: 24 });
    const html = Buffer.from('<p>word <b>word</b></p>'.repeat(200_000));
    await expect(extractor.extract({ bytes: html, filename: 'a.html' }, never)).rejects.toMatchObject({
      message: 'It takes more than 24 MB of memory to read: split it into smaller files or save it again.',
      passing: false,
    });
    expect(pids.map(isAlive)).toEqual([false]);
  });

  it('is ended when the caller aborts', async () => {
    const asked = new AbortController();
    const { extractor, pids } = start({ onStart: () => asked.abort(new Error('enough')) });
    await expect(extractor.extract(text, asked.signal)).rejects.toThrow('enough');
    expect(pids.map(isAlive)).toEqual([false]);
  });

  it('is not started for a caller that aborted while queued', async () => {
    const asked = new AbortController();
    const { extractor, pids } = start({ concurrency: 1 });
    const first = extractor.extract(text, never);
    const second = extractor.extract(text, asked.signal);
    asked.abort(new Error('enough'));
    await expect(second).rejects.toThrow('enough');
    await first;
    expect(pids).toHaveLength(1);
    expect(await extractor.extract(text, never)).toMatchObject({ markdown: 'Some text.' });
  });

  it('is ended when the service stops', async () => {
    let closed: Promise<void> | undefined;
    const { extractor, pids } = start({
      onStart: () => {
        closed = extractor.close();
      },
    });
    await expect(extractor.extract(text, never)).rejects.toMatchObject({ passing: true });
    await closed;
    expect(pids.map(isAlive)).toEqual([false]);
    await expect(extractor.extract(text, never)).rejects.toMatchObject({ passing: true });
    expect(pids).toHaveLength(1);
  });

  it('may be retried when it was killed from outside', async () => {
    const { extractor } = start({ onStart: (pid) => process.kill(pid, 'SIGKILL') });
    await expect(extractor.extract(text, never)).rejects.toMatchObject({ passing: true });
  });

  it('also splits texts and computes the terms of their passages', async () => {
    const { extractor, pids } = start();
    const markdown = `# Bees\n\n${'A sentence about bees. '.repeat(200)}\n\n## 蜂\n\n${'蜂蜜很甜。'.repeat(300)}`;
    const chunks = await extractor.split(markdown, { title: 'bees', workspaceId: 'one' }, never);
    const titled = splitIntoChunks(markdown, { title: 'bees' }).map((chunk) => ({
      ...chunk,
      headingPath: ['bees', ...chunk.headingPath],
    }));
    expect(chunks).toEqual(indexChunks('one', titled));
    expect(chunks.length).toBeGreaterThan(8);
    expect(pids).toHaveLength(1);
  });

  it('does not split a text into more passages than can be stored', async () => {
    const { extractor } = start({ chunks: 100 });
    await expect(
      extractor.split('# a\n'.repeat(101), { title: null, workspaceId: 'one' }, never),
    ).rejects.toMatchObject({
      message: 'It comes apart into more than 100 passages: split it into smaller files.',
    });
  });
});

describe('a child process', () => {
  const command = (code: string): ChildCommand => ({ program: process.execPath, parameters: ['-e', code] });
  const run = (given: ChildCommand, outputBytes = 1_000, input: Uint8Array[] = []) =>
    runChild({ command: given, input, timeMs: 20_000, outputBytes, signal: never, onStart: undefined });

  it('is ended when it prints too much', async () => {
    const end = await run(command("setInterval(() => process.stdout.write('x'.repeat(500)), 1)"));
    expect(end).toMatchObject({ stopped: 'output', signal: 'SIGKILL' });
    expect(end.output.length).toBeLessThanOrEqual(1_000);
  });

  it('may end before it has read its whole input', async () => {
    const end = await run(command('process.exit(3)'), 1_000, [Buffer.alloc(5_000_000)]);
    expect(end).toMatchObject({ stopped: null, code: 3 });
  });

  it('that does not exist is an error', async () => {
    await expect(run({ program: '/no/such/program', parameters: [] })).rejects.toThrow('ENOENT');
  });

  it('that reads documents has no files, no network, no programs and no environment', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-extraction-'));
    const file = join(folder, 'secret');
    await writeFile(file, 'secret');
    let visits = 0;
    const server = createServer((_request, response) => {
      visits += 1;
      response.end();
    }).on('connection', () => (visits += 1));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const probe = childCommand(usualLimits, join(import.meta.dirname, 'extraction-probe.ts'));
    try {
      const { output, complaint } = await run(probe, 10_000, [Buffer.from(JSON.stringify({ port, file }))]);
      const { environment, ...attempts } = JSON.parse(output.toString() || complaint) as Record<
        string,
        string
      >;
      // Some shells set this variable to the program's name.
      expect(environment?.replace(/^_$/, '')).toBe('');
      expect(Object.keys(attempts)).toHaveLength(9);
      expect(new Set(Object.values(attempts))).toEqual(new Set(['refused']));
      expect(visits).toBe(0);
      expect(existsSync(`${file}.written`)).toBe(false);
    } finally {
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true });
    }
  });

  it.runIf(isLinux)('is limited by the operating system too, in case the service is gone', async () => {
    const pids: number[] = [];
    const { extractor } = start({ timeMs: 30_000, memoryMb: 300, onStart: (pid) => pids.push(pid) });
    const asked = new AbortController();
    const bytes = Buffer.from('<p>word <b>word</b></p>'.repeat(100_000));
    const reading = extractor.extract({ bytes, filename: 'a.html' }, asked.signal);
    const of = (name: string) => readFileSync(`/proc/${pids[0]}/${name}`, 'utf8');
    // Not the shell, which sets the limits and then executes it.
    const isNode = () => readlinkSync(`/proc/${pids[0]}/exe`) === realpathSync(process.execPath);
    await until('the child runs', () => pids.length > 0 && isNode());
    const [limits, environment] = [of('limits'), of('environ')];
    asked.abort(new Error('seen'));
    await expect(reading).rejects.toThrow('seen');
    expect(limits).toMatch(/Max cpu time +60 +65 /);
    expect(limits).toMatch(/Max data size +851443712 +851443712 /);
    expect(limits).toMatch(/Max file size +0 +0 /);
    expect(limits).toMatch(/Max core file size +0 +0 /);
    expect(environment.replace(/^_=[^\0]*\0/, '')).toBe('');
  });
});
