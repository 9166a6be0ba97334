import type { CaseChange, CaseStatus, Comparison } from '@svc/contract/evaluations';

/** How a case differs from the last decided one of its scenario; null while it is not decided. */
export function changeOf(now: CaseStatus, before: CaseStatus | undefined): CaseChange | null {
  if (now === 'pending' || now === 'running' || now === 'skipped') return null;
  if (before === undefined) return 'new';
  if (now === 'passed') return before === 'passed' ? 'unchanged' : 'newly_passing';
  return before === 'passed' ? 'newly_failing' : 'still_failing';
}

export function comparisonOf(
  cases: readonly { scenario_id: string; change: CaseChange | null }[],
): Comparison {
  const those = (change: CaseChange) =>
    cases.filter((one) => one.change === change).map((one) => one.scenario_id);
  return {
    newly_failing: those('newly_failing'),
    newly_passing: those('newly_passing'),
    still_failing: those('still_failing'),
    new: those('new'),
    unchanged: those('unchanged'),
  };
}
