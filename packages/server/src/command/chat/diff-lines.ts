/** A line of the terminal and how it looks. */
export interface StyledLine {
  text: string;
  style: 'dim' | 'green' | 'red' | 'cyan' | 'bold';
}

/** A unified diff, line by line. */
export function diffLines(diff: string, indent = ''): StyledLine[] {
  return diff
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => ({ text: `${indent}${line}`, style: styleOf(line) }));
}

function styleOf(line: string): StyledLine['style'] {
  if (/^(\+\+\+|---|diff |rename |new file|deleted file)/.test(line)) return 'bold';
  if (line.startsWith('@@')) return 'cyan';
  if (line.startsWith('+')) return 'green';
  return line.startsWith('-') ? 'red' : 'dim';
}

/** The first lines, and how many more there are. */
export function firstLines(lines: readonly StyledLine[], limit: number, rest: string): StyledLine[] {
  if (lines.length <= limit) return [...lines];
  return [...lines.slice(0, limit), { text: `  … ${lines.length - limit} more lines${rest}`, style: 'dim' }];
}
