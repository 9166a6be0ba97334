export type Keypad = ReturnType<typeof createKeypad>;

const placeholder = /\[keypad:(\d{1,6})\]/g;
/** From here on the last four digits are shown, by which people recognise their cards and accounts. */
const longLength = 8;
const shownDigits = 4;
/** A caller who types slowly may hear the bot between two digits. */
const slowMs = 10_000;
/** Older entries are forgotten. */
const maxEntries = 50;
/** Shorter runs of digits occur in many numbers, so they are hidden only where they are the whole number. */
const minWithin = 4;
/** Longer runs that were filled in are not remembered: they are mostly something else. */
const maxRun = 200;

/**
 * What a caller enters on the keypad of the telephone, which may be a card number or a PIN. Only tools get
 * the digits, all others a mask and a placeholder; they are kept in the memory of the node that has the line, until the call ends.
 */
export function createKeypad(isMasked: boolean) {
  /** By the number in their placeholders. */
  const entries = new Map<number, string>();
  /** Numbers that tools were given with digits in them, which may touch other digits. */
  const runs = new Set<string>();
  let count = 0;
  let lastAt = Number.NEGATIVE_INFINITY;
  /** Whether the bot has not replied to the last digits: a caller who types slowly enters one at a time. */
  let isContinued = false;

  function fillText(text: string): string | undefined {
    const used: string[] = [];
    let isComplete = true;
    const filled = text.replaceAll(placeholder, (_, number: string) => {
      const digits = entries.get(Number(number));
      isComplete &&= digits !== undefined;
      if (digits !== undefined) used.push(onlyDigits(digits));
      return digits ?? '';
    });
    for (const [found] of used.length > 0 ? filled.matchAll(/\d(?:\D{0,3}\d)*/g) : []) {
      const run = onlyDigits(found);
      if (run.length > maxRun || !used.some((digits) => digits !== '' && run.includes(digits))) continue;
      runs.add(run);
      keepLatest(runs);
    }
    return isComplete ? filled : undefined;
  }

  return {
    /** The text for digits that were entered at this time (in ms): in the transcript, and for the model. */
    note(digits: string, at: number): string {
      const isChoice = digits.length === 1 && !isContinued && at - lastAt > slowMs;
      isContinued = true;
      lastAt = at;
      if (!isMasked || isChoice) return digits;
      count += 1;
      entries.set(count, digits);
      keepLatest(entries);
      return `${maskOf(digits)} [keypad:${count}]`;
    },

    /** The bot has said something: a single digit is a choice again, unless it follows soon. */
    noteReply(): void {
      isContinued = false;
    },

    /** Replaces placeholders with their digits, for a tool; undefined if a placeholder is unknown. */
    fillIn(given: Record<string, unknown>): Record<string, unknown> | undefined {
      let isComplete = true;
      const filled = mapTexts(given, (text) => {
        const whole = fillText(text);
        isComplete &&= whole !== undefined;
        return whole ?? '';
      });
      return isComplete ? (filled as Record<string, unknown>) : undefined;
    },

    /** Replaces digits with their masks, in what a tool returns. */
    hide<Value>(value: Value): Value {
      if (count === 0) return value;
      const masks = new Map([...runs].map((run) => [run, hiddenMask]));
      for (const digits of entries.values()) masks.set(onlyDigits(digits), maskOf(digits));
      masks.delete('');
      return mapTexts(value, (text) => hideIn(text, masks)) as Value;
    },
  };
}

const hiddenMask = '****';

function maskOf(digits: string): string {
  return hiddenMask + (digits.length < longLength ? '' : digits.slice(-shownDigits));
}

const onlyDigits = (text: string) => text.replaceAll(/\D/g, '');

function keepLatest<Key>(some: Pick<Set<Key>, 'size' | 'keys' | 'delete'>): void {
  const [first] = some.keys();
  if (some.size > maxEntries && first !== undefined) some.delete(first);
}

/** How many characters may be between the digits of one number. */
const maxGap = 3;
/** Escapes that use digits to write other characters. */
const escapes = /%[\da-f]{2}|\\u[\da-f]{4}|&#x?[\da-f]{1,6};/gi;
/** Keeps the place of a character that is not compared. */
const filler = '\0';

/** The text without the digits that have a mask, even in groups, as card numbers are written, and within longer numbers. */
function hideIn(text: string, masks: ReadonlyMap<string, string>): string {
  if (!/\d/.test(text)) return text;
  /** Where something to hide begins (1 more) and ends (1 less). */
  const edges = new Int32Array(text.length + 1);
  const unescaped = text.replaceAll(escapes, (escape) => ` ${filler.repeat(escape.length - 1)}`);
  let isFound = false;
  for (const form of new Set([text, unescaped])) {
    const { digits, places } = digitsOf(form);
    for (const secret of masks.keys()) {
      for (let at = digits.indexOf(secret); at !== -1; at = digits.indexOf(secret, at + 1)) {
        const start = places[at] ?? 0;
        const end = (places[at + secret.length - 1] ?? 0) + 1;
        if (secret.length < minWithin && /\d/.test(`${form[start - 1]}${form[end]}`)) continue;
        isFound = true;
        edges[start] = (edges[start] ?? 0) + 1;
        edges[end] = (edges[end] ?? 0) - 1;
      }
    }
  }
  return isFound ? replaceHidden(text, edges, masks) : text;
}

/** All digits of a text and where they are; a space where more than three other characters are between them. */
function digitsOf(text: string): { digits: string; places: number[] } {
  const places: number[] = [];
  let digits = '';
  let gap = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    const isDigit = character >= '0' && character <= '9';
    if (isDigit && gap > maxGap) {
      digits += ' ';
      places.push(at);
    }
    if (isDigit) {
      digits += character;
      places.push(at);
      gap = 0;
    } else if (character !== filler) gap += 1;
  }
  return { digits, places };
}

/** What was entered is recognised by its mask if it stands alone. */
function replaceHidden(text: string, edges: Int32Array, masks: ReadonlyMap<string, string>): string {
  let shown = '';
  let from = 0;
  let depth = 0;
  for (const [at, change] of edges.entries()) {
    const isEdge = depth === 0 ? change > 0 : depth + change === 0;
    if (isEdge && depth === 0) shown += text.slice(from, at);
    else if (isEdge) shown += masks.get(onlyDigits(text.slice(from, at))) ?? hiddenMask;
    if (isEdge) from = at;
    depth += change;
  }
  return shown + text.slice(from);
}

export function hasPlaceholder(given: Record<string, unknown>): boolean {
  return JSON.stringify(given).search(placeholder) !== -1;
}

/** Changes every text of a JSON value, including its keys and numbers. Numbers that do not change stay numbers. */
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
