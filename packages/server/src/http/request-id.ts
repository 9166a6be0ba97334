import type { IncomingMessage } from 'node:http';
import { newId } from '../new-id.ts';

/** Goes into answers and logs as it is: nothing that could be taken for anything else. */
const usable = /^[\w.:-]{1,100}$/;

/** The caller's own id of a request, so that both sides find it under one name; a new one where there is none to use. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && usable.test(sent) ? sent : newId();
}
