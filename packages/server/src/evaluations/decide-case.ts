import type { CaseReason, JudgedFact } from '@svc/contract/evaluations';
import type { CaseOutcome } from './evaluations.store.ts';
import type { CaseScenario } from './evaluations.tables.ts';

/** A call that the model made. */
export interface CaseToolCall {
  name: string;
  /** Why the call could not run; null when it could. */
  fault: string | null;
}

export interface CaseEvidence {
  calls: readonly CaseToolCall[];
  facts: JudgedFact[];
  /** What keeps the case from being decided. */
  problem?: { code: string; message: string };
}

/** Decides whether a case passed, with every reason why it did not. A case with a problem never passes. */
export function decideCase(
  scenario: Pick<CaseScenario, 'must_call' | 'must_not_call'>,
  { calls, facts, problem }: CaseEvidence,
): CaseOutcome {
  const reasons: CaseReason[] = [
    ...(problem ? [{ kind: 'error' as const, ...problem }] : []),
    ...scenario.must_call.flatMap((name) => missingCall(name, calls) ?? []),
    ...scenario.must_not_call.flatMap((name) => forbiddenCall(name, calls) ?? []),
    ...facts.flatMap((fact) => missingFact(fact) ?? []),
  ];
  if (problem) return { status: 'error', facts, reasons };
  return { status: reasons.length === 0 ? 'passed' : 'failed', facts, reasons };
}

function missingCall(name: string, calls: readonly CaseToolCall[]): CaseReason | undefined {
  const made = calls.filter((call) => call.name === name);
  if (made.some(({ fault }) => fault === null)) return undefined;
  const fault = made[0]?.fault;
  const message = fault ? `${name} was called, but could not run: ${fault}` : `${name} was not called.`;
  return { kind: 'not_called', function: name, message };
}

/** Attempts count too: that a call could not run was luck. */
function forbiddenCall(name: string, calls: readonly CaseToolCall[]): CaseReason | undefined {
  const times = calls.filter((call) => call.name === name).length;
  if (times === 0) return undefined;
  const message = `${name} was called${times > 1 ? ` ${times} times` : ''}.`;
  return { kind: 'called', function: name, message };
}

function missingFact({ fact, holds, explanation }: JudgedFact): CaseReason | undefined {
  return holds ? undefined : { kind: 'fact_missing', fact, message: explanation };
}
