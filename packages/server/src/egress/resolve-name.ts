import type { AllowList } from './allow-list.ts';
import { askNameServers, isLateAnswer, isUnknownName } from './ask-name-servers.ts';
import { EgressFailed, unknownHost } from './egress-error.ts';
import { shareWork } from './share-work.ts';
import { createSystemLookup, oneAtATime } from './system-lookup.ts';

export interface NameResolverOptions {
  allow: AllowList;
  /** In place of the system's name servers, as `ip` or `ip:port`. */
  servers: readonly string[];
}

/** All addresses of a host, as text. Throws EgressFailed, or the reason of the signal. */
export type ResolveName = (name: { host: string; port: number }, signal: AbortSignal) => Promise<string[]>;

type Ask = (host: string, signal: AbortSignal) => Promise<string[]>;

/**
 * Public names are asked of the name servers. Names that only this machine knows (hosts file, search domains,
 * mDNS) can matter only where the operator has allowed something that is not public: a name that is allowed itself is
 * looked up by the system, and where addresses are allowed the system is asked for what the name servers do not know.
 */
export function createNameResolver({ allow, servers }: NameResolverOptions): ResolveName {
  const askServers: Ask = (host, signal) => askNameServers(host, servers, signal);
  // One for both: two could hold both lookups that the process has. Names of different domains take turns in it.
  const lookUp = createSystemLookup();
  // Whoever configures name servers wants them to be asked.
  const resolveAllowed = inOrder(...(servers.length > 0 ? [askServers, lookUp] : [lookUp, askServers]));
  // Names that nobody allowed, however many, stand before an allowed one only one at a time.
  const resolveOther = inOrder(askServers, oneAtATime(lookUp));
  const resolvePublic = inOrder(askServers);

  return ({ host, port }, signal) => {
    if (allow.allowsHost(host, port)) return resolveAllowed(host, signal);
    return (allow.allowsSomeAddress(port) ? resolveOther : resolvePublic)(host, signal);
  };
}

/** Asks the next where the one before does not know; of the same name only once at a time. */
function inOrder(...ways: Ask[]): Ask {
  return shareWork(async (host, signal) => {
    let failure: unknown;
    for (const ask of ways) {
      try {
        return await ask(host, signal);
      } catch (error) {
        signal.throwIfAborted();
        failure ??= error;
        if (isLateAnswer(error)) break;
      }
    }
    if (isUnknownName(failure)) throw unknownHost(host, failure);
    const inTime = isLateAnswer(failure) ? ' in time' : '';
    throw new EgressFailed(`${host} could not be looked up${inTime}.`, { cause: failure });
  });
}
