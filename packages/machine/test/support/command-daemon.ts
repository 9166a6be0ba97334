import { createCommandWork } from '../../src/commands/command-work.ts';
import { detectSandbox } from '../../src/commands/sandbox/detect-sandbox.ts';
import { createFileWork, resolveDirectory } from '../../src/files/file-work.ts';

/** Runs one command as the daemon would, in a process that a test can kill: prints its progress and its outcome. */
const given = JSON.parse(process.argv[2] ?? '') as {
  id: string;
  command: string;
  root: string;
  stateFolder: string;
  isSandboxed: boolean;
  maxProcesses?: number;
};
const { root, stateFolder } = given;
const roots = [root];
const environment = process.env;
const detected = given.isSandboxed ? await detectSandbox({ roots, stateFolder, environment }) : undefined;
if (detected?.reason !== undefined) throw new Error(detected.reason);
const files = createFileWork({ roots, stateFolder });
const work = createCommandWork({
  roots,
  sandbox: detected?.sandbox,
  stateFolder,
  environment,
  resolveDirectory,
  openNetworkSandbox: () => Promise.reject(new Error('There is no network here.')),
  files,
  ...(given.maxProcesses !== undefined && { maxProcesses: given.maxProcesses }),
});
const outcome = await work.perform(
  { id: given.id, name: 'run_command', workdir: root, arguments: { command: given.command } },
  {
    signal: new AbortController().signal,
    onProgress: (text) => process.stdout.write(`${JSON.stringify({ progress: text })}\n`),
  },
);
process.stdout.write(`${JSON.stringify({ outcome })}\n`);
await files.close();
