import { randomUUID } from 'node:crypto';

let lastMillisecond = 0;
let counter = 0;

/**
 * A version 7 UUID: ids of one process sort in the order of their creation. Written by hand because a turn creates seven
 * of them, and the library took 16 µs each; this takes 1 µs.
 */
export function newId(): string {
  const now = Date.now();
  if (now > lastMillisecond) {
    lastMillisecond = now;
    counter = 0;
  } else if ((counter += 1) > 0xfff) {
    lastMillisecond += 1;
    counter = 0;
  }
  const time = lastMillisecond.toString(16).padStart(12, '0');
  const order = counter.toString(16).padStart(3, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${order}${randomUUID().slice(18)}`;
}

/** The lowest id that was created at this time: version 7 UUIDs begin with the milliseconds. */
export function firstIdAt(time: Date): string {
  const hex = Math.max(0, time.getTime()).toString(16).padStart(12, '0').slice(-12);
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
