/** Characters that neither `sh` nor `cmd.exe` treats specially inside a word. */
const plainWord = /^[A-Za-z0-9_./:@+,=-]+$/;
/** As the last word of a pattern: any further plain words. */
const anyWords = '*';

/**
 * Whether a command may run without approval. Only commands of plain words can match, because any shell syntax could run
 * something else: quotes, variables, globs, redirections, several commands, assignments before the command.
 */
export function isAllowedCommand(command: string, patterns: readonly string[]): boolean {
  const words = plainWords(command);
  return words !== undefined && patterns.some((pattern) => matches(words, pattern));
}

/** A command of plain words, with one space between them; undefined if it has any shell syntax. */
export function plainCommand(command: string): string | undefined {
  return plainWords(command)?.join(' ');
}

/** What is wrong with a pattern; undefined if nothing is. */
export function patternFault(pattern: string): string | undefined {
  if (parsePattern(pattern)) return undefined;
  return pattern.trim() === anyWords
    ? 'must start with the name of a command: set approval_commands to never to allow every command'
    : 'must be plain words without shell syntax, such as npm test, or git log * to allow any further plain words';
}

function matches(words: readonly string[], pattern: string): boolean {
  const parsed = parsePattern(pattern);
  if (!parsed) return false;
  const hasLength = parsed.isOpen
    ? words.length >= parsed.words.length
    : words.length === parsed.words.length;
  return hasLength && parsed.words.every((word, index) => word === words[index]);
}

function parsePattern(pattern: string): { words: string[]; isOpen: boolean } | undefined {
  const isOpen = pattern.trimEnd().endsWith(` ${anyWords}`);
  const words = plainWords(isOpen ? pattern.trimEnd().slice(0, -anyWords.length) : pattern);
  return words && { words, isOpen };
}

/** The words of a command that a shell would take as they are; undefined if it has any syntax. */
function plainWords(command: string): string[] | undefined {
  const words = command.split(' ').filter((word) => word !== '');
  const [first] = words;
  // `NAME=value command` sets a variable for the command.
  if (first === undefined || first.includes('=')) return undefined;
  return words.every((word) => plainWord.test(word)) ? words : undefined;
}
