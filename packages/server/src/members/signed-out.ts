import { AppError } from '../lib/app-error.ts';

/** For a session that has ended, or whose person is gone. */
export function signedOut(): AppError {
  return new AppError('UNAUTHORIZED', { message: 'Sign in first.' });
}
