import { AppError } from '../lib/app-error.ts';
import type { LimitName } from './workspace-limits.ts';

/** What is counted while in progress, with its names for messages. */
const kinds = {
  streams: { noun: 'open streams', option: '--max-streams' },
  lists: { noun: 'long lists being read', option: '--max-lists' },
  turns: { noun: 'turns in progress', option: '--max-turns' },
  tool_tests: { noun: 'tests of tools in progress', option: '--max-tool-tests' },
  drafts: { noun: 'drafts in progress', option: '--max-drafts' },
} as const satisfies Partial<Record<LimitName, { noun: string; option: string }>>;

export type InProgressKind = keyof typeof kinds;

/** Ends the counting of one entry. Repeated calls are harmless. */
export type Leave = () => void;

export type InProgress = ReturnType<typeof createInProgress>;

/** An estimate: it is unknown when one of the others will end. */
const retryAfterSeconds = 5;

/** Counts what is in progress in this process, per workspace. A count of zero takes no memory. */
export function createInProgress() {
  const counts = new Map<string, number>();
  const nameOf = (kind: InProgressKind, workspaceId: string) => `${kind} ${workspaceId}`;

  /** Counts one more even if the limit is reached, for what must not be refused. */
  function count(kind: InProgressKind, workspaceId: string): Leave {
    const name = nameOf(kind, workspaceId);
    counts.set(name, (counts.get(name) ?? 0) + 1);
    let isInside = true;
    return () => {
      if (!isInside) return;
      isInside = false;
      const left = (counts.get(name) ?? 0) - 1;
      if (left > 0) counts.set(name, left);
      else counts.delete(name);
    };
  }

  function current(kind: InProgressKind, workspaceId: string): number {
    return counts.get(nameOf(kind, workspaceId)) ?? 0;
  }

  return {
    count,
    current,
    /** Counts one more, or throws RATE_LIMITED when the limit is reached; null means no limit. */
    enter(kind: InProgressKind, workspaceId: string, limit: number | null): Leave {
      if (limit === null || current(kind, workspaceId) < limit) return count(kind, workspaceId);
      const { noun, option } = kinds[kind];
      throw new AppError('RATE_LIMITED', {
        message: `The workspace's limit of ${limit} ${noun} is reached. Try again when some have ended; an operator can change the limit with svc workspaces update ${option}.`,
        details: [{ limit: kind, value: limit }],
        retryAfterSeconds,
      });
    },
  };
}
