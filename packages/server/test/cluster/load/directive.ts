/** What the model does in a turn. It travels inside the user's message, so that every node and attempt plays the same. */
export interface Directive {
  /** Names the turn in replies, calls and effects. */
  tag: string;
  /** The words of each step; the last step has no calls. */
  words: number[];
  /** Milliseconds between two words. */
  pace: number;
  /** The names of the functions called in each step but the last. */
  calls: string[][];
  /** What happens to the first attempt of a step. */
  failures: Record<number, 'limited' | 'cut' | 'unavailable'>;
}

export function writeDirective(directive: Directive): string {
  return `Please continue. [[${JSON.stringify(directive)}]]`;
}

export function readDirective(content: string): Directive | undefined {
  const written = /\[\[(\{.*\})\]\]/s.exec(content)?.[1];
  return written === undefined ? undefined : (JSON.parse(written) as Directive);
}
