import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';

/** What npm needs to reach its registry. Everything else starts empty. */
const npmSettings = ['registry', 'cafile', 'proxy', 'https-proxy', 'noproxy', 'strict-ssl'];

/** An environment that knows nothing of this user and this clone: a PATH, an empty home, and npm's way to its registry. */
export function freshEnvironment(home) {
  const path = (process.env.PATH ?? '').split(delimiter).filter((entry) => !entry.includes('node_modules'));
  const environment = { PATH: path.join(delimiter), HOME: home };
  for (const setting of npmSettings) {
    const value = execFileSync('npm', ['config', 'get', setting], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
    if (!['', 'null', 'undefined'].includes(value)) {
      environment[`npm_config_${setting.replaceAll('-', '_')}`] = value;
    }
  }
  return environment;
}

export async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** The processes that run in a folder or name it in their command line, as `pid command`. Linux only; empty elsewhere. */
export function processesIn(folder) {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return [];
    try {
      const command = readFileSync(join('/proc', pid, 'cmdline'), 'utf8')
        .replaceAll('\0', ' ')
        .trim();
      const workingFolder = readlinkSync(join('/proc', pid, 'cwd'));
      const inside = workingFolder === folder || workingFolder.startsWith(`${folder}/`);
      return inside || command.includes(folder) ? [`${pid} ${command}`] : [];
    } catch {
      // It ended while we looked, or belongs to another user.
      return [];
    }
  });
}
