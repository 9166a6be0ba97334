import { rulesOf } from '@svc/contract/channels';
import type { ListedConversation, WaitingCounts } from '@svc/contract/console-conversations';
import type { LiveMessage } from '@svc/contract/live';
import type { WorkspaceChange } from '../../events/workspace-changes.ts';
import type { Log } from '../../lib/log.ts';

/** One console. */
export interface LivePeer {
  send(text: string): void;
}

export interface RoomDependencies {
  /** The conversations with these ids that exist, as lists show them. */
  listConversations(workspaceId: string, ids: readonly string[]): Promise<ListedConversation[]>;
  countWaiting(workspaceId: string): Promise<WaitingCounts>;
  log: Log;
}

/** Changes of this time are sent together, each object once. */
const gatherMilliseconds = 100;
/** With more changes than this at a time, consoles read again what they show. */
const maxChanges = 200;
/** How long consoles that read everything again are left alone. */
const restMilliseconds = 2_000;

/** The consoles of one workspace on this node. They share what is read about a change. */
export function createRoom(workspaceId: string, dependencies: RoomDependencies) {
  const { listConversations, countWaiting, log } = dependencies;
  const peers = new Set<LivePeer>();
  let changes = new Map<string, WorkspaceChange>();
  let isOutOfSync = false;
  let isFlushing = false;
  let timer: NodeJS.Timeout | undefined;
  let waiting: Promise<WaitingCounts> | undefined;
  let sentWaiting = '';

  function sendAll(message: LiveMessage): void {
    const text = JSON.stringify(message);
    for (const peer of peers) peer.send(text);
  }

  function schedule(milliseconds = gatherMilliseconds): void {
    if (isFlushing || peers.size === 0) return;
    timer ??= setTimeout(() => void flush(), milliseconds);
  }

  async function flush(): Promise<void> {
    timer = undefined;
    isFlushing = true;
    const batch = [...changes.values()];
    const isTooMuch = batch.length > maxChanges;
    const isResync = isOutOfSync || isTooMuch;
    changes = new Map();
    isOutOfSync = false;
    try {
      if (isResync) sendAll({ type: 'resync' });
      if (!isTooMuch) for (const message of await read(batch)) sendAll(message);
      if (isResync || batch.some(({ object }) => object === 'approval' || object === 'conversation'))
        await sendWaiting();
    } catch (error) {
      log.warn({ err: error, workspace_id: workspaceId }, 'Consoles could not be told what has changed.');
      isOutOfSync = true;
    }
    isFlushing = false;
    if (changes.size > 0 || isOutOfSync)
      schedule(isResync || isOutOfSync ? restMilliseconds : gatherMilliseconds);
  }

  async function read(batch: readonly WorkspaceChange[]): Promise<LiveMessage[]> {
    const ids = batch.flatMap(({ object, id }) => (object === 'conversation' && id ? [id] : []));
    const rows = ids.length > 0 ? await listConversations(workspaceId, ids) : [];
    const byId = new Map(rows.map((row) => [row.id, row]));
    const messages = batch.map(({ object, id }): LiveMessage => {
      if (object !== 'conversation' || id === null) return { type: 'changed', object, id };
      return { type: 'changed', object, id, data: byId.get(id) ?? null };
    });
    const runs = rows.filter(({ channel }) => rulesOf(channel).hasRuns);
    return [
      ...messages,
      ...runs.map(({ run }): LiveMessage => ({ type: 'changed', object: 'run', id: run?.id ?? null })),
    ];
  }

  async function sendWaiting(): Promise<void> {
    waiting = countWaiting(workspaceId);
    const text = JSON.stringify({ type: 'waiting', ...(await waiting) } satisfies LiveMessage);
    if (text === sentWaiting) return;
    sentWaiting = text;
    for (const peer of peers) peer.send(text);
  }

  return {
    get isEmpty() {
      return peers.size === 0;
    },

    async add(peer: LivePeer): Promise<void> {
      peers.add(peer);
      waiting ??= countWaiting(workspaceId);
      try {
        peer.send(JSON.stringify({ type: 'waiting', ...(await waiting) } satisfies LiveMessage));
      } catch (error) {
        waiting = undefined;
        log.warn({ err: error, workspace_id: workspaceId }, 'What waits for people could not be counted.');
      }
    },

    remove(peer: LivePeer): void {
      peers.delete(peer);
      if (peers.size > 0) return;
      clearTimeout(timer);
      timer = undefined;
    },

    note(noted: readonly WorkspaceChange[]): void {
      for (const change of noted) {
        // Beyond the limit only the fact counts.
        if (changes.size <= maxChanges) changes.set(`${change.object} ${change.id}`, change);
      }
      schedule();
    },

    /** Changes may have been missed. */
    resync(): void {
      isOutOfSync = true;
      schedule();
    },

    sendAll,
  };
}
export type Room = ReturnType<typeof createRoom>;
