import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { checkKey, readConfig } from './config.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-machine-config-'));
const key = `svc_mk_${'k'.repeat(43)}`;
const keyFile = join(folder, 'key');
writeFileSync(keyFile, `${key}\n`);
afterAll(() => rmSync(folder, { recursive: true }));

describe('the configuration', () => {
  it('has a default for the service', () => expect(readConfig({}).url).toBe('http://127.0.0.1:3000'));
  it('takes the key from a variable', () =>
    expect(readConfig({ SVC_MACHINE_KEY: ` ${key} ` }).key).toBe(key));
  it('takes the key from a file', () =>
    expect(readConfig({ SVC_MACHINE_KEY_FILE: keyFile })).toMatchObject({ key, keyFile }));
  it('does not guess which of two keys is meant', () =>
    expect(() => readConfig({ SVC_MACHINE_KEY: key, SVC_MACHINE_KEY_FILE: keyFile })).toThrow('both set'));
  it('says that the file cannot be read', () =>
    expect(() => readConfig({ SVC_MACHINE_KEY_FILE: join(folder, 'absent') })).toThrow('ENOENT'));
  it('has no colors with NO_COLOR', () => expect(readConfig({ NO_COLOR: '1' }).isPlain).toBe(true));
  it('wants a key', () => expect(() => checkKey(undefined)).toThrow('SVC_MACHINE_KEY'));
  it.each([`svc_sk_${'k'.repeat(43)}`, 'svc_mk_short', `${key} x`, `${key}\r\nx: y`])(
    'refuses %j as a machine key',
    (text) => expect(() => checkKey(text)).toThrow('not a machine key'),
  );
});
