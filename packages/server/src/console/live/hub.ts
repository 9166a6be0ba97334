import { beatMilliseconds } from '@svc/contract/live';
import type { Subscription } from '../../bus/bus.ts';
import { areChanges, workspaceTopic } from '../../events/workspace-changes.ts';
import { waitAtMost } from '../../lib/wait-at-most.ts';
import type { Services } from '../../services.ts';
import { createRoom, type LivePeer, type Room, type RoomDependencies } from './live-room.ts';

export interface LiveHubDependencies extends RoomDependencies, Pick<Services, 'bus' | 'presence'> {}

/** The consoles that are connected to this node. */
export type LiveHub = ReturnType<typeof createLiveHub>;

/** How often consoles read everything again while other nodes are out of the bus's reach. */
const apartMilliseconds = 5_000;
/** The bus may not answer. */
const maxReadyMilliseconds = 1_000;
/** Within this time, other processes usually learn that this one listens. */
const announceMilliseconds = 50;

interface Entry {
  room: Room;
  subscription: Subscription;
  /** Resolves when other processes should send what changes. */
  opened: Promise<void>;
  /** Consoles have been greeted: what they miss from now on, they must be told. */
  isOpen: boolean;
}

export function createLiveHub({ bus, presence, ...dependencies }: LiveHubDependencies) {
  const rooms = new Map<string, Entry>();
  let beats: NodeJS.Timeout | undefined;
  let checks: NodeJS.Timeout | undefined;
  const unsubscribe = presence.onChange(resyncAll);

  function resyncAll(): void {
    for (const { room } of rooms.values()) room.resync();
  }

  function open(workspaceId: string): Entry {
    const room = createRoom(workspaceId, dependencies);
    const subscription = bus.subscribe(workspaceTopic, workspaceId, {
      onMessage(changes, from) {
        if (from === 'elsewhere' && !areChanges(changes)) throw new Error('These are not changes.');
        if (changes.length > 0) room.note(changes);
        // The greeting of a process. Consoles that have not been greeted read everything afterwards anyway.
        else if (entry.isOpen) room.resync();
      },
      onLost: () => room.resync(),
    });
    const opened = subscription.ready.then(() =>
      bus.reach === undefined ? undefined : wait(announceMilliseconds),
    );
    const entry: Entry = { room, subscription, opened, isOpen: false };
    rooms.set(workspaceId, entry);
    beats ??= setInterval(() => {
      for (const each of rooms.values()) each.room.sendAll({ type: 'beat' });
    }, beatMilliseconds).unref();
    checks ??= setInterval(() => {
      if (presence.isApart()) resyncAll();
    }, apartMilliseconds).unref();
    return entry;
  }

  function stopTimers(): void {
    clearInterval(beats);
    clearInterval(checks);
    beats = undefined;
    checks = undefined;
  }

  return {
    /** Resolves when changes on all nodes arrive, as far as they can at the moment. */
    async join(workspaceId: string, peer: LivePeer): Promise<void> {
      const entry = rooms.get(workspaceId) ?? open(workspaceId);
      const added = entry.room.add(peer);
      await waitAtMost(maxReadyMilliseconds, Promise.all([entry.opened, added]));
      entry.isOpen = true;
    },
    leave(workspaceId: string, peer: LivePeer): void {
      const entry = rooms.get(workspaceId);
      entry?.room.remove(peer);
      if (!entry?.room.isEmpty) return;
      entry.subscription.end();
      rooms.delete(workspaceId);
      if (rooms.size === 0) stopTimers();
    },
    /** Something has changed, or may have been missed: consoles read again what they show. */
    resync: (workspaceId: string): void => rooms.get(workspaceId)?.room.resync(),
    resyncAll,
    stop(): void {
      unsubscribe();
      stopTimers();
    },
  };
}

function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds).unref());
}
