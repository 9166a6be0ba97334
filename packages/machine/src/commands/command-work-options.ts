import type { Work } from '../operations/work.ts';
import type { Sandbox } from './sandbox/sandbox.ts';

export interface CommandWorkOptions {
  /** Real paths, none inside another. */
  roots: readonly string[];
  /** As `detectSandbox` found it; commands are not confined without it. */
  sandbox: Sandbox | undefined;
  /** For a command that may use the network where others have none; rejects with an error whose message is for the model. */
  openNetworkSandbox(): Promise<Sandbox>;
  stateFolder: string;
  /** The daemon's environment, of which commands see a small part. */
  environment: NodeJS.ProcessEnv;
  /** The real path of a folder inside the roots; rejects with an error whose message is for the model. */
  resolveDirectory(roots: readonly string[], workdir: string, path?: string): Promise<string>;
  /** Searches single files, and folders if ripgrep is not installed; reads what is described of a project. */
  files: Pick<Work, 'perform'>;
  /** In the sandbox; root is not limited by it. */
  maxProcesses?: number;
}
