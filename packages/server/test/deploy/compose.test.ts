import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { access, chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { BlockList } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { DCLinter } from 'dclint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installPackage } from '../support/installed-package.ts';
import { isFull } from '../support/sample.ts';
import { type Compose, composeFile, deployFolder, fillExample, readCompose } from './compose-file.ts';
import { openPrivateNetwork, type PrivateNetwork, type Program } from './private-network.ts';

const run = promisify(execFile);
const secrets = {
  SVC_DOMAIN: 'localhost',
  POSTGRES_PASSWORD: randomBytes(24).toString('hex'),
  REDIS_PASSWORD: randomBytes(24).toString('hex'),
  SVC_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
};

function contains(network: string, address: string): boolean {
  const [start = '', bits] = network.split('/');
  const list = new BlockList();
  list.addSubnet(start, Number(bits));
  return list.check(address);
}

describe('the compose file', () => {
  it('has the form that the Compose specification publishes', async () => {
    const linter = new DCLinter({ rules: {}, quiet: false, debug: false, exclude: [] });
    const [result] = linter.lintFiles([composeFile], false);
    const faults = result?.messages.filter(({ rule }: { rule: string }) => rule === 'invalid-schema');
    expect(faults).toEqual([]);
  });

  it('needs what example.env asks for, and starts with nothing else', async () => {
    await expect(readCompose(await fillExample({}))).rejects.toThrow('set it in .env');
    const { services } = await readCompose(await fillExample(secrets));
    expect(services.svc.environment['DATABASE_URL']).toContain(secrets.POSTGRES_PASSWORD);
  });

  it('trusts the address of the proxy, which no other container gets first', async () => {
    const { services, networks } = await readCompose(await fillExample(secrets));
    const [{ subnet, ip_range: range, gateway }] = networks.inside.ipam.config;
    const address = services.caddy.networks['inside']?.ipv4_address ?? '';
    expect(services.svc.environment['SVC_TRUSTED_PROXIES']).toBe(address);
    for (const fixed of [address, gateway]) {
      expect(contains(subnet, fixed)).toBe(true);
      expect(contains(range, fixed)).toBe(false);
    }
  });
});

const addresses = { database: '10.213.27.130', redis: '10.213.27.131', svc: '10.213.27.132' };
const strangers = ['192.0.2.10', '198.51.100.10', '203.0.113.10'] as const;

/** The services as Compose would start them, with Debian's programs and the published package in place of the images. */
describe.runIf(isFull && process.getuid?.() === 0)('its services', { shuffle: false }, () => {
  let folder: string;
  let compose: Compose;
  let network: PrivateNetwork;
  let variables: Record<string, string>;
  let launcher: string;
  let service: Program;
  let caddy: Program;
  let key: string;
  /** The stream of its events. */
  let conversation: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-compose-'));
    // PostgreSQL runs as somebody else.
    await chmod(folder, 0o755);
    compose = await readCompose(await fillExample(secrets));
    const proxy = compose.services.caddy.networks['inside']?.ipv4_address ?? '';
    network = await openPrivateNetwork({
      folder,
      names: { ...addresses, caddy: proxy },
      strangers: [...strangers],
      source: { to: addresses.svc, from: proxy },
      // Caddy would make the machine trust its certificates. nginx has its own there.
      replaced: ['/usr/local/share/ca-certificates', '/etc/ssl'],
    });
    ({ launcher } = await installPackage(folder));
  });
  afterAll(async () => {
    await network.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function startDatabase(): Promise<void> {
    const { environment, healthcheck } = compose.services.database;
    const { POSTGRES_USER = '', POSTGRES_PASSWORD = '', POSTGRES_DB = '' } = environment;
    const { stdout } = await run('sh', ['-c', 'ls -d /usr/lib/postgresql/*/bin | tail -1']);
    const program = (name: string) => join(stdout.trim(), name);
    const [data, passwordFile] = [join(folder, 'database'), join(folder, 'password')];
    await mkdir(data);
    await run('chown', ['postgres', data]);
    await writeFile(passwordFile, POSTGRES_PASSWORD);
    const asPostgres = ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'];
    const login = ['--auth=scram-sha-256', `--username=${POSTGRES_USER}`, `--pwfile=${passwordFile}`];
    await network.run([...asPostgres, program('initdb'), '--no-sync', `--pgdata=${data}`, ...login]);
    await writeFile(join(data, 'pg_hba.conf'), 'host all all all scram-sha-256\n');
    const settings = ['-c', 'listen_addresses=*', '-c', `unix_socket_directories=${data}`];
    network.start([...asPostgres, program('postgres'), '-D', data, ...settings], {});
    await isHealthy(healthcheck.test, { PGHOST: 'database' });
    const connection = { PGHOST: 'database', PGUSER: POSTGRES_USER, PGPASSWORD: POSTGRES_PASSWORD };
    await network.run([program('createdb'), POSTGRES_DB], connection);
  }

  async function startRedis(): Promise<void> {
    const { command, environment, healthcheck } = compose.services.redis;
    network.start(command, environment);
    await isHealthy(healthcheck.test, environment);
  }

  /** With the variables of the image. */
  async function startService(other: Record<string, string> = {}): Promise<void> {
    const dockerfile = await readFile(join(deployFolder, 'Dockerfile'), 'utf8');
    const [, declared = ''] = /^ENV (.+)$/m.exec(dockerfile) ?? [];
    const [, check = ''] = /^HEALTHCHECK[^[]+(\[.+\])$/m.exec(dockerfile) ?? [];
    const image = Object.fromEntries(declared.split(' ').map((pair) => pair.split('=') as [string, string]));
    variables = {
      ...image,
      ...compose.services.svc.environment,
      SVC_DATA_DIR: join(folder, 'data'),
      ...other,
    };
    service = network.start([process.execPath, launcher, 'start'], variables);
    await isHealthy(['CMD', ...(JSON.parse(check) as string[])], variables);
  }

  async function isHealthy(test: string[], environment: Record<string, string>): Promise<void> {
    const [kind, ...words] = test;
    const command = kind === 'CMD-SHELL' ? ['sh', '-c', ...words] : words;
    await expect.poll(() => works(command, environment), { interval: 250 }).toBe(true);
  }
  const works = (command: string[], environment: Record<string, string>) =>
    network.run(command, environment).then(
      () => true,
      () => false,
    );

  const certificate = () => join(folder, 'caddy/pki/authorities/local/root.crt');
  /** How somebody with this address sends a request through the proxy. */
  const throughProxy = (path: string, options: string[], from: string) => {
    const proxy = ['--connect-to', '::caddy:', '--cacert', certificate(), '--interface', from];
    return ['curl', '--silent', '--show-error', ...proxy, ...options, `https://localhost${path}`];
  };
  const request = (path: string, options: string[] = [], from: string = strangers[0]) =>
    network.run(throughProxy(path, options, from));
  const withKey = (body?: object) => [
    '--header',
    `Authorization: Bearer ${key}`,
    '--header',
    'Content-Type: application/json',
    ...(body ? ['--data', JSON.stringify(body)] : []),
  ];
  /** The statuses of wrong passwords for one account, each with another forged address. */
  async function guess(command: (options: string[]) => string[]): Promise<string[]> {
    const email = `${randomBytes(6).toString('hex')}@example.com`;
    const statuses: string[] = [];
    for (let index = 1; index <= 11; index += 1) {
      const headers = [
        'Content-Type: application/json',
        'Origin: https://localhost',
        'X-Svc-Console: 1',
        `X-Forwarded-For: 2001:db8:${index}::1`,
        'X-Forwarded-Proto: https',
      ].flatMap((header) => ['--header', header]);
      const body = JSON.stringify({ email, password: 'a wrong password' });
      const options = [...headers, '--data', body, '--output', '/dev/null', '--write-out', '%{http_code}'];
      statuses.push(await network.run(command(options)));
    }
    return statuses;
  }
  const limited = [...Array<string>(10).fill('401'), '429'];

  it('start with the variables of the file', async () => {
    await startDatabase();
    await startRedis();
    await startService();
    await expect.poll(service.output).toContain('svc is ready');
    expect(service.output()).not.toContain('"level":40');
    key = (await readFile(join(folder, 'data/first-key'), 'utf8')).trim();
  });

  it('are reached through Caddy with TLS', async () => {
    const { environment, volumes } = compose.services.caddy;
    const [mounted = ''] = volumes;
    const config = resolve(dirname(composeFile), mounted.split(':')[0] ?? '');
    await access(config);
    const places = { XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
    caddy = network.start(['caddy', 'run', '--config', config, '--adapter', 'caddyfile'], {
      ...environment,
      ...places,
    });
    await expect.poll(() => works(['test', '-e', certificate()], {})).toBe(true);
    await expect.poll(() => request('/readyz').catch(String)).toContain('{"status":"ok"');
    expect(await request('/', ['--head'])).toMatch(/strict-transport-security: max-age=/i);
    const plain = await network.run([
      'curl',
      '--silent',
      '--head',
      '--connect-to',
      '::caddy:',
      'http://localhost/',
    ]);
    expect(plain).toMatch(/location: https:/i);
  });

  it('stream through Caddy: events arrive while the stream is open', async () => {
    const bot = JSON.parse(
      await request('/api/v1/bots', withKey({ name: 'Host', system_prompt: 'Be kind.' })),
    );
    const message = { bot_id: bot.id, external_user_id: 'me', message: 'Hello' };
    const sent = await request('/api/v1/chat/send-stream', withKey(message));
    const [, id = ''] = /"conversation_id":"([^"]+)"/.exec(sent) ?? [];
    conversation = `/api/v1/chat/stream?conversation_id=${id}&after=0`;
    const stream = network.start(throughProxy(conversation, ['--no-buffer', ...withKey()], strangers[0]), {});
    await expect.poll(stream.output).toContain('event: turn.completed');
    expect(stream.child.exitCode).toBeNull();
    await stream.end('SIGKILL');
  });

  it('know the addresses of people behind Caddy, whatever those claim', async () => {
    const [one, other] = strangers;
    expect(await guess((options) => throughProxy('/api/console/sign-in', options, one))).toEqual(limited);
    expect(await guess((options) => throughProxy('/api/console/sign-in', options, other))).toEqual(limited);
  });

  it('believe nobody else on their network', async () => {
    const direct = ['curl', '--silent', '--interface', strangers[2]];
    const url = 'http://svc:3000';
    expect(await guess((options) => [...direct, ...options, `${url}/api/console/sign-in`])).toEqual(limited);
  });

  it('keep the passwords for themselves', async () => {
    const { stdout } = await run('ps', ['-eo', 'args']);
    expect(stdout).toContain('redis-server');
    expect(stdout).not.toContain(secrets.REDIS_PASSWORD);
    expect(stdout).not.toContain(secrets.POSTGRES_PASSWORD);
    expect(await network.run(['redis-cli', '-h', 'redis', 'keys', '*'])).toContain('NOAUTH');
    const output = service.output();
    for (const secret of Object.values(secrets).slice(1)) expect(output).not.toContain(secret);
  });

  it('end when they are asked to, and have everything after a restart', async () => {
    expect(await service.end('SIGTERM')).toBe(0);
    await startService();
    await expect.poll(() => request('/api/v1/bots', withKey())).toContain('"Host"');
  });

  it('are reached through nginx as well, which knows the addresses of people, too', async () => {
    await service.end('SIGTERM');
    await startService({ HOST: '127.0.0.1', SVC_TRUSTED_PROXIES: '127.0.0.1' });
    const files = ['fullchain.pem', 'privkey.pem'].map((name) => join(folder, name));
    const [chain = '', privateKey = ''] = files;
    const name = ['-subj', '/CN=agents.example.com', '-addext', 'subjectAltName=DNS:agents.example.com'];
    await run('openssl', [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-out',
      chain,
      '-keyout',
      privateKey,
      ...name,
    ]);
    await network.run(['mkdir', '/etc/ssl/svc']);
    await network.run(['cp', ...files, '/etc/ssl/svc']);
    const config = join(folder, 'nginx.conf');
    const own = `include ${join(deployFolder, 'nginx/svc.conf')}; access_log off;`;
    await writeFile(config, `daemon off; pid ${folder}/nginx.pid; events {}\nhttp { ${own} }\n`);
    await caddy.end('SIGTERM');
    network.start(['nginx', '-c', config, '-e', 'stderr'], {});
    const throughNginx = (path: string, options: string[], from: string) => {
      const proxy = ['--connect-to', '::caddy:', '--cacert', chain, '--interface', from];
      return ['curl', '--silent', '--show-error', ...proxy, ...options, `https://agents.example.com${path}`];
    };
    const [one, other] = strangers;
    await expect.poll(() => works(throughNginx('/readyz', ['--fail'], one), {})).toBe(true);
    for (const from of [one, other])
      expect(await guess((options) => throughNginx('/api/console/sign-in', options, from))).toEqual(limited);
    const stream = network.start(throughNginx(conversation, ['--no-buffer', ...withKey()], one), {});
    await expect.poll(stream.output).toContain('event: turn.completed');
    expect(stream.child.exitCode).toBeNull();
    await stream.end('SIGKILL');
  });
});
