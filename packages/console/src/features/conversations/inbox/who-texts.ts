/** A few people, at most two of them by name, and the verb that follows: "Teal Otter and 2 others", "are". */
export function whoText([first = '', ...others]: readonly string[]): { who: string; verb: 'is' | 'are' } {
  if (others.length === 0) return { who: first, verb: 'is' };
  return { who: `${first} and ${others.length === 1 ? others[0] : `${others.length} others`}`, verb: 'are' };
}
