import type { EditFile } from '@svc/contract/machine-protocol';
import { quote, Refusal } from '../../confine/refusal.ts';
import type { Draft, DraftFile } from './draft.ts';
import { requireWritable } from './draft-write.ts';
import { quoteLine } from './patch/mismatch.ts';

export function draftEdit(draft: Draft, { path, old_text, new_text, replace_all }: EditFile): void {
  requireWritable(new_text);
  const file = draft.open(path);
  const { text } = file;
  if (text === null) throw new Refusal(`${quote(path)} does not exist; use write_file to create it.`);
  if (old_text === new_text) throw new Refusal('old_text and new_text are the same: nothing would change.');
  const occurrences = findOccurrences(text, old_text);
  const [occurrence] = occurrences;
  if (occurrence === undefined)
    throw new Refusal(`${notFound(file.shown)} ${likelyCause(file, text, old_text)}`);
  if (replace_all) {
    file.text = text.split(old_text).join(new_text);
    return;
  }
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
  return `old_text occurs ${count} times in ${quote(shown)} (lines ${lines.join(', ')}${occurrences.length > 10 ? ', …' : ''}), but must occur exactly once. Add lines before or after it until it is unique, or set replace_all to change all of them.`;
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

function likelyCause(file: DraftFile, text: string, wanted: string): string {
  const cause = differences.find(({ fold }) => fold(wanted) !== '' && fold(text).includes(fold(wanted)));
  if (cause) return cause.message(text);
  return `${firstDifference(file, text, wanted)} Read the file again and copy the text exactly.`;
}

/** Quotes the line where the text stops being as in the file. */
function firstDifference({ hasSecrets }: DraftFile, text: string, wanted: string): string {
  const lines = wanted.split('\n');
  const beginning = (count: number) => lines.slice(0, count).join('\n') + (count < lines.length ? '\n' : '');
  // If some first lines occur in the file, all shorter beginnings do.
  let occurs = 0;
  let isMissing = lines.length;
  while (isMissing - occurs > 1) {
    const middle = (occurs + isMissing) >> 1;
    if (text.includes(beginning(middle))) occurs = middle;
    else isMissing = middle;
  }
  const expected = quoteLine(lines[occurs] ?? '');
  if (occurs === 0) return `No line of the file contains ${expected}.`;
  const end = text.indexOf(beginning(occurs)) + beginning(occurs).length;
  const actual = hasSecrets ? 'different' : quoteLine(text.slice(end).split('\n', 1)[0] ?? '');
  return `Line ${occurs + 1} of old_text is ${expected}, but line ${lineAt(text, end)} of the file is ${actual}.`;
}
