import type { Services } from '../services.ts';

/** What running an evaluation takes. */
export type EvaluationDependencies = Pick<
  Services,
  | 'billing'
  | 'bots'
  | 'clock'
  | 'conversations'
  | 'database'
  | 'log'
  | 'models'
  | 'nodeId'
  | 'noteChange'
  | 'spender'
  | 'turns'
>;
