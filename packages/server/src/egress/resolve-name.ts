import type { AllowList } from './allow-list.ts';
import { askNameServers, isLateAnswer, isUnknownName } from './ask-name-servers.ts';
import { EgressFailed, unknownHost } from './egress-error.ts';
import { shareWork } from './share-work.ts';
import { createSystemLookup, oneAtATime } from './system-lookup.ts';

export interface NameResolverOptions {
  allow: AllowList;
  /** Used instead of the system's name servers: `ip` or `ip:port`. */
  servers: readonly string[];
}

/** All addresses of a host, as text. Throws EgressFailed, or the reason of the signal. */
export type ResolveName = (name: { host: string; port: number }, signal: AbortSignal) => Promise<string[]>;

type Ask = (host: string, signal: AbortSignal) => Promise<string[]>;

/**
 * Public names are resolved by the name servers. Names that only this machine knows (hosts file, search domains, mDNS)
 * matter only where the operator has allowed something that is not public: an allowed name is looked up by the system first,
 * and where addresses are allowed, the system is asked for names that the name servers do not know.
 */
export function createNameResolver({ allow, servers }: NameResolverOptions): ResolveName {
  const askServers: Ask = (host, signal) => askNameServers(host, servers, signal);
  // Shared by both: two of them could occupy both lookups that the process has. Domains share it fairly.
  const lookUp = createSystemLookup();
  // Configured name servers come first, because the operator wants them to be used.
  const resolveAllowed = inOrder(...(servers.length > 0 ? [askServers, lookUp] : [lookUp, askServers]));
  // However many names that are not allowed are waiting, only one at a time can delay an allowed one.
  const resolveOther = inOrder(askServers, oneAtATime(lookUp));
  const resolvePublic = inOrder(askServers);

  return ({ host, port }, signal) => {
    if (allow.allowsHost(host, port)) return resolveAllowed(host, signal);
    return (allow.allowsSomeAddress(port) ? resolveOther : resolvePublic)(host, signal);
  };
}

/** Asks one after the other until one knows; concurrent requests for the same name share the work. */
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
