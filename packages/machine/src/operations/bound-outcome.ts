import {
  maxFrameBytes,
  maxFrameValues,
  maxTextCharacters,
  type Outcome,
} from '@svc/contract/machine-protocol';

/** Room for the frame around the outcome. */
const maxOutcomeBytes = maxFrameBytes - 1024;

/** The outcome within the limits of the protocol, so that it can be stored and sent. */
export function boundOutcome(outcome: Outcome): Outcome {
  if (outcome.status !== 'ok') {
    return { status: outcome.status, message: outcome.message.slice(0, maxTextCharacters) };
  }
  const text = JSON.stringify(outcome);
  if (Buffer.byteLength(text) <= maxOutcomeBytes && countValues(outcome) < maxFrameValues) return outcome;
  return { status: 'error', message: 'It was carried out, but its result is too large to be sent.' };
}

/** At least as many as there are brackets and commas in its JSON. */
function countValues(value: unknown): number {
  if (value === null || typeof value !== 'object') return 1;
  return Object.values(value).reduce((sum: number, inner) => sum + countValues(inner), 2);
}
