import type { IncomingMessage } from 'node:http';
import { newId } from '../lib/new-id.ts';

/** It is copied into answers and logs, so only harmless characters are accepted. */
const usable = /^[\w.:-]{1,100}$/;

/** The caller's own id of a request, so that both sides log the same one; a new one if it sent none or an unusable one. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && usable.test(sent) ? sent : newId();
}
