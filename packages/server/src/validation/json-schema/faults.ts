import type { FieldError } from '@svc/contract/errors';
import { clip } from '../clip.ts';
import type { Effort } from './effort.ts';

/** A position in a value and where its faults go. A linked list, because most paths are never printed. */
export class Location {
  readonly faults: Faults;
  readonly above: Location | undefined;
  readonly name: string;

  constructor(faults: Faults, above?: Location, name: string | number = '') {
    this.faults = faults;
    this.above = above;
    this.name = String(name);
  }

  within(name: string | number): Location {
    return new Location(this.faults, this, name);
  }

  add(message: string): void {
    this.faults.add(this, message);
  }
}

export const maxFaults = 20;
const maxPathLength = 300;
const maxNameLength = 60;
const maxQuoteLength = 120;

interface Fault {
  location: Location;
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

  add(location: Location, message: string): void {
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

function pathOf(location: Location): string {
  const names: string[] = [];
  for (let at = location; at.above; at = at.above) names.push(clip(at.name, maxNameLength));
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
