#!/usr/bin/env node
// svc: starts the service, or runs one of its commands, in a clone and in the published package. Plain JavaScript for Node 20 and
// later; what it starts runs on the Node that the project brings.
import { join } from 'node:path';
import { isClone, main, projectFolder, usableNode } from '../../../scripts/lib/project.mjs';
import { runProgram } from '../../../scripts/lib/run-program.mjs';
import { runServer } from '../../../scripts/lib/run-server.mjs';

const args = process.argv.slice(2);
const command = isClone ? 'src/command/svc.ts' : 'dist/command.mjs';
const isStart = args.length === 0 || (args.length === 1 && args[0] === 'start');

if (isStart && isClone) await import('../../../scripts/start.mjs');
else await main(() => (isStart ? runServer() : runCommand()));

function runCommand() {
  const file = join(projectFolder, 'packages/server', command);
  return runProgram(usableNode(), [file, ...args], { cwd: process.cwd() });
}
