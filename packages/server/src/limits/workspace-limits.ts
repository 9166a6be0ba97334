/** What a workspace may have at once, and how fast it may ask. */
export type LimitName =
  | 'streams'
  /** Answers with lists that are too long to be sent at once. */
  | 'lists'
  | 'turns'
  | 'tool_tests'
  | 'drafts'
  | 'stored_bots'
  /** Of each key. */
  | 'requests_per_minute';

/** What is set for one workspace: a limit that is not named has its default, null lifts it. */
export type StoredLimits = Partial<Record<LimitName, number | null>>;

/** Far above what a workspace in good health needs. Requests have the limit that the configuration names, or none. */
const defaults = {
  streams: 20_000,
  lists: 20,
  turns: 1_000,
  tool_tests: 20,
  drafts: 4,
  stored_bots: 10_000,
} as const satisfies Partial<Record<LimitName, number>>;

/** The limit that holds; null when there is none. */
export function limitOf(stored: StoredLimits, name: keyof typeof defaults): number | null {
  return stored[name] === undefined ? defaults[name] : stored[name];
}
