import type { DialLimits } from '../../config/config.ts';
import { type Destinations, dialedForm, refusalOf } from '../../config/voice-destinations.ts';
import type { Transaction } from '../../database/database.ts';
import { AppError } from '../../lib/app-error.ts';
import { newId } from '../../lib/new-id.ts';
import type { StoredLimits } from '../../limits/workspace-limits.ts';
import type { Services } from '../../services.ts';
import { dialStore } from './outbound-calls.store.ts';

export interface DialingDependencies extends Pick<Services, 'workspaces'> {
  /** For workspaces without limits of their own. */
  dialLimits: DialLimits;
}

/** What a workspace may dial; null: as often as it likes. */
export interface DialRules {
  destinations: Destinations;
  callsPerHour: number | null;
  callsPerDay: number | null;
}

export type Dialing = ReturnType<typeof createDialing>;

const windows = [
  { limit: 'calls_per_hour', rule: 'callsPerHour', withinSeconds: 3_600, per: 'an hour' },
  { limit: 'calls_per_day', rule: 'callsPerDay', withinSeconds: 86_400, per: 'a day' },
] as const;

/** Which numbers bots may dial, and how often: for calls and for transfers. */
export function createDialing({ workspaces, dialLimits }: DialingDependencies) {
  /** Undefined means the default, null means unlimited. */
  function limitOf(stored: StoredLimits, { limit, rule }: (typeof windows)[number]): number | null {
    return stored[limit] === undefined ? dialLimits[rule] : stored[limit];
  }

  return {
    async rulesOf(workspaceId: string): Promise<DialRules> {
      const { destinations, limits } = await workspaces.get(workspaceId);
      const [hour, day] = windows;
      return {
        destinations: destinations ?? dialLimits.destinations,
        callsPerHour: limitOf(limits, hour),
        callsPerDay: limitOf(limits, day),
      };
    },

    /** What to dial from one of the workspace's own numbers; or why it may not be dialed, as the end of a sentence. */
    async check(
      workspaceId: string,
      from: string,
      to: string,
    ): Promise<{ dialed: string; refusal?: never } | { refusal: string }> {
      const { destinations } = await workspaces.get(workspaceId);
      const allowed = destinations ?? dialLimits.destinations;
      const refusal = refusalOf(to, from, allowed);
      return refusal === undefined ? { dialed: dialedForm(to, allowed) } : { refusal };
    },

    /**
     * Throws RATE_LIMITED if too many numbers were dialed. The workspace is locked, so that concurrent requests on all nodes cannot
     * exceed the limit together.
     */
    async requireNext(tx: Transaction, workspaceId: string, stored: StoredLimits): Promise<void> {
      for (const window of windows) {
        const limit = limitOf(stored, window);
        if (limit === null) continue;
        const { withinSeconds, per } = window;
        const seconds = await dialStore.secondsUntilNext(tx, workspaceId, { limit, withinSeconds });
        if (seconds === undefined) continue;
        throw new AppError('RATE_LIMITED', {
          message: `The workspace's limit of ${limit} calls ${per} is reached, transfers included. An operator can change it with svc workspaces update --max-${window.limit.replaceAll('_', '-')}.`,
          details: [{ limit: window.limit, value: limit }],
          retryAfterSeconds: Math.max(seconds, 1),
        });
      }
    },

    /** A number is about to be dialed. */
    count: (tx: Transaction, workspaceId: string): Promise<void> => dialStore.add(tx, workspaceId, newId()),
  };
}
