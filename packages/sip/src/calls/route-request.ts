import { dialogKey } from '../dialog.ts';
import { listOf } from '../message/sip-message.ts';
import type { ServerTransaction } from '../transactions/server-transactions.ts';
import { isIntervalTooShort, minSessionSeconds } from './session-timer.ts';
import { allow, extensions, type RoutedSipCall, refusalOf } from './user-agent.ts';

/** These methods are only valid within a call. */
const inCallMethods = ['BYE', 'INFO', 'NOTIFY', 'UPDATE', 'REFER', 'PRACK'];

/** Passes a request to the call that it is about, or to `answer` if it begins one. */
export async function routeRequest(
  calls: ReadonlyMap<string, RoutedSipCall>,
  transaction: ServerTransaction,
  answer: (invite: ServerTransaction) => Promise<void>,
): Promise<void> {
  const { method, callId, to } = transaction.request;
  if (isRefused(transaction)) return;
  const tag = to.parameters.get('tag');
  const call = tag === undefined ? undefined : calls.get(dialogKey(callId, tag));
  if (call) return call.receive(transaction);
  if (method === 'ACK') return;
  if (tag !== undefined || inCallMethods.includes(method)) return transaction.respond(481);
  if (method === 'INVITE') return answer(transaction);
  if (method === 'OPTIONS') {
    const accepted = { name: 'accept', value: 'application/sdp' };
    return transaction.respond(200, { headers: [allow, accepted] });
  }
  transaction.respond(refusalOf(method), { headers: [allow] });
}

/** Refuses a request to an address, or with an extension, that we do not support. */
function isRefused({ request, respond }: ServerTransaction): boolean {
  if (request.method === 'ACK') return false;
  if (!/^(sips?|tel):/i.test(request.uri)) {
    respond(416);
    return true;
  }
  const unknown = listOf(request, 'require').filter((name) => !extensions.includes(name.toLowerCase()));
  if (unknown.length > 0) {
    respond(420, { headers: [{ name: 'unsupported', value: unknown.join(', ') }] });
    return true;
  }
  if (!isIntervalTooShort(request)) return false;
  respond(422, { headers: [{ name: 'min-se', value: String(minSessionSeconds) }] });
  return true;
}
