import { errorCodes } from '@svc/contract/errors';
import { expect, it } from 'vitest';
import { AppError } from '../../app-error.ts';
import { toEndUserError } from './end-user-error.ts';

it('says nothing about models, tools and machines', () => {
  const error = new AppError('MACHINE_OFFLINE', {
    message: 'The machine build-7 of the tool Deploy is not connected.',
    details: [{ machine: 'build-7' }],
    retryAfterSeconds: 5,
  });
  const shown = toEndUserError(error) as AppError;
  expect(shown).toMatchObject({ code: 'MACHINE_OFFLINE', retryAfterSeconds: 5, details: undefined });
  expect(shown.message).toBe(errorCodes.MACHINE_OFFLINE.message);
});

it('keeps what is about the message itself, and errors of the service', () => {
  const kept = [
    new AppError('TURN_IN_PROGRESS', { details: [{ conversation_id: 'x' }] }),
    new AppError('VALIDATION_FAILED', { message: 'new_conversation cannot be true' }),
    new Error('The connection was lost.'),
  ];
  for (const error of kept) expect(toEndUserError(error)).toBe(error);
});
