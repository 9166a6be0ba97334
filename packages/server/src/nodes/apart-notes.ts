import type { Bus } from '../bus/bus.ts';
import type { Log } from '../lib/log.ts';
import type { Presence } from './presence.ts';

/** A node that has just started may be connecting: nothing is logged about that. */
const settleMilliseconds = 3_000;

export interface ApartNotesDependencies {
  presence: Pick<Presence, 'isApart' | 'onChange'>;
  bus: Pick<Bus, 'reach' | 'onReach'>;
  hasRedis: boolean;
  log: Log;
}

const effect = 'get whole messages without a preview';

/** Logs when nodes on one database cannot exchange previews, and when they can again: once per change. */
export function startApartNotes({ presence, bus, hasRedis, log }: ApartNotesDependencies) {
  let logged: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  const unsubscribe = [presence.onChange(logSoon), bus.onReach(logSoon)];
  logSoon();

  function note(): string | undefined {
    if (!presence.isApart()) return undefined;
    if (!hasRedis)
      return `Other nodes use this database, but REDIS_URL is not set: readers of a turn on another node ${effect}.`;
    if (bus.reach === undefined)
      return `Redis cannot be reached: until it can, readers of a turn on another node ${effect}.`;
    return `Another node is not connected to this Redis, or has another encryption key or an earlier release: readers of its turns ${effect}. Set the same REDIS_URL and SVC_ENCRYPTION_KEY on every node.`;
  }

  function logSoon(): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      const current = note();
      if (current === logged) return;
      logged = current;
      if (current) log.warn(current);
      else log.info('All nodes are connected again: previews reach the readers on each of them.');
    }, settleMilliseconds).unref();
  }

  return {
    /** For operators: why readers on this node lack previews of turns on others, if they do. */
    current(): string[] {
      const current = note();
      return current === undefined ? [] : [current];
    },
    stop(): void {
      for (const end of unsubscribe) end();
      clearTimeout(timer);
    },
  };
}
