import type { Mount } from './build-arguments.ts';
import type { IsolatedNetwork } from './network.ts';

/** How commands are confined on this machine, as found when the daemon started. */
export interface Sandbox {
  /** The absolute path of bubblewrap. */
  program: string;
  hasNetwork: boolean;
  /** The network of commands, if it is neither none nor the machine's. */
  network?: IsolatedNetwork;
  /** Commands see files that may have passwords or keys in them. */
  showsSecrets: boolean;
  canDisableUserNamespaces: boolean;
  mounts: readonly Mount[];
  hidden: readonly string[];
  stateFolder: string;
  environment: Record<string, string>;
  /** The content of the git settings in the private home folder. */
  gitSettings: string;
}
