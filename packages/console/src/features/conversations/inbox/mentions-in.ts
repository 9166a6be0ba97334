/** The members whom a text names after an `@`: `@Ada Lovelace`. At most as many as a note may mention. */
export function mentionsIn(text: string, members: readonly { id: string; name: string }[]): string[] {
  const names = [...new Set(members.map(({ name }) => name))].toSorted(
    (one, other) => other.length - one.length,
  );
  const mentioned = new Set<string>();
  let rest = text;
  for (const name of names) {
    const parts = rest.split(`@${name}`);
    // "@Ann" does not mention Ann in "@Anna".
    if (!parts.slice(1).some((next) => !/^[\p{L}\p{N}]/u.test(next))) continue;
    mentioned.add(name);
    // A longer name comes first, and contains no shorter one any more.
    rest = parts.join(' ');
  }
  return members
    .filter(({ name }) => mentioned.has(name))
    .slice(0, maxMentions)
    .map(({ id }) => id);
}

const maxMentions = 20;
