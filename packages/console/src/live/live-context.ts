import type { LiveMessage } from '@svc/contract/live';
import { createContext, useContext, useEffect, useEffectEvent, useSyncExternalStore } from 'react';
import type { Followed } from './followed.ts';
import type { Looking } from './looking.ts';

export type LiveChange = Extract<LiveMessage, { type: 'changed' }>;

export interface Live {
  state(): ConnectionState;
  onState(callback: () => void): () => void;
  onChange(callback: (change: LiveChange) => void): () => void;
  /** The service is of another release than this page. */
  isOutdated(): boolean;
  readonly followed: Pick<Followed, 'follow'>;
  readonly looking: Pick<Looking, 'look'>;
}

export const LiveContext = createContext<Live | undefined>(undefined);

export function useLiveSource(): Live {
  const live = useContext(LiveContext);
  if (!live) throw new Error('This component is outside of a workspace.');
  return live;
}

/** Whether what is shown is current, and if not, since when. */
export function useLive(): ConnectionState {
  const live = useLiveSource();
  return useSyncExternalStore(live.onState, live.state);
}

/** Calls back for every change of an object of the workspace. The query cache has been patched before. */
export function useLiveChanges(callback: (change: LiveChange) => void): void {
  const live = useLiveSource();
  const call = useEffectEvent(callback);
  useEffect(() => live.onChange((change) => call(change)), [live]);
}

/** Whether the service was replaced by another release since this page was loaded. */
export function useIsOutdated(): boolean {
  const live = useLiveSource();
  return useSyncExternalStore(live.onState, live.isOutdated);
}

/** Whether what is shown is current. */
export type ConnectionState =
  | { name: 'connected' }
  /** Not connected yet, or only for a moment not. */
  | { name: 'connecting' }
  /** The service answers, but no socket can be opened: pages are read again every few seconds. */
  | { name: 'polling' }
  /** What is shown was known at this time. */
  | { name: 'offline'; since: Date };
