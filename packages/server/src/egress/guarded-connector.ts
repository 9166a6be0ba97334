import { once } from 'node:events';
import { connect as connectTcp, type LookupFunction, type Socket } from 'node:net';
import { buildConnector } from 'undici';
import type { AllowList } from './allow-list.ts';
import { isUnknownName } from './ask-name-servers.ts';
import { allFit, checkName, type Destination, destinationOf, parseTarget } from './destination.ts';
import { EgressFailed, hiddenHost, toEgressError, unknownHost } from './egress-error.ts';
import { orAbort } from './or-abort.ts';
import { type Address, parseAddress } from './public-address.ts';
import type { ResolveName } from './resolve-name.ts';

export interface Guard {
  allow: AllowList;
  resolve: ResolveName;
  /** Aborts when the lane closes: pending lookups end. */
  closing: AbortSignal;
}

const connectWithinMs = 10_000;

/**
 * Connects only to an address that it has checked itself. The check is here because nothing can then happen between looking up
 * an address and using it, and no request gets a socket without it: pooled connections, redirects and the `fetch` for
 * libraries all come through here.
 */
export function createGuardedConnector(guard: Guard): buildConnector.connector {
  return (options, callback) => void connectChecked(options, callback, guard);
}

/** A plain connection for what does not speak HTTP, such as mail. The caller encrypts and closes it. */
export async function openGuardedSocket(
  { host, port, signal }: { host: string; port: number; signal: AbortSignal },
  guard: Guard,
): Promise<Socket> {
  const target = parseTarget(`http://${host.includes(':') ? `[${host}]` : host}/`);
  const destination = { ...destinationOf(target), port };
  const closing = AbortSignal.any([signal, guard.closing]);
  const addresses = await findAddresses(destination, { ...guard, closing });
  const deadline = AbortSignal.any([closing, AbortSignal.timeout(connectWithinMs)]);
  const hostname = destination.literal?.toString() ?? destination.host;
  const socket = connectTcp({ host: hostname, port, lookup: pinned(addresses) });
  try {
    await once(socket, 'connect', { signal: deadline });
    return socket;
  } catch (error) {
    socket.destroy();
    signal.throwIfAborted();
    throw toEgressError(error, destination.host);
  }
}

async function connectChecked(
  options: buildConnector.Options,
  callback: buildConnector.Callback,
  guard: Guard,
): Promise<void> {
  try {
    const destination = destinationFrom(options);
    const addresses = await findAddresses(destination, guard);
    const connect = buildConnector({ timeout: connectWithinMs, lookup: pinned(addresses) });
    // No lookup happens for an address, so the checked one is named, not another spelling of it.
    connect({ ...options, hostname: destination.literal?.toString() ?? options.hostname }, callback);
  } catch (error) {
    callback(error instanceof Error ? error : new Error(String(error)), null);
  }
}

function destinationFrom({ protocol, hostname, port }: buildConnector.Options): Destination {
  const host = hostname.includes(':') ? `[${hostname}]` : hostname;
  return destinationOf(parseTarget(`${protocol}//${host}${port ? `:${port}` : ''}`));
}

async function findAddresses(destination: Destination, { allow, resolve, closing }: Guard) {
  checkName(destination, allow);
  if (destination.literal) return [destination.literal];
  const addresses = (await resolveInTime(destination, resolve, closing)).map(parseAddress);
  const areKnown = addresses.length > 0 && addresses.every((address) => address !== undefined);
  if (!areKnown) throw unknownHost(destination.host);
  if (!allFit(destination, addresses, allow)) throw hiddenHost(destination.host);
  return addresses;
}

/** Resolvers have no time limit, and a connection that waits for one would never be abandoned. */
async function resolveInTime(destination: Destination, resolve: ResolveName, closing: AbortSignal) {
  const late = AbortSignal.timeout(connectWithinMs);
  const deadline = AbortSignal.any([closing, late]);
  try {
    return await orAbort(resolve(destination, deadline), deadline);
  } catch (error) {
    if (isUnknownName(error)) throw unknownHost(destination.host, error);
    if (closing.aborted || !late.aborted) throw error;
    throw new EgressFailed(`${destination.host} could not be looked up in time.`, { cause: error });
  }
}

/** Replaces the lookup, so that the connection goes to one of the checked addresses without another query. */
function pinned(addresses: readonly Address[]): LookupFunction {
  const entries = addresses.map((address) => ({
    address: address.toString(),
    family: address.kind() === 'ipv4' ? 4 : 6,
  }));
  return (_host, options, callback) => {
    const [first] = entries;
    if (options.all) callback(null, entries);
    else callback(null, first?.address ?? '', first?.family);
  };
}
