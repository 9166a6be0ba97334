import { AppError } from '../../app-error.ts';
import { ContinuesElsewhere } from '../../continues-elsewhere.ts';
import type { Performer } from './performer.ts';

/** For callers whose request ends with this node, unlike a turn, which continues elsewhere. Throws NOT_READY when the node stops. */
export const performForRequest =
  ({ perform }: Pick<Performer, 'perform'>): Performer['perform'] =>
  async (...request) => {
    try {
      return await perform(...request);
    } catch (error) {
      if (!(error instanceof ContinuesElsewhere)) throw error;
      throw new AppError('NOT_READY', {
        message: 'This node is stopping: send the request again.',
        cause: error,
      });
    }
  };
