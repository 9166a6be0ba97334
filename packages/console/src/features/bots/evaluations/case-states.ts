import type { CaseStatus, Evaluation } from '@svc/contract/evaluations';
import type { State } from '../../../kit/labels.tsx';

export const caseStates: Record<CaseStatus, { state: State; text: string }> = {
  pending: { state: 'idle', text: 'Waiting' },
  running: { state: 'running', text: 'Running' },
  passed: { state: 'success', text: 'Passed' },
  failed: { state: 'danger', text: 'Failed' },
  error: { state: 'warning', text: 'Not decided' },
  skipped: { state: 'unknown', text: 'Skipped' },
};

export const evaluationStates: Record<Evaluation['status'], { state: State; text: string }> = {
  running: { state: 'running', text: 'Running' },
  completed: { state: 'success', text: 'Completed' },
  failed: { state: 'danger', text: 'Failed' },
  stopped: { state: 'warning', text: 'Stopped' },
};

/** `5 of 8`: how many cases are decided. */
export function progressOf({ counts }: Pick<Evaluation, 'counts'>): string {
  return `${counts.total - counts.pending} of ${counts.total}`;
}

export function statusIn(
  { outcomes }: Pick<Evaluation, 'outcomes'>,
  scenarioId: string,
): CaseStatus | undefined {
  return outcomes.find((outcome) => outcome.scenario_id === scenarioId)?.status;
}

export type Change = 'newly_failing' | 'newly_passing' | 'still_failing' | 'unchanged' | 'only_one';

export const changeNames: Record<Change, { state: State; text: string }> = {
  newly_failing: { state: 'danger', text: 'Newly failing' },
  still_failing: { state: 'warning', text: 'Still failing' },
  newly_passing: { state: 'success', text: 'Newly passing' },
  unchanged: { state: 'idle', text: 'Passes in both' },
  only_one: { state: 'unknown', text: 'Decided in one only' },
};

const order: Change[] = ['newly_failing', 'still_failing', 'newly_passing', 'only_one', 'unchanged'];

export interface ComparedCase {
  scenarioId: string;
  before: CaseStatus | undefined;
  after: CaseStatus | undefined;
  change: Change;
}

/** Two evaluations, scenario by scenario, what got worse first. */
export function compareEvaluations(
  before: Pick<Evaluation, 'outcomes'>,
  after: Pick<Evaluation, 'outcomes'>,
): ComparedCase[] {
  const ids = new Set([...after.outcomes, ...before.outcomes].map((outcome) => outcome.scenario_id));
  return [...ids]
    .map((scenarioId) => {
      const [one, other] = [statusIn(before, scenarioId), statusIn(after, scenarioId)];
      return { scenarioId, before: one, after: other, change: changeBetween(one, other) };
    })
    .toSorted((left, right) => order.indexOf(left.change) - order.indexOf(right.change));
}

function changeBetween(before: CaseStatus | undefined, after: CaseStatus | undefined): Change {
  const [one, other] = [hasPassed(before), hasPassed(after)];
  if (one === undefined || other === undefined) return 'only_one';
  if (other) return one ? 'unchanged' : 'newly_passing';
  return one ? 'newly_failing' : 'still_failing';
}

/** Undefined where it was not decided. A case with an error counts as not passed. */
function hasPassed(status: CaseStatus | undefined): boolean | undefined {
  if (status === 'passed') return true;
  return status === 'failed' || status === 'error' ? false : undefined;
}
