#!/usr/bin/env node
// Runs what was built; in a checkout the sources, with a Node that can read them.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const built = new URL('../dist/svc-machine.mjs', import.meta.url);
const sources = new URL('../src/main.ts', import.meta.url);

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 11)) {
  process.stderr.write(`svc-machine: Node 20.11 or later is needed, this is ${process.version}.\n`);
  process.exit(1);
}

// In a container without an init: what commands leave behind becomes a child of this process, which Node does not collect.
if (process.pid === 1 && process.platform === 'linux') runBelowShell();

if (existsSync(built)) await import(built.href);
else if (process.features.typescript) await import(sources.href);
else runSources();

/** Replaces this process with a shell that runs it, passes signals on and collects every process that has ended. */
function runBelowShell() {
  if (!process.execve) {
    process.stderr.write(
      'svc-machine: run the container with an init (docker run --init), or use Node 22.15.\n',
    );
    return;
  }
  const script = `
exec 3<&0
"$@" <&3 3<&- &
child=$!
exec 3<&-
for signal in TERM HUP INT; do trap "kill -$signal $child" "$signal"; done
while :; do
  wait "$child"
  status=$?
  kill -0 "$child" 2>/dev/null || exit "$status"
done`;
  const program = [process.execPath, ...process.execArgv, fileURLToPath(import.meta.url)];
  process.execve('/bin/sh', ['sh', '-c', script, 'sh', ...program, ...process.argv.slice(2)]);
}

function runSources() {
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  const node = fileURLToPath(new URL(`../../../node_modules/node/bin/${name}`, import.meta.url));
  const child = spawn(node, [fileURLToPath(sources), ...process.argv.slice(2)], { stdio: 'inherit' });
  // Ctrl-C reaches the child as well; other signals are passed on.
  process.on('SIGINT', () => undefined);
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    process.stderr.write(`svc-machine: run npm install in the checkout first (${error.message}).\n`);
    process.exit(1);
  });
  child.on('close', (status) => process.exit(status ?? 130));
}
