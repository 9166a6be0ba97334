export interface TableSize {
  rows: number;
  bytes: number;
}

/** Tables that keep what happened, until somebody deletes it or retention does. */
const history = [
  'account_keys',
  'approvals',
  'audit_entries',
  'conversations',
  'events',
  'messages',
  'runs',
  'schedule_slots',
  'tool_calls',
  'trace_steps',
  'turns',
  'usage_records',
];

/** Tables whose rows expire after longer than a soak lasts. */
const expiring = [
  // 24 hours
  'idempotency_records',
];

export const growingTables: ReadonlySet<string> = new Set([...history, ...expiring]);
