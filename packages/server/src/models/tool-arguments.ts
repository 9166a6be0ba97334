import { isObject } from '../validation/json-schema/check.ts';

interface ParsedArguments {
  arguments: Record<string, unknown>;
  invalid?: string;
}

/** Models do write broken JSON: the turn reports it to the model, so it is not an error here. No text means no arguments. */
export function parseToolArguments(text: string): ParsedArguments {
  if (text.trim() === '') return { arguments: {} };
  const value = parse(text);
  return isObject(value) ? { arguments: value } : { arguments: {}, invalid: text };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
