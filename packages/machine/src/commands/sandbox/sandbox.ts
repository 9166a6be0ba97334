import type { Mount } from './build-arguments.ts';

/** How commands are confined on this machine, as found when the daemon started. */
export interface Sandbox {
  /** The absolute path of bubblewrap. */
  program: string;
  allowNetwork: boolean;
  canDisableUserNamespaces: boolean;
  mounts: readonly Mount[];
  hidden: readonly string[];
  stateFolder: string;
  environment: Record<string, string>;
  /** The content of the git settings in the private home folder. */
  gitSettings: string;
}
