import type { FieldError } from '@svc/contract/errors';
import { clip } from '../clip.ts';
import type { Effort } from './effort.ts';

/** The position of a check in a value. A linked list, because most paths are never printed. */
export interface Location {
  readonly above: Location | undefined;
  readonly name: string;
}

export const maxFaults = 20;
const maxPathLength = 300;
const maxNameLength = 60;
const maxQuoteLength = 120;

interface Fault {
  location: Location | undefined;
  message: string;
}

/** Describing a fault costs more than finding it. */
const unitsPerFault = 20;

/** The faults found, up to a limit; once it is reached, the check stops. */
export class Faults {
  readonly limit: number;
  readonly #effort: Effort;
  readonly #found: Fault[] = [];

  constructor(limit: number, effort: Effort) {
    this.limit = limit;
    this.#effort = effort;
  }

  get count(): number {
    return this.#found.length;
  }

  get isFull(): boolean {
    return this.#found.length >= this.limit;
  }

  get firstMessage(): string | undefined {
    return this.#found[0]?.message;
  }

  add(location: Location | undefined, message: string): void {
    this.#effort.spend(unitsPerFault);
    if (!this.isFull) this.#found.push({ location, message });
  }

  /** Adds faults that were found elsewhere, up to the limit. */
  take(other: Faults): void {
    this.#found.push(...other.#found.slice(0, this.limit - this.#found.length));
  }

  list(): FieldError[] {
    return this.#found.map(({ location, message }) => ({ path: pathOf(location), message }));
  }
}

export const within = (above: Location | undefined, name: string | number): Location => ({
  above,
  name: String(name),
});

function pathOf(location: Location | undefined): string {
  const names: string[] = [];
  for (let at = location; at; at = at.above) names.push(clip(at.name, maxNameLength));
  return clip(names.toReversed().join('.'), maxPathLength);
}

/** A part of a schema, shortened for a message. */
export function quoted(value: unknown, effort: Effort): string {
  if (typeof value === 'string') return clip(value, maxQuoteLength);
  const text = JSON.stringify(value);
  effort.spend(text.length / 8);
  return clip(text, maxQuoteLength);
}

/** The first few, and the total number if there are more. */
export function quotedList(values: readonly unknown[], effort: Effort): string {
  const shown: string[] = [];
  let room = maxQuoteLength;
  for (const value of values) {
    const text = quoted(value, effort);
    if (shown.length > 0 && text.length > room) break;
    shown.push(text);
    room -= text.length + 2;
  }
  const more = values.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}
