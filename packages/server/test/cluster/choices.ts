import { createRandom } from '../support/faults/random.ts';

export interface Choices {
  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number;
  chance(probability: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
}

/**
 * Random choices that depend on the seed and the path alone. Each step of each client has its own path, so that a step
 * stays the same when another one took longer or was repeated.
 */
export function choicesFor(seed: number, ...path: (string | number)[]): Choices {
  const random = createRandom(hash(`${seed}/${path.join('/')}`));
  random.below(2);
  return {
    between: (least, most) => least + random.below(most - least + 1),
    chance: (probability) => random.below(1_000_000) < probability * 1_000_000,
    pick<Item>(items: readonly Item[]): Item {
      const item = items[random.below(items.length)];
      if (item === undefined) throw new Error('Nothing to pick from.');
      return item;
    },
  };
}

/** FNV-1a */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const character of text) value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return value >>> 0;
}
