import { errorCodes } from '@svc/contract/errors';
import { expect, it } from 'vitest';
import { AppError, invalid } from '../../lib/app-error.ts';
import { toEndUserError } from './end-user-error.ts';

it('names nothing of the bot that the sender cannot change', () => {
  const ofBot = [
    invalid('model', 'gpt-5 has no known price: set it in SVC_MODEL_PRICES'),
    invalid('code_machine_id', 'is required by the tool Deploy'),
  ];
  for (const error of ofBot) {
    const shown = toEndUserError(error) as AppError;
    expect(shown).toMatchObject({ code: 'VALIDATION_FAILED', details: undefined, cause: error });
    expect(shown.message).toBe(errorCodes.VALIDATION_FAILED.message);
  }
});

it('keeps what is about the message itself, and errors of the service', () => {
  const kept = [
    new AppError('TURN_IN_PROGRESS', { details: [{ conversation_id: 'x' }] }),
    invalid('new_conversation', 'cannot be true when conversation_id is given'),
    new Error('The connection was lost.'),
  ];
  for (const error of kept) expect(toEndUserError(error)).toBe(error);
});
