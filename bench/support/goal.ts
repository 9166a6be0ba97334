/** What a number is compared with: the baseline's own, the baseline's and a little more, or a fixed limit. */
export type Goal =
  /** How many times worse than the baseline it may be. */
  | { ratio: number }
  /** How much more than the baseline it may be. */
  | { added: number }
  /** How much less than the baseline it may be, where more is better. */
  | { behind: number }
  | { most: number }
  | { least: number };

export interface Measured {
  ours: number;
  /** Left out where there is nothing to compare with. */
  baseline?: number;
  /** How many times worse we are than the baseline; below 1 is better. */
  ratio?: number;
  /** How much more ours is than the baseline. */
  added?: number;
  goal?: Goal;
}

/** A goal that was not measured does not hold. */
export function missesGoal({ ours, baseline, ratio, added, goal }: Measured): boolean {
  if (!goal) return false;
  if ('ratio' in goal) return !(ratio !== undefined && ratio <= goal.ratio);
  if ('added' in goal) return !(added !== undefined && added <= goal.added);
  if ('behind' in goal) return !(baseline !== undefined && ours >= baseline - goal.behind);
  return 'least' in goal ? !(ours >= goal.least) : !(ours <= goal.most);
}

export function showGoal(measured: Measured): string {
  const { goal } = measured;
  if (!goal) return '';
  const verdict = missesGoal(measured) ? 'MISSED' : 'holds';
  if ('ratio' in goal) return `≤ ${goal.ratio} × ${verdict}`;
  if ('added' in goal) return `≤ baseline + ${goal.added} ${verdict}`;
  if ('behind' in goal) return `≥ baseline - ${goal.behind} ${verdict}`;
  return 'least' in goal ? `≥ ${goal.least} ${verdict}` : `≤ ${goal.most} ${verdict}`;
}
