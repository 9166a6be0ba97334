import { findInexactNumber } from '@svc/contract/inexact-number';

/** Stands in a form's value for text that cannot be read exactly as JSON, so that it is neither lost nor sent. */
export class UnreadableJson {
  readonly text: string;
  readonly reason: string;

  constructor(text: string, reason: string) {
    this.text = text;
    this.reason = reason;
  }
}

/** Blank text means that there is no value. */
export function readJson(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    const inexact = findInexactNumber(text);
    if (inexact === undefined) return value;
    return new UnreadableJson(
      text,
      `has ${inexact}, which is too large to be kept exactly: write it as a text`,
    );
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/ in JSON at position.*/s, '') : '';
    return new UnreadableJson(text, `is not valid JSON: ${reason}`);
  }
}

export function jsonText(value: unknown): string {
  if (value instanceof UnreadableJson) return value.text;
  return value === undefined ? '' : JSON.stringify(value, null, 2);
}
