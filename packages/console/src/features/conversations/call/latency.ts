import type { CallTurn } from '@svc/contract/calls';

/** The parts of an answer's delay, in the order in which they happen. */
export const latencyParts = [
  { id: 'end_of_turn_ms', name: 'End of turn', fill: 'bg-chart-1' },
  { id: 'text_ms', name: 'Text', fill: 'bg-chart-2' },
  { id: 'model_ms', name: 'Model', fill: 'bg-chart-3' },
  { id: 'speech_ms', name: 'Speech', fill: 'bg-chart-4' },
] as const;

/** From the end of the caller's speech until the bot was heard; undefined while nothing of it is known. */
export function totalOf(turn: CallTurn): number | undefined {
  const known = latencyParts.flatMap(({ id }) => turn[id] ?? []);
  return known.length === 0 ? undefined : known.reduce((sum, part) => sum + part, 0);
}

/** The total that this share of the answers did not exceed: the nearest rank. */
export function percentile(totals: readonly number[], share: number): number | undefined {
  const sorted = totals.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
}

/** `End of turn 300 ms, text 120 ms, model 640 ms, speech 90 ms`. */
export function describeLatency(turn: CallTurn): string {
  const parts = latencyParts.flatMap(({ id, name }) => {
    const value = turn[id];
    return value === null ? [] : [`${name.toLowerCase()} ${value} ms`];
  });
  return parts.join(', ');
}
