import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { readDocuments } from '../house/source-files.ts';
import { runCommand } from '../support/service-process.ts';

const run = promisify(execFile);
const documents = readDocuments();

it('commands for containers are those of the command line: `run` keeps the entrypoint of the image, `exec` does not', async () => {
  const { stdout } = await runCommand(['--help'], {});
  const known = new Set([...stdout.matchAll(/^ {2}([a-z][\w-]*) /gm)].map(([, name]) => name));
  expect(known).toContain('backup');
  const wrong: string[] = [];
  let runs = 0;
  for (const [path, source] of documents)
    for (const [line, verb, rest = ''] of source.matchAll(/docker compose (run|exec) ([^`\n]+)/g)) {
      // Options come before the name of the service; `-v` and `-e` take a value.
      const words = rest
        .replace(/^(?:-[ve] \S+ |-\S+ )*/, '')
        .split(' ')
        .slice(1);
      if (verb === 'exec' && words.shift() !== 'svc') continue;
      runs += verb === 'run' ? 1 : 0;
      if (!known.has(words[0])) wrong.push(`${path}: ${line}`);
    }
  expect(runs).toBeGreaterThan(0);
  expect(wrong).toEqual([]);
});

it('lines for cron work with its variables, and pass on those of a file as they are', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-cron-'));
  const databaseUrl = 'postgres://svc:a b@db/svc?sslmode=require&application_name=$x';
  const places = {
    '/etc/svc': 'etc',
    '/backups/svc': 'backups',
    '/srv/svc': 'clone',
    '/usr/local/bin': 'local',
  };
  const moved = (line: string) =>
    Object.entries(places).reduce((text, [from, to]) => text.replaceAll(from, join(folder, to)), line);
  const write = async (path: string, content: string) => {
    await writeFile(join(folder, path), content);
    await chmod(join(folder, path), 0o700);
  };
  for (const name of ['etc', 'backups', 'clone/deploy/compose', 'local', 'docker'])
    await mkdir(join(folder, name), { recursive: true });
  const reporting = '#!/bin/sh\necho "$*, $SVC_BACKUP_KEY, $DATABASE_URL"';
  await write('local/svc', reporting);
  await write('docker/docker', `${reporting} > '${folder}/docker/output'\n`);
  await write('etc/backup-environment', `SVC_BACKUP_KEY='a+/='\nDATABASE_URL='${databaseUrl}'\n`);
  await write('etc/backup-key', 'b+/=\n');
  try {
    const blocks = [...(documents.get('docs/backup.md') ?? '').matchAll(/^```text\n([\s\S]*?)^```/gm)];
    for (const [, block = ''] of blocks) {
      const command = /^(?:[\d*]+ ){5}(.*)$/m.exec(block)?.[1];
      if (command === undefined) continue;
      const path = moved(/^PATH=(.*)$/m.exec(block)?.[1] ?? '/usr/bin:/bin');
      const env = { PATH: `${path}:${join(folder, 'docker')}`, SHELL: '/bin/sh' };
      await run('/bin/sh', ['-c', moved(command)], { env, cwd: folder });
    }
    expect(await readFile(join(folder, 'backups/backup.log'), 'utf8')).toBe(
      `backup ${join(folder, 'backups')} --keep 14, a+/=, ${databaseUrl}\n`,
    );
    expect(await readFile(join(folder, 'docker/output'), 'utf8')).toBe(
      `compose run --rm -T -v ${join(folder, 'backups')}:/backups -e SVC_BACKUP_KEY svc backup /backups --keep 14, b+/=, \n`,
    );
  } finally {
    await rm(folder, { recursive: true });
  }
});
