import type { DataDirectory } from './data-directory.ts';

/** What every step of running the embedded PostgreSQL works with. */
export interface EmbeddedContext {
  directory: DataDirectory;
  /** The driver knows no Unix sockets on Windows: there the server listens on the loopback with a password. */
  transport: 'socket' | 'loopback';
  settings: Readonly<Record<string, string>>;
  report(text: string): void;
}
