import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openKeyFiles } from './key-files.ts';
import { createSecretBox } from './secret-box.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-keys-'));
});
afterEach(() => rm(directory, { recursive: true }));

const open = async () => {
  const files = await openKeyFiles(directory);
  return { files, box: createSecretBox(files) };
};

describe('key files', () => {
  it('are made once, also by many at once, and only their owner can read them', async () => {
    const opened = await Promise.all(Array.from({ length: 10 }, () => openKeyFiles(directory)));
    expect(new Set(opened.map((files) => files.current.toString('hex'))).size).toBe(1);
    expect((await stat(join(directory, 'encryption-key'))).mode & 0o777).toBe(0o600);
  });

  it('change under a running process: it seals with the new key and opens both', async () => {
    const [running, command] = [await open(), await open()];
    const before = running.box.seal('before', 'x');
    await command.files.generate();
    const after = running.box.seal('after', 'x');
    expect(after.subarray(0, 8)).not.toEqual(before.subarray(0, 8));
    expect(command.box.open(after, 'x')).toBe('after');
    const resealed = command.box.reseal(before, 'x');
    await command.files.forgetPrevious();
    expect(running.box.open(resealed, 'x')).toBe('before');
    expect(running.box.open(before, 'x')).toBe('before');

    const restarted = await open();
    expect(restarted.box.open(resealed, 'x')).toBe('before');
    expect(restarted.box.open(after, 'x')).toBe('after');
    expect(() => restarted.box.open(before, 'x')).toThrow('no longer configured');
    expect(await readdir(directory)).toEqual(['encryption-key']);
  });

  it('finds a key that another process made after the last look', async () => {
    const [running, command] = [await open(), await open()];
    await command.files.generate();
    const sealed = command.box.seal('new', 'x');
    expect(running.box.open(sealed, 'x')).toBe('new');
  });

  it('keeps every earlier key until they are forgotten: an unfinished change may be followed by another', async () => {
    const { files, box } = await open();
    const sealed = [box.seal('0', 'x')];
    for (let round = 1; round < 4; round += 1) {
      await files.generate();
      sealed.push(box.seal(String(round), 'x'));
    }
    const restarted = await open();
    expect(sealed.map((one) => restarted.box.open(one, 'x'))).toEqual(['0', '1', '2', '3']);
    expect((await stat(join(directory, 'encryption-key.previous'))).mode & 0o777).toBe(0o600);
  });

  it('opens everything after a crash between any two of its writes', async () => {
    const { files, box } = await open();
    const sealed = box.seal('x', 'x');
    const old = await readFile(join(directory, 'encryption-key'));
    // Half a file was written aside.
    await writeFile(join(directory, 'encryption-key.previous.new'), old.subarray(0, 10));
    expect((await open()).box.open(sealed, 'x')).toBe('x');
    // The old key is safe, the new one not there yet.
    await writeFile(join(directory, 'encryption-key.previous'), old);
    expect((await open()).box.open(sealed, 'x')).toBe('x');
    await writeFile(join(directory, 'encryption-key.new'), '');
    expect((await open()).box.open(sealed, 'x')).toBe('x');
    // The new one is there, nothing sealed under it.
    await files.generate();
    expect((await open()).box.open(sealed, 'x')).toBe('x');
  });

  it('says which file is damaged', async () => {
    await writeFile(join(directory, 'encryption-key'), 'short');
    await expect(openKeyFiles(directory)).rejects.toThrow('encryption-key does not hold 32 bytes');
    await writeFile(join(directory, 'encryption-key'), '');
    await expect(openKeyFiles(directory)).rejects.toThrow('encryption-key is empty');
  });
});
