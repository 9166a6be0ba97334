/**
 * What a caller enters on the keypad of the telephone, which may be a card number or a PIN. Everybody but a tool gets a mask and a
 * placeholder; the digits themselves are nowhere but in the memory of the node that has the line, as long as the call lasts.
 */
export interface Keypad {
  /** The text for digits that were entered: in the transcript, and for the model. */
  note(digits: string): string;
  /** The bot has said something: the next single digit is a choice again. */
  noteReply(): void;
  /** With digits in the place of placeholders, for a tool; undefined if one of them names nothing. */
  fillIn(given: Record<string, unknown>): Record<string, unknown> | undefined;
  /** With masks in the place of digits, for what a tool returns. */
  hide<Value>(value: Value): Value;
}

interface Entry {
  digits: string;
  mask: string;
  /** Finds the digits even in groups, as card numbers are written. */
  pattern: RegExp;
}

const placeholder = /\[keypad:(\d{1,6})\]/g;
/** From here on the last four digits are shown, by which people recognise their cards and accounts. */
const longLength = 8;
const shownDigits = 4;

export function createKeypad(isMasked: boolean): Keypad {
  const entries: Entry[] = [];
  /** Whether the bot has not replied to the last digits: somebody who types slowly enters one at a time. */
  let isContinued = false;

  return {
    note(digits) {
      const isChoice = digits.length === 1 && !isContinued;
      isContinued = true;
      if (!isMasked || isChoice) return digits;
      const mask = `****${digits.length < longLength ? '' : digits.slice(-shownDigits)}`;
      entries.push({ digits, mask, pattern: patternOf(digits) });
      return `${mask} [keypad:${entries.length}]`;
    },

    noteReply() {
      isContinued = false;
    },

    fillIn(given) {
      let isComplete = true;
      const filled = mapTexts(given, (text) =>
        text.replaceAll(placeholder, (_, number: string) => {
          const entry = entries[Number(number) - 1];
          isComplete &&= entry !== undefined;
          return entry?.digits ?? '';
        }),
      );
      return isComplete ? (filled as Record<string, unknown>) : undefined;
    },

    hide<Value>(value: Value): Value {
      if (entries.length === 0) return value;
      const hidden = mapTexts(value, (text) =>
        entries.reduce((rest, { pattern, mask }) => rest.replaceAll(pattern, mask), text),
      );
      return hidden as Value;
    },
  };
}

export function hasPlaceholder(given: Record<string, unknown>): boolean {
  return JSON.stringify(given).search(placeholder) !== -1;
}

/** Not within a longer number: short digits would be found everywhere. */
function patternOf(digits: string): RegExp {
  const separated = digits
    .split('')
    .map((digit) => digit.replace(/\W/, String.raw`\$&`))
    .join('[ .-]?');
  return new RegExp(String.raw`(?<!\d)${separated}(?!\d)`, 'g');
}

/** Every text of a JSON value, its keys and numbers included. Numbers that do not change stay numbers. */
function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (typeof value === 'number') {
    const changed = change(String(value));
    return changed === String(value) ? value : changed;
  }
  if (Array.isArray(value)) return value.map((entry) => mapTexts(entry, change));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [change(key), mapTexts(entry, change)]),
  );
}
