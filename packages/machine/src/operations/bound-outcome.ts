import { maxFrameBytes, maxTextCharacters, type Outcome } from '@svc/contract/machine-protocol';

/** Room for the frame around the outcome. */
const maxOutcomeBytes = maxFrameBytes - 1024;

/** The outcome within the limits of the protocol, so that it can be stored and sent. */
export function boundOutcome(outcome: Outcome): Outcome {
  if (outcome.status !== 'ok') {
    return { status: outcome.status, message: outcome.message.slice(0, maxTextCharacters) };
  }
  const text = JSON.stringify(outcome);
  if (Buffer.byteLength(text) <= maxOutcomeBytes) return outcome;
  return { status: 'error', message: 'It was carried out, but its result is too large to be sent.' };
}
