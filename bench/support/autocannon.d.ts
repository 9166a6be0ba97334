/** The little that we use of it; it brings no types. */
declare module 'autocannon' {
  import type { EventEmitter } from 'node:events';

  export interface Options {
    url: string;
    method: string;
    headers: Record<string, string>;
    body?: string;
    connections: number;
    duration: number;
  }

  export interface Result {
    /** Seconds. */
    duration: number;
    errors: number;
    non2xx: number;
    '2xx': number;
  }

  export default function autocannon(options: Options): EventEmitter & PromiseLike<Result>;
}
