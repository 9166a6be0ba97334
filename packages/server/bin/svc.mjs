#!/usr/bin/env node
// Runs the command with the Node that the project brings, whatever Node this file was started with.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const project = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');
const brought = join(project, 'node_modules/node/bin', process.platform === 'win32' ? 'node.exe' : 'node');
const node = existsSync(brought) ? brought : process.execPath;
const command = join(project, 'packages/server/src/command/svc.ts');
const child = spawn(node, [command, ...process.argv.slice(2)], { stdio: 'inherit' });

// Ctrl-C reaches the child too, and what it means is the child's to say; the others are passed on.
process.on('SIGINT', () => undefined);
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
child.on('close', (status, signal) => process.exit(status ?? (signal === 'SIGINT' ? 130 : 1)));
