import { once } from 'node:events';
import { connect, getCACertificates, type TLSSocket } from 'node:tls';
import ipaddr from 'ipaddr.js';

export type TrustedTlsSocket = TLSSocket;

export interface TlsTarget {
  address: string;
  port: number;
  /** The name, or address, that the certificate must be for. */
  host: string;
  /** Certificates that are trusted instead of the system's. */
  ca: string | undefined;
  limitMs: number;
}

/** Opens a connection to a host of the configuration. Rejects if it cannot be reached, or cannot prove that it is that host. */
export async function openTrustedTlsSocket(target: TlsTarget): Promise<TrustedTlsSocket> {
  const { address, port, host, ca, limitMs } = target;
  const socket = connect({
    host: address,
    port,
    // Certificates are checked for this name; for the address if there is none.
    ...(ipaddr.isValid(host) ? {} : { servername: host }),
    ...(ca === undefined ? systemRoots() : { ca }),
    minVersion: 'TLSv1.2',
  });
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(limitMs) });
    return socket;
  } catch (error) {
    // The reason is known; what follows from ending it is not of interest.
    socket.on('error', () => undefined);
    socket.destroy();
    throw error;
  }
}

/** A machine without certificates of its own trusts those that Node brings. */
function systemRoots(): { ca?: string[] } {
  const roots = getCACertificates('system');
  return roots.length > 0 ? { ca: roots } : {};
}
