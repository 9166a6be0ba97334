import type { EditFile } from '@svc/contract/machine-protocol';
import { quote, Refusal } from '../../confine/refusal.ts';
import type { Draft } from './draft.ts';
import { requireWritable } from './draft-write.ts';

export function draftEdit(draft: Draft, { path, old_text, new_text }: EditFile): void {
  requireWritable(new_text);
  const file = draft.open(path);
  const { text } = file;
  if (text === null) throw new Refusal(`${quote(path)} does not exist; use write_file to create it.`);
  if (old_text === new_text) throw new Refusal('old_text and new_text are the same: nothing would change.');
  const occurrences = findOccurrences(text, old_text);
  const [occurrence] = occurrences;
  if (occurrence === undefined) throw new Refusal(`${notFound(file.shown)} ${likelyCause(text, old_text)}`);
  if (occurrences.length > 1) throw new Refusal(ambiguous(file.shown, text, occurrences));
  file.text = text.slice(0, occurrence) + new_text + text.slice(occurrence + old_text.length);
}

const maxOccurrences = 1000;

/** Occurrences that overlap count as well: each of them could be meant. */
function findOccurrences(text: string, wanted: string): number[] {
  const occurrences: number[] = [];
  let occurrence = text.indexOf(wanted);
  while (occurrence !== -1 && occurrences.length < maxOccurrences) {
    occurrences.push(occurrence);
    occurrence = text.indexOf(wanted, occurrence + 1);
  }
  return occurrences;
}

function ambiguous(shown: string, text: string, occurrences: readonly number[]): string {
  const count = occurrences.length === maxOccurrences ? `at least ${maxOccurrences}` : occurrences.length;
  const lines = occurrences.slice(0, 10).map((occurrence) => lineAt(text, occurrence));
  return `old_text occurs ${count} times in ${quote(shown)} (lines ${lines.join(', ')}${occurrences.length > 10 ? ', …' : ''}), but must occur exactly once. Add lines before or after it until it is unique.`;
}

function lineAt(text: string, occurrence: number): number {
  return text.slice(0, occurrence).split('\n').length;
}

function notFound(shown: string): string {
  return `old_text does not occur in ${quote(shown)}.`;
}

interface Difference {
  fold(text: string): string;
  message(text: string): string;
}

/** From the smallest difference to the largest. */
const differences: readonly Difference[] = [
  {
    fold: (text) => text.replace(/\r\n?/g, '\n'),
    message: (text) =>
      text.includes('\r\n')
        ? 'It differs only in line endings: the file has CRLF (\\r\\n) there.'
        : 'It differs only in line endings: the file has LF (\\n).',
  },
  {
    // A regular expression would take quadratic time in a long row of spaces.
    fold: (text) =>
      text
        .split('\n')
        .map((line) => line.trimEnd())
        .join('\n'),
    message: () => 'It differs only in spaces at the end of lines.',
  },
  {
    fold: (text) => text.replace(/\s+/g, ' ').trim(),
    message: () =>
      'It differs only in spaces, tabs or line breaks; copy them exactly as read_file shows them.',
  },
  {
    fold: (text) =>
      text.replace(/\s+/g, ' ').trim().normalize('NFKC').replace(/[‘’]/g, "'").replace(/[“”]/g, '"'),
    message: () => 'It differs in characters that look alike, such as quotation marks or composed letters.',
  },
  {
    fold: (text) => text.replace(/\s+/g, ' ').trim().toLowerCase(),
    message: () => 'It differs in upper and lower case.',
  },
];

function likelyCause(text: string, wanted: string): string {
  const cause = differences.find(({ fold }) => fold(wanted) !== '' && fold(text).includes(fold(wanted)));
  return cause?.message(text) ?? 'Read the file again and copy the text exactly.';
}
