import { findInexactNumber } from '@svc/contract/inexact-number';
import { visibleJson } from '@svc/contract/visible-text';

export type ReadArguments = { value: Record<string, unknown> } | { problem: string };

/** Arguments for editing as text: characters that would not be seen are escaped, and stay the same value. */
export function writeArguments(value: Record<string, unknown>): string {
  return visibleJson(value);
}

/** What was typed as arguments. */
export function readArguments(text: string): ReadArguments {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { problem: `This is not valid JSON: ${error instanceof Error ? error.message : 'unknown'}` };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { problem: 'The arguments must be a JSON object, such as {"amount": 20}.' };
  }
  const inexact = findInexactNumber(text);
  if (inexact)
    return {
      problem: `${inexact} is too large to be kept exactly. Write it as a text, if the tool takes one.`,
    };
  return { value: value as Record<string, unknown> };
}
