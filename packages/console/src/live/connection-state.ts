/** Whether what is shown is current. */
export type ConnectionState =
  | { name: 'connected' }
  /** Not connected yet, or only for a moment not. */
  | { name: 'connecting' }
  /** The service answers, but no socket can be opened: pages are read again every few seconds. */
  | { name: 'polling' }
  /** What is shown was known at this time. */
  | { name: 'offline'; since: Date };
