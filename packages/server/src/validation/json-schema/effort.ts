/** Thrown when a check would cost more than anybody may make it cost. */
export class TooMuchWork extends Error {}

const deepest = 250;

/**
 * What is left of the work that one check may do. Schemas and values come from others: every step is charged. One unit is
 * about what comparing two short values takes, a few tenths of a microsecond.
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

  /** Reading a text costs less by the character than anything else. */
  spendOnText(length: number): void {
    this.spend(1 + length / 64);
  }

  /** Goes one level deeper for the time of the work: a schema that refers to itself never comes to an end. */
  deeper<Result>(work: () => Result): Result {
    this.#depth += 1;
    if (this.#depth > deepest) throw new TooMuchWork();
    const result = work();
    this.#depth -= 1;
    return result;
  }
}
