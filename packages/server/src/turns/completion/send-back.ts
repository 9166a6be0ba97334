import type { Verdict } from './completion-verdict.ts';

/** For an agent whose goal is not reached. */
export function incompleteMessage({ missing }: Verdict): string {
  const named = missing.length > 0 ? list(missing) : '- (The check did not say what.)';
  return [
    'The goal is not reached yet. Compared with what your tools returned, this is missing:',
    named,
    'Continue until it is done. Only what a tool confirms counts. If something cannot be done, try to find out why, and say so in your final output.',
  ].join('\n\n');
}

/** For an agent whose output is not usable. */
export function unusableMessage(faults: readonly string[]): string {
  return [
    'Your final output cannot be used as it is:',
    list(faults),
    'Answer again with the whole JSON, corrected, and nothing else.',
  ].join('\n\n');
}

function list(entries: readonly string[]): string {
  return entries.map((entry) => `- ${entry}`).join('\n');
}
