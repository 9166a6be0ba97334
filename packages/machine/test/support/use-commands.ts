import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { CommandEnd, Outcome, RunCommand, Search, SearchMatches } from '@svc/contract/machine-protocol';
import { onTestFinished } from 'vitest';
import type { BackgroundLimits } from '../../src/commands/background/background-processes.ts';
import { createCommandWork } from '../../src/commands/command-work.ts';
import { detectSandbox, type SandboxQuery } from '../../src/commands/sandbox/detect-sandbox.ts';
import type { Sandbox } from '../../src/commands/sandbox/sandbox.ts';
import { createFileWork, resolveDirectory } from '../../src/files/file-work.ts';
import type { Work } from '../../src/operations/work.ts';

export interface CommandSetup {
  isSandboxed: boolean;
  network?: NonNullable<SandboxQuery['network']>;
  showsSecrets?: boolean;
  environment?: NodeJS.ProcessEnv;
  keyFile?: string;
  /** Shows the folder that contains the roots and the state, as if it were a folder of the system. */
  showsParent?: boolean;
  limits?: Partial<BackgroundLimits>;
}

export interface Commands {
  work: Work;
  root: string;
  otherRoot: string;
  stateFolder: string;
  /** Fails the test if the command could not be run. */
  run(command: string, options?: Partial<RunCommand>): Promise<CommandEnd>;
  perform(given: RunCommand, options?: Partial<PerformOptions>): Promise<Outcome>;
  search(given: Search): Promise<SearchMatches>;
}

interface PerformOptions {
  id: string;
  signal: AbortSignal;
  onProgress(text: string): void;
  cwd: string;
}

/** Two roots and a state folder of their own for a test, and the work on commands in them. */
export async function useCommands({ isSandboxed, ...setup }: CommandSetup): Promise<Commands> {
  const { root, otherRoot, stateFolder } = await createFolders();
  const roots = [root, otherRoot];
  const environment = setup.environment ?? process.env;
  const detected = isSandboxed
    ? await detectSandbox({
        roots,
        stateFolder,
        keyFile: setup.keyFile,
        environment,
        ...(setup.network && { network: setup.network }),
        showsSecrets: setup.showsSecrets ?? false,
      })
    : undefined;
  if (detected?.reason !== undefined) throw new Error(detected.reason);
  const files = createFileWork({ roots, stateFolder });
  const commandOptions = {
    roots,
    sandbox: setup.showsParent && detected ? showing(detected.sandbox, dirname(root)) : detected?.sandbox,
    stateFolder,
    environment,
    resolveDirectory,
    openNetworkSandbox: () => Promise.reject(new Error('There is no network here.')),
    files,
  };
  const work = createCommandWork(commandOptions, setup.limits);
  onTestFinished(async () => {
    await work.close();
    await files.close();
  });

  const perform: Commands['perform'] = (given, options) =>
    work.perform(
      {
        id: options?.id ?? randomUUID(),
        name: 'run_command',
        workdir: root,
        arguments: { ...given },
        ...(options?.cwd !== undefined && { basis: { cwd: options.cwd } }),
      },
      {
        signal: options?.signal ?? new AbortController().signal,
        onProgress: options?.onProgress ?? (() => {}),
      },
    );
  return {
    work,
    root,
    otherRoot,
    stateFolder,
    perform,
    async run(command, options) {
      const outcome = await perform({ time_limit_seconds: 60, ...options, command });
      if (outcome.status !== 'ok') throw new Error(outcome.message);
      return outcome.value as CommandEnd;
    },
    async search(given) {
      const operation = { id: randomUUID(), name: 'search' as const, workdir: root, arguments: { ...given } };
      const outcome = await work.perform(operation, {
        signal: new AbortController().signal,
        onProgress() {},
      });
      if (outcome.status !== 'ok') throw new Error(outcome.message);
      return outcome.value as SearchMatches;
    },
  };
}

function showing(sandbox: Sandbox, folder: string): Sandbox {
  return { ...sandbox, mounts: [...sandbox.mounts, { kind: 'read-only', source: folder, target: folder }] };
}

async function createFolders() {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'svc-commands-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const folders = {
    root: join(folder, 'root'),
    otherRoot: join(folder, 'other'),
    stateFolder: join(folder, 'state'),
  };
  for (const path of Object.values(folders)) await mkdir(path);
  return folders;
}
