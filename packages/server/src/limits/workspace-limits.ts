/** What a workspace may have at the same time, and how many requests it may send. */
export type LimitName =
  | 'streams'
  /** Responses with lists that are too long to send in one piece. */
  | 'lists'
  | 'turns'
  | 'tool_tests'
  | 'drafts'
  | 'calls'
  /** That bots place, transfers included. */
  | 'calls_per_hour'
  | 'calls_per_day'
  | 'stored_bots'
  /** Per key. */
  | 'requests_per_minute';

/** The limits set for one workspace: a missing one has its default, null means unlimited. */
export type StoredLimits = Partial<Record<LimitName, number | null>>;

/** Far above what a healthy workspace needs. The limits for requests and for calls per hour and day come from the configuration. */
const defaults = {
  streams: 20_000,
  lists: 20,
  turns: 1_000,
  tool_tests: 20,
  drafts: 4,
  calls: 50,
  stored_bots: 10_000,
} as const satisfies Partial<Record<LimitName, number>>;

/** The effective limit; null when there is none. */
export function limitOf(stored: StoredLimits, name: keyof typeof defaults): number | null {
  return stored[name] === undefined ? defaults[name] : stored[name];
}
