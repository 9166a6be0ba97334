import dgram from 'node:dgram';
import dns from 'node:dns';
import net from 'node:net';

/**
 * Keeps the child process from opening connections, whatever a document refers to and whatever a package attempts. Node's
 * permissions cover files and processes, but not the network. Must be called before any package is loaded.
 */
export function forbidConnections(): void {
  const refuse = (): never => {
    throw new Error('A process that reads documents opens no connections.');
  };
  net.Socket.prototype.connect = refuse;
  net.Server.prototype.listen = refuse;
  dgram.Socket.prototype.bind = refuse;
  dgram.Socket.prototype.connect = refuse;
  dgram.Socket.prototype.send = refuse;
  for (const lookups of [dns, dns.promises] as unknown as Record<string, unknown>[]) {
    const functions = Object.keys(lookups).filter((name) => typeof lookups[name] === 'function');
    for (const name of functions) lookups[name] = refuse;
  }
}
