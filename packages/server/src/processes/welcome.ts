import { randomBytes } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { App } from '../app.ts';
import type { Config } from '../config/config.ts';
import { errorCode } from '../lib/error-code.ts';
import { svcCommand } from '../lib/installation.ts';
import { providers } from '../models/providers/providers.ts';
import type { Services } from '../services.ts';

export interface WelcomeOptions extends Pick<Services, 'config'> {
  port: number;
  app: Pick<App, 'firstKey' | 'setUpLink' | 'models'> & Partial<Pick<App, 'metricsPort'>>;
  /** Elsewhere, such as in the log of a container, many can read what is printed: secrets are written to files instead. */
  isTerminal: boolean;
}

/** What a person sees when the service is up. */
export async function welcome({ config, port, app, isTerminal }: WelcomeOptions): Promise<string> {
  const host = `http://${config.host.includes(':') ? `[${config.host}]` : config.host}`;
  const address = `${host}:${port}`;
  const { configured, defaultModelId } = app.models;
  const lines = [
    ['Console', address],
    ['Docs', `${address}/docs`],
    ['Database', config.databaseUrl ? 'the server in DATABASE_URL' : `embedded, in ${config.dataDirectory}`],
    ['Model', describeModel(configured, defaultModelId)],
    ['Voice', describeVoice(config.voice)],
    ...(app.metricsPort === undefined ? [] : [['Metrics', `${host}:${app.metricsPort}/metrics`]]),
  ];
  const table = lines.map(([name, value]) => `  ${name?.padEnd(10)} ${value}`).join('\n');
  const problem = await updateFiles(config.dataDirectory, app, isTerminal);
  const secrets = isTerminal ? shownSecrets(app, address) : problem || keptSecrets(config, app, address);
  return `\nsvc is ready.\n\n${table}\n${isTerminal ? problem : ''}${secrets}`;
}

function shownSecrets({ setUpLink, firstKey }: WelcomeOptions['app'], address: string): string {
  const curl = `curl ${address}/api/v1/bots -H 'Authorization: Bearer ${firstKey}'`;
  const link = 'Create your account with this link, which works once, for 24 hours';
  return (
    (setUpLink ? indented(link, setUpLink) : '') +
    (firstKey
      ? indented('Your first account key, shown this one time', firstKey) + indented('Try it', curl)
      : '')
  );
}

/** Where they are. */
function keptSecrets(
  config: Config,
  { setUpLink, firstKey }: WelcomeOptions['app'],
  address: string,
): string {
  const [linkFile, keyFile] = [join(config.dataDirectory, linkName), join(config.dataDirectory, keyName)];
  const curl = `curl ${address}/api/v1/bots -H "Authorization: Bearer $(cat ${shellWord(keyFile)})"`;
  const link = 'Create your account with the link in this file, which works once, for 24 hours';
  const key =
    'Your first account key is in this file, which only this user can read; delete it when you have the key';
  return (
    (setUpLink ? indented(link, linkFile) : '') +
    (firstKey ? indented(key, keyFile) + indented('Try it', curl) : '')
  );
}

/** A path as a shell reads it. */
function shellWord(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}

function indented(title: string, text: string): string {
  return `\n  ${title}:\n\n    ${text}\n`;
}

const linkName = 'set-up-link';
const keyName = 'first-key';

/**
 * Writes secrets that are not shown, and removes those that are not needed any more: each start has a link of its own while nobody
 * has an account, and whoever has one can make keys. Returns what to do if that failed, or nothing.
 */
async function updateFiles(
  dataDirectory: string,
  { setUpLink, firstKey }: WelcomeOptions['app'],
  isTerminal: boolean,
): Promise<string> {
  try {
    await rm(join(dataDirectory, linkName), { force: true });
    if (setUpLink === undefined) await rm(join(dataDirectory, keyName), { force: true });
    if (isTerminal) return '';
    if (setUpLink) await writeSecret(join(dataDirectory, linkName), setUpLink);
    if (firstKey) await writeSecret(join(dataDirectory, keyName), firstKey);
    return '';
  } catch (error) {
    return `
  The files ${linkName} and ${keyName} in ${dataDirectory} could not be changed (${errorCode(error)}).
  Make a link with: ${svcCommand} setup-link, and a key with: ${svcCommand} keys create
`;
  }
}

/** No other user can read the file, not even while it is being written. */
async function writeSecret(path: string, secret: string): Promise<void> {
  await mkdir(join(path, '..'), { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(`${secret}\n`);
  } finally {
    await file.close();
  }
  await rename(draft, path);
}

function describeModel(configured: string[], defaultModelId: string): string {
  if (configured.length > 0) return `${defaultModelId} (configured: ${configured.join(', ')})`;
  const keys = providers.flatMap(({ chat, access }) => (chat && access ? [access.keyVariable] : []));
  const list = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(keys);
  return `${defaultModelId}; set ${list} for a real one`;
}

function describeVoice(voice: Config['voice']): string {
  if (!voice) return 'no telephone network; set SVC_VOICE_TRANSPORT to twilio or sip for calls';
  return voice.transport === 'sip' ? `SIP, on UDP port ${voice.listen.port}` : 'Twilio';
}
