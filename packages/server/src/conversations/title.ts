const longest = 80;

/** The title of a new conversation: the start of its first message, cut between words. */
export function titleOf(message: string): string {
  const line = message.trim().replaceAll(/\s+/g, ' ');
  if (line.length <= longest) return line;
  const cut = line.slice(0, longest).toWellFormed();
  const lastSpace = cut.lastIndexOf(' ');
  return `${cut.slice(0, lastSpace > longest / 2 ? lastSpace : undefined).replace(/\uFFFD$/, '')}…`;
}
