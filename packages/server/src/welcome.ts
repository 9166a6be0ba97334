import type { App } from './app.ts';
import type { Config } from './config.ts';
import { providers } from './models/providers/providers.ts';

export interface WelcomeOptions {
  config: Config;
  port: number;
  app: Pick<App, 'firstKey' | 'setUpLink' | 'models'>;
}

/** What a person sees when the service is up. */
export function welcome({ config, port, app }: WelcomeOptions): string {
  const address = `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`;
  const { configured, defaultModelId } = app.models;
  const lines = [
    ['Console', address],
    ['Docs', `${address}/docs`],
    ['Database', config.databaseUrl ? 'the server in DATABASE_URL' : `embedded, in ${config.dataDirectory}`],
    ['Model', describeModel(configured, defaultModelId)],
    ['Voice', config.voice?.transport ?? 'no transport configured'],
  ];
  const table = lines.map(([name, value]) => `  ${name?.padEnd(10)} ${value}`).join('\n');
  const setUp = app.setUpLink ? setUpLines(app.setUpLink) : '';
  return `\nsvc is ready.\n\n${table}\n${setUp}${app.firstKey ? firstKeyLines(app.firstKey, address) : ''}`;
}

function describeModel(configured: string[], defaultModelId: string): string {
  if (configured.length > 0) return `${defaultModelId} (configured: ${configured.join(', ')})`;
  const keys = providers.flatMap(({ chat, access }) => (chat && access ? [access.keyVariable] : []));
  const list = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(keys);
  return `${defaultModelId}; set ${list} for a real one`;
}

function firstKeyLines(key: string, address: string): string {
  return `
  Your first account key, shown this one time:

    ${key}

  Try it:

    curl ${address}/api/v1/bots -H 'Authorization: Bearer ${key}'
`;
}

function setUpLines(link: string): string {
  return `
  Create your account with this link, which works once, for 24 hours:

    ${link}
`;
}
