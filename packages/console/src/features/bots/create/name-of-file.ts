const maxLength = 200;

/** What a bot is called that was made of a file: `opening_hours-2026.pdf` becomes `Opening hours 2026`. */
export function nameOfFile(filename: string): string {
  const words = filename
    .replace(/\.[A-Za-z0-9]{1,5}$/, '')
    .replaceAll(/[_-]+/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const name = words === '' ? 'New bot' : words;
  return (Array.from(name)[0]?.toLocaleUpperCase() + name.slice(Array.from(name)[0]?.length)).slice(
    0,
    maxLength,
  );
}

/** The prompt of a bot that answers from its knowledge. */
export function promptFor(name: string): string {
  return [
    `You answer questions about ${name}.`,
    'Answer from the passages that you are given, briefly and in the language of the question.',
    'If they do not contain the answer, say that you do not know.',
  ].join('\n');
}
