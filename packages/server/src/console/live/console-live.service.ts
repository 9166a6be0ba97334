import { commandChannel } from '../../audit/audit.service.ts';
import { createLiveHub, type LiveHubDependencies } from './hub.ts';
import {
  createLiveSession,
  type LiveSession,
  type LiveSessionDependencies,
  type LiveSocket,
  type MemberPrincipal,
} from './live-session.ts';

export type LiveDependencies = Omit<LiveSessionDependencies, 'hub'> & LiveHubDependencies;
export type LiveService = ReturnType<typeof createLiveService>;

/** Enough for every tab of a person, and too few to fill the node. */
const maxPerPerson = 50;
const tryAgainLater = 1013;

/** The live connections of consoles to this node. */
export function createLiveService(dependencies: LiveDependencies) {
  const hub = createLiveHub(dependencies);
  const sessions = new Map<string, Set<LiveSession>>();
  let isStopping = false;

  return {
    /** A console has connected. */
    accept(principal: MemberPrincipal, socket: LiveSocket): Pick<LiveSession, 'onFrame' | 'onClose'> {
      const { id } = principal.member;
      const own = sessions.get(id) ?? new Set();
      if (isStopping || own.size >= maxPerPerson) {
        socket.close(tryAgainLater, 'This node takes no more connections of this person.');
        return { onFrame: () => undefined, onClose: () => undefined };
      }
      const session = createLiveSession({ ...dependencies, hub }, principal, socket);
      sessions.set(id, own.add(session));
      return {
        onFrame: session.onFrame,
        onClose() {
          session.onClose();
          own.delete(session);
          if (own.size === 0 && sessions.get(id) === own) sessions.delete(id);
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
      for (const own of sessions.values()) for (const session of own) session.end();
      hub.stop();
    },
  };
}
