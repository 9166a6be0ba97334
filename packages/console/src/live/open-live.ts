import { ApiError } from '@svc/client/api-error';
import type { LiveMessage } from '@svc/contract/live';
import type { QueryClient } from '@tanstack/react-query';
import { type Api, keys } from '../api/client.ts';
import { sessionQuery } from '../api/session.ts';
import { createFollowed, type FollowedPosition } from './followed.ts';
import type { ConnectionState, Live, LiveChange } from './live-context.ts';
import { openLiveSocket } from './live-socket.ts';
import { createLooking } from './looking.ts';
import { patchCache } from './patch-cache.ts';
import { createRefreshQueue } from './refresh-queue.ts';
import { reportActivity } from './report-activity.ts';

/** A connection that is back within this time was never reported as lost. */
const patienceMilliseconds = 2_000;
const pollMilliseconds = 5_000;
/** After this many attempts in a row, something in between does not allow sockets. */
const failuresBeforePolling = 3;

interface LoggedEvent {
  id: number;
  event: string;
  data: unknown;
}

/** Keeps the cache of a workspace current. The returned function ends it. */
export function openLive(client: QueryClient, api: Api): { live: Live; close(): void } {
  const { workspaceId } = api;
  const stateCallbacks = new Set<() => void>();
  const changeCallbacks = new Set<(change: LiveChange) => void>();
  let state: ConnectionState = { name: 'connecting' };
  let release: string | undefined;
  let isOutdated = false;
  let lostAt: Date | undefined;
  let offlineTimer: ReturnType<typeof setTimeout> | undefined;
  let pollTimer: ReturnType<typeof setInterval> | undefined;
  let isPolling = false;

  const url = new URL(`/api/console/live?workspace=${workspaceId}`, location.href);
  url.protocol = url.protocol.replace('http', 'ws');
  const refreshes = createRefreshQueue(client);
  const followed = createFollowed((request) => socket.send(request));
  const looking = createLooking((request) => socket.send(request));
  const endReports = reportActivity((request) => socket.send(request), looking.isTaken);
  const socket = openLiveSocket(url.href, { onMessage: receive, onOpen, onLost, onSignedOut });

  function receive(message: LiveMessage): void {
    switch (message.type) {
      case 'hello':
        // Its conversations have been followed again.
        looking.resume(message.takes_looks ?? false);
        return receiveHello(message.release);
      case 'changed':
        return receiveChange(message);
      case 'resync':
        return readAllAgain();
      case 'waiting': {
        const { approvals, handoffs } = message;
        client.setQueryData(keys.all(api, 'waiting'), { approvals, handoffs });
        return;
      }
      case 'event':
        return followed.receive(message);
      case 'lookers':
        return looking.receive(message.conversation_id, message.lookers);
      case 'unfollowed':
        return followed.end(message.conversation_id, message);
      case 'beat':
    }
  }

  /** Changes arrive from now on. What was read before may be older than the last one that did not. */
  function receiveHello(ofService: string): void {
    readAllAgain();
    isOutdated ||= release !== undefined && release !== ofService;
    release = ofService;
    for (const callback of stateCallbacks) callback();
  }

  function receiveChange(change: LiveChange): void {
    refreshes.add(patchCache(client, api, change));
    if (change.object === 'member' || change.object === 'workspace') readSession();
    for (const callback of changeCallbacks) callback(change);
  }

  /** The member's role, too: it may have changed before the socket was open. */
  function readAllAgain(): void {
    refreshes.add([keys.workspace(api), sessionQuery.queryKey]);
  }

  /** Every further request would be refused. Whoever signs in again gets a connection of their own. */
  function onSignedOut(): void {
    refreshes.stop();
    readSession();
  }

  function readSession(): void {
    void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
  }

  function onOpen(): void {
    clearTimeout(offlineTimer);
    clearInterval(pollTimer);
    offlineTimer = undefined;
    pollTimer = undefined;
    lostAt = undefined;
    setState({ name: 'connected' });
    followed.resume();
  }

  function onLost(failures: number): void {
    lostAt ??= new Date();
    looking.pause();
    const since = lostAt;
    if (state.name === 'connected') setState({ name: 'connecting' });
    if (state.name === 'connecting') {
      offlineTimer ??= setTimeout(() => setState({ name: 'offline', since }), patienceMilliseconds);
    }
    if (failures < failuresBeforePolling || pollTimer !== undefined) return;
    pollTimer = setInterval(() => void poll(since), pollMilliseconds);
    void poll(since);
  }

  /** Only if the service answers is it the socket that does not work. */
  async function poll(since: Date): Promise<void> {
    // A slow service is not sent the next request before it has answered.
    if (isPolling) return;
    isPolling = true;
    try {
      await client.fetchQuery({ ...sessionQuery, staleTime: 0, retry: false });
      await Promise.all(followed.positions().map(pollConversation));
    } catch {
      if (pollTimer !== undefined) setState({ name: 'offline', since });
      return;
    } finally {
      isPolling = false;
    }
    if (pollTimer === undefined) return;
    clearTimeout(offlineTimer);
    setState({ name: 'polling' });
    refreshes.add([keys.workspace(api)]);
  }

  async function pollConversation({ conversationId, last = 0 }: FollowedPosition): Promise<void> {
    const query = { conversation_id: conversationId, after: last };
    try {
      const events = await api.get<LoggedEvent[]>('/api/v1/chat/events', query);
      for (const { id, event, data } of events) {
        followed.receive({ type: 'event', conversation_id: conversationId, id, event, data });
      }
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 404) throw error;
      followed.end(conversationId, error);
    }
  }

  function setState(next: ConnectionState): void {
    if (next.name === state.name) return;
    state = next;
    for (const callback of stateCallbacks) callback();
  }

  function onVisible(): void {
    if (document.visibilityState !== 'visible') return;
    socket.retry();
    looking.tell();
  }
  window.addEventListener('online', socket.retry);
  document.addEventListener('visibilitychange', onVisible);

  return {
    live: {
      state: () => state,
      isOutdated: () => isOutdated,
      onState: (callback) => addTo(stateCallbacks, callback),
      onChange: (callback) => addTo(changeCallbacks, callback),
      followed,
      looking,
    },
    close() {
      window.removeEventListener('online', socket.retry);
      document.removeEventListener('visibilitychange', onVisible);
      clearTimeout(offlineTimer);
      clearInterval(pollTimer);
      refreshes.stop();
      looking.close();
      endReports();
      socket.close();
    },
  };
}

function addTo<Item>(set: Set<Item>, item: Item): () => void {
  set.add(item);
  return () => void set.delete(item);
}
