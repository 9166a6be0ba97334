import { type DataDirectory, findOwner, type Owner } from './data-directory.ts';
import { runProgram } from './programs.ts';

/** How PostgreSQL's programs are run: it refuses to run as root. */
export interface Launch {
  prefix: readonly string[];
  /** The owner of the server's files; undefined where that is simply the user that runs the service. */
  owner: Owner | undefined;
}

const nobody: Owner = { uid: 65534, gid: 65534 };

const direct: Launch = { prefix: [], owner: undefined };

/** Root has another uid inside a user namespace, so no other user is needed and no ownership changes. */
const userNamespace: Launch = {
  prefix: ['unshare', '--user', `--map-user=${nobody.uid}`, `--map-group=${nobody.gid}`],
  owner: { uid: 0, gid: 0 },
};

/**
 * Another user that may still enter root's closed directories. Docker grants dac_override but not dac_read_search;
 * without no_setuid_fixup the kernel drops the capability in access(), which PostgreSQL calls to check its own
 * programs; the environment is reset because that user's other processes could read our secrets from it.
 */
function asUser(owner: Owner): Launch {
  const prefix = [
    'setpriv',
    `--reuid=${owner.uid}`,
    `--regid=${owner.gid}`,
    '--clear-groups',
    '--inh-caps=-all,+dac_override',
    '--ambient-caps=-all,+dac_override',
    '--securebits=+no_setuid_fixup',
    '--reset-env',
  ];
  return { prefix, owner };
}

/** What to try, in order. A database that already has another owner keeps it. */
export function launchesFor(uid: number | undefined, clusterOwner: Owner | undefined): readonly Launch[] {
  if (uid !== 0) return [direct];
  if (clusterOwner !== undefined && clusterOwner.uid !== 0) return [asUser(clusterOwner)];
  return [userNamespace, asUser(nobody)];
}

export async function chooseLaunch(directory: DataDirectory, postgres: string): Promise<Launch> {
  const launches = launchesFor(process.getuid?.(), await findOwner(directory.cluster));
  if (launches[0] === direct) return direct;
  const failures: string[] = [];
  for (const launch of launches) {
    // A process in a user namespace may still be unable to enter a directory that root enters only by its capabilities.
    const probe = ['sh', '-c', 'cd "$1" && exec "$0" --version', postgres, directory.root];
    const { succeeded, output } = await runProgram([...launch.prefix, ...probe]);
    if (succeeded) return launch;
    failures.push(`${launch.prefix[0]}: ${output}`);
  }
  throw new Error(
    `PostgreSQL does not run as root, and this system offers no workaround (${failures.join('; ')}). Start as another user, or set DATABASE_URL to a PostgreSQL server of your own.`,
  );
}
