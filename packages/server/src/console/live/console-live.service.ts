import { commandChannel } from '../../audit/audit.service.ts';
import { createLiveHub, type LiveHubDependencies } from './hub.ts';
import {
  createLiveConnection,
  type LiveConnection,
  type LiveConnectionDependencies,
  type LiveSocket,
  type MemberPrincipal,
} from './live-connection.ts';
import { createLookers } from './lookers.ts';

export type LiveDependencies = Omit<LiveConnectionDependencies, 'hub' | 'lookers'> & LiveHubDependencies;
export type LiveService = ReturnType<typeof createLiveService>;

/** Enough for every tab of a person, and too few to fill the node. */
const maxPerPerson = 50;
const tryAgainLater = 1013;

/** The live connections of consoles to this node. */
export function createLiveService(dependencies: LiveDependencies) {
  const hub = createLiveHub(dependencies);
  const lookers = createLookers(dependencies.bus);
  const connections = new Map<string, Set<LiveConnection>>();
  let isStopping = false;

  return {
    /** A console has connected. */
    accept(principal: MemberPrincipal, socket: LiveSocket): Pick<LiveConnection, 'onFrame' | 'onClose'> {
      const { id } = principal.member;
      const own = connections.get(id) ?? new Set();
      if (isStopping || own.size >= maxPerPerson) {
        socket.close(tryAgainLater, 'This node takes no more connections of this person.');
        return { onFrame: () => undefined, onClose: () => undefined };
      }
      const connection = createLiveConnection({ ...dependencies, hub, lookers }, principal, socket);
      connections.set(id, own.add(connection));
      return {
        onFrame: connection.onFrame,
        onClose() {
          connection.onClose();
          own.delete(connection);
          if (own.size === 0 && connections.get(id) === own) connections.delete(id);
        },
      };
    },

    /** The command `svc` says in this way that it has changed something. */
    notifications: { [commandChannel]: hub.resync },
    setListening(isListening: boolean): void {
      if (isListening) hub.resyncAll();
    },

    stop(): void {
      isStopping = true;
      for (const own of connections.values()) for (const connection of own) connection.end();
      hub.stop();
    },
  };
}
