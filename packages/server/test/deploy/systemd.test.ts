import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { isFull } from '../support/sample.ts';
import { deployFolder } from './compose-file.ts';

const run = promisify(execFile);

it.runIf(isFull)('systemd finds nothing wrong with the unit', async () => {
  const unit = await readFile(join(deployFolder, 'systemd/svc.service'), 'utf8');
  const command = '/usr/local/bin/svc start';
  expect(unit).toContain(`ExecStart=${command}\n`);
  const folder = await mkdtemp(join(tmpdir(), 'svc-unit-'));
  try {
    const verify = async (text: string) => {
      const path = join(folder, 'svc.service');
      // The service is not installed on this machine.
      await writeFile(path, text.replace(command, '/usr/bin/env start'));
      const { stdout, stderr } = await run('systemd-analyze', ['verify', '--man=no', path]);
      return stdout + stderr;
    };
    expect(await verify(unit)).toBe('');
    expect(await verify(unit.replace('DynamicUser=yes', 'DynamicUsers=yes'))).toContain('Unknown key');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
