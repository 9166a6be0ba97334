import type { TLSSocket } from 'node:tls';
import type { SrtpPolicy } from './sdp/negotiate.ts';

/** Without a port, the name may be that of a service on several hosts, by its SRV records. */
export interface TrunkAddress {
  host: string;
  port?: number;
  /** Set for a trunk over TLS: the scheme of the URIs that we write. */
  tls?: 'sip' | 'sips';
}

export interface SipSettings {
  /** Where calls are sent. */
  trunk: TrunkAddress;
  username?: string;
  password?: string;
  /** Whether to register with the trunk, so that it sends the calls of our numbers. */
  isRegistering: boolean;
  listen: { host: string; port: number };
  /** The address that others reach us at, if it is not the one that we listen on. */
  publicIp?: string;
  rtpPorts: { min: number; max: number };
  /** Addresses and networks that may call us, besides the trunk's own. */
  allowedPeers: readonly string[];
  /** Addresses and networks that audio may go to and come from, besides those that may call us. */
  mediaPeers: readonly string[];
  /** Whether audio is encrypted. */
  srtp: SrtpPolicy;
  /** Certificates that are trusted instead of the system's. */
  tlsCa?: string;
  /** What the password is for. If there are none, the realm that the trunk asks for first. */
  realms: readonly string[];
}

/** How names are resolved and connections are opened; UDP sockets are the package's own. */
export interface SipNetwork {
  /** All addresses of a name. Rejects if it cannot be resolved. */
  lookUp(host: string, signal: AbortSignal): Promise<string[]>;
  /** The hosts of a service by its SRV records, in the order in which they are to be tried; none if there are no records. */
  lookUpService(name: string): Promise<{ host: string; port: number }[]>;
  /** Rejects if the host cannot be reached, or cannot prove that it is that host. */
  openTls(target: TlsTarget): Promise<TLSSocket>;
}

export interface TlsTarget {
  address: string;
  port: number;
  /** The name, or address, that the certificate must be for. */
  host: string;
  /** Certificates that are trusted instead of the system's. */
  ca: string | undefined;
  limitMs: number;
}

/** What the settings may have to be changed for. */
export interface SipNotices {
  /** The audio of a call is at an address that is not among the media peers. */
  onMediaBlocked(address: string): void;
  /** A password was asked for whose realm is not the trunk's. */
  onForeignRealm(realm: string): void;
  /** A call from this address was ended, because its caller has not acknowledged our answer. */
  onUnacknowledged(address: string): void;
}

interface Write {
  (message: string): void;
  (fields: object, message: string): void;
}

export interface SipLog {
  debug: Write;
  info: Write;
  warn: Write;
  error: Write;
}
