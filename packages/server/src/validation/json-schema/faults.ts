import type { FieldError } from '@svc/contract/errors';
import { clip } from '../clip.ts';
import type { Effort } from './effort.ts';

/** Where in a value a check is. A chain, because most paths are never put into words. */
export interface Place {
  readonly above: Place | undefined;
  readonly name: string;
}

export const mostFaults = 20;
const longestPath = 300;
const longestName = 60;
const longestQuote = 120;

interface Fault {
  place: Place | undefined;
  message: string;
}

/** Putting a fault into words costs more than finding it. */
const unitsPerFault = 20;

/** What is wrong, up to a limit: once it is reached nothing more is looked for. */
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

  add(place: Place | undefined, message: string): void {
    this.#effort.spend(unitsPerFault);
    if (!this.isFull) this.#found.push({ place, message });
  }

  /** Takes over what was found elsewhere, as far as there is room. */
  take(other: Faults): void {
    this.#found.push(...other.#found.slice(0, this.limit - this.#found.length));
  }

  list(): FieldError[] {
    return this.#found.map(({ place, message }) => ({ path: pathOf(place), message }));
  }
}

export const within = (above: Place | undefined, name: string | number): Place => ({
  above,
  name: String(name),
});

function pathOf(place: Place | undefined): string {
  const names: string[] = [];
  for (let at = place; at; at = at.above) names.push(clip(at.name, longestName));
  return clip(names.toReversed().join('.'), longestPath);
}

/** A part of a schema as it may stand in a message. */
export function quoted(value: unknown, effort: Effort): string {
  if (typeof value === 'string') return clip(value, longestQuote);
  const text = JSON.stringify(value);
  effort.spend(text.length / 8);
  return clip(text, longestQuote);
}

/** The first few, and how many there are if these are not all. */
export function quotedList(values: readonly unknown[], effort: Effort): string {
  const shown: string[] = [];
  let room = longestQuote;
  for (const value of values) {
    const text = quoted(value, effort);
    if (shown.length > 0 && text.length > room) break;
    shown.push(text);
    room -= text.length + 2;
  }
  const more = values.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}
