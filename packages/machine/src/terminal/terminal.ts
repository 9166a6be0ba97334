import { escapeText } from './escape-text.ts';

type Tone = 'plain' | 'good' | 'bad' | 'quiet';

export type Terminal = ReturnType<typeof createTerminal>;

const colors: Record<Tone, string> = { plain: '', good: '\u001b[32m', bad: '\u001b[31m', quiet: '\u001b[2m' };
const maxCharacters = 2000;

/** The lines that a person at the machine reads. */
export function createTerminal(
  stream: NodeJS.WritableStream & { isTTY?: boolean },
  options: { isPlain: boolean; now?: () => Date },
) {
  const hasColors = Boolean(stream.isTTY) && !options.isPlain;
  // The daemon works on when nothing reads its output any more.
  stream.on('error', () => undefined);

  function write(text: string, tone: Tone): void {
    const line = `${timeOf(options.now?.() ?? new Date())}  ${escapeText(text, maxCharacters)}`;
    stream.write(hasColors && colors[tone] ? `${colors[tone]}${line}\u001b[0m\n` : `${line}\n`);
  }

  return {
    line: (text: string, tone: Tone = 'plain') => write(text, tone),
    warn: (text: string) => write(`warning: ${text}`, 'bad'),
  };
}

/** Local time, as on the clock of whoever looks at the terminal. */
function timeOf(date: Date): string {
  return [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}
