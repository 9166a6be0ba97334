/** Stands in a form's value for text that is not JSON, so that it is neither lost nor sent. */
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
    return JSON.parse(text) as unknown;
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/ in JSON at position.*/s, '') : '';
    return new UnreadableJson(text, `is not valid JSON: ${reason}`);
  }
}

export function jsonText(value: unknown): string {
  if (value instanceof UnreadableJson) return value.text;
  return value === undefined ? '' : JSON.stringify(value, null, 2);
}
