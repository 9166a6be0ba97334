import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { chatWith, type SaidTurn } from './chat.ts';
import type { Call } from './test-app.ts';

export interface Place {
  url: string;
  key: string;
  call: Call;
}

export interface Person {
  userId: string;
  token: string;
}

/** A person with a token from this key. */
export async function makePerson(
  place: Place,
  { key = place.key, userId = `person-${randomUUID()}`, ...fields }: Partial<Person> & TokenFields = {},
): Promise<Person> {
  const body = { external_user_id: userId, expires_in: 3_600, ...fields };
  const answer = await place.call('POST /api/v1/end-user-tokens', { key, body });
  expect(answer).toMatchObject({ status: 201, body: { token: expect.stringMatching(/^svc_ut_/) } });
  return { userId, token: answer.body.token };
}

interface TokenFields {
  key?: string;
  bot_id?: string;
  expires_in?: number;
  max_messages_per_hour?: number;
  max_usd_per_day?: string;
}

/** A turn that the person sends, to its end. */
export function sayAs(place: Place, { token }: Person, message: object): Promise<SaidTurn> {
  return chatWith(() => place).say({ external_user_id: undefined, ...message }, { key: token });
}
