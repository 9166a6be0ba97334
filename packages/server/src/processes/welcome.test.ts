import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readConfig } from '../config/config.ts';
import { welcome } from './welcome.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-welcome-'));
});
afterEach(() => rm(directory, { recursive: true }));

const models = { configured: [], defaultModelId: 'builtin/extractive' };
const known = { firstKey: undefined, setUpLink: undefined, models };
const fresh = { firstKey: 'svc_sk_secret', setUpLink: 'http://x/setup?token=secret', models };
const start = (
  app: Parameters<typeof welcome>[0]['app'],
  { isTerminal = false, dataDirectory = directory } = {},
) => {
  const config = readConfig({ SVC_DATA_DIR: dataDirectory });
  return welcome({ config, port: 3000, app, isTerminal });
};
const contentOf = (name: string) => readFile(join(directory, name), 'utf8');

it.each([
  [{}, 'no telephone network; set SVC_VOICE_TRANSPORT to twilio or sip for calls'],
  [
    { SVC_VOICE_TRANSPORT: 'sip', SIP_TRUNK_URI: 'sip:trunk.example', SIP_LISTEN: '127.0.0.1:5070' },
    'SIP, on UDP port 5070',
  ],
  [
    {
      SVC_VOICE_TRANSPORT: 'twilio',
      SVC_PUBLIC_URL: 'https://svc.example',
      TWILIO_ACCOUNT_SID: `AC${'0'.repeat(32)}`,
      TWILIO_AUTH_TOKEN: 'token',
    },
    'Twilio',
  ],
])('tells how calls are made, with %j', async (environment, told) => {
  const config = readConfig({ SVC_DATA_DIR: directory, ...environment });
  const text = await welcome({ config, port: 3000, app: known, isTerminal: true });
  expect(text.split('\n')).toContain(`  Voice      ${told}`);
});

it('shows secrets on a terminal, and writes none', async () => {
  const shown = await start(fresh, { isTerminal: true });
  expect(shown).toContain(`\n    ${fresh.firstKey}\n`);
  expect(shown).toContain(`\n    ${fresh.setUpLink}\n`);
  expect(await readdir(directory)).toEqual([]);
});

it('writes secrets to files that no other user can read where there is no terminal', async () => {
  const dataDirectory = join(directory, 'new');
  const printed = await start(fresh, { dataDirectory });
  expect(printed).not.toContain('secret');
  for (const [name, secret] of [
    ['first-key', fresh.firstKey],
    ['set-up-link', fresh.setUpLink],
  ] as const) {
    const path = join(dataDirectory, name);
    expect(printed).toContain(`\n    ${path}\n`);
    expect(await readFile(path, 'utf8')).toBe(`${secret}\n`);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  }
  expect((await stat(dataDirectory)).mode & 0o777).toBe(0o700);
});

it('replaces the link at every start, keeps the key, and removes both when somebody has an account', async () => {
  await start(fresh);
  await start({ ...known, setUpLink: 'http://x/setup?token=later' });
  expect([await contentOf('first-key'), await contentOf('set-up-link')]).toEqual([
    `${fresh.firstKey}\n`,
    'http://x/setup?token=later\n',
  ]);
  await start({ ...known, setUpLink: 'http://x/setup?token=shown' }, { isTerminal: true });
  expect(await readdir(directory)).toEqual(['first-key']);
  expect(await start(known)).not.toContain(directory.concat('/first-key'));
  expect(await readdir(directory)).toEqual([]);
});

it('says how to get in if the files cannot be written, and shows no secret', async () => {
  const dataDirectory = join(directory, 'file');
  await writeFile(dataDirectory, '');
  const printed = await start(fresh, { dataDirectory });
  expect(printed).toContain('npm run svc -- setup-link');
  expect(printed).not.toContain('secret');
});
