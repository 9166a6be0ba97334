/** A service holds the data directory for itself; a command works beside a running service or without one. */
export type Role = 'service' | 'command';
