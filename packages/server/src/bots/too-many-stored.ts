import { AppError } from '../lib/app-error.ts';

export function tooManyStored(most: number | null): AppError {
  return new AppError('PLAN_LIMIT_REACHED', {
    message: `The workspace's limit of ${most} bots is reached. Inactive bots count here too: change one of them instead of creating another, or have an operator change the limit with svc workspaces update --max-stored-bots.`,
    details: [{ limit: 'stored_bots', value: most }],
  });
}
