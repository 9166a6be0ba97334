/** Thrown when a check would exceed its budget. */
export class TooMuchWork extends Error {}

const maxDepth = 250;

/**
 * The remaining budget of one check. Schemas and values are untrusted, so every step is charged. One unit is about the time
 * to compare two short values, a few tenths of a microsecond.
 */
export class Effort {
  #left: number;
  #depth = 0;

  constructor(units: number) {
    this.#left = units;
  }

  spend(units: number): void {
    this.#left -= units;
    if (this.#left < 0) throw new TooMuchWork();
  }

  /** Reading text is the cheapest step per character. */
  spendOnText(length: number): void {
    this.spend(1 + length / 64);
  }

  /** Goes one level deeper during `work`: a schema that refers to itself would otherwise never end. */
  deeper<Result>(work: () => Result): Result {
    this.#depth += 1;
    if (this.#depth > maxDepth) throw new TooMuchWork();
    const result = work();
    this.#depth -= 1;
    return result;
  }
}
