import type { Dialog } from '../dialog.ts';
import { parseNameAddress } from '../message/sip-addresses.ts';
import {
  headerOf,
  listOf,
  type ReceivedRequest,
  type ReceivedResponse,
  type SipHeader,
} from '../message/sip-message.ts';
import type { Negotiation } from './negotiation.ts';
import { allow, contactOf, sdpType, supported, type UserAgent } from './user-agent.ts';

export interface SessionTimerOptions {
  agent: UserAgent;
  dialog: Pick<Dialog, 'request' | 'acknowledge'>;
  negotiation: Pick<Negotiation, 'offer' | 'take' | 'withdraw'>;
  onLost(detail: string): void;
}

const gone = 'The call was not confirmed: the other side is gone.';
/** The wait after a refused refresh, unless the refusal means that the call is over. */
const retryAfterMs = 3_000;

/** Refreshes a call regularly if the other side wants that, and ends it when it was not refreshed (RFC 4028). */
export function createSessionTimer({ agent, dialog, negotiation, onLost }: SessionTimerOptions) {
  let refreshing: NodeJS.Timeout | undefined;
  let expiring: NodeJS.Timeout | undefined;
  let isUpdateAllowed = false;
  let isClosed = false;

  function stop(): void {
    clearTimeout(refreshing);
    clearTimeout(expiring);
  }

  function start(seconds: number, isOurs: boolean): void {
    stop();
    if (isClosed) return;
    // The side that does not refresh ends the call a little earlier.
    const limit = isOurs ? seconds : seconds - Math.min(32, seconds / 3);
    expiring = setTimeout(() => onLost(gone), limit * 1_000);
    if (isOurs) refreshing = setTimeout(() => refresh(seconds), (seconds / 2) * 1_000);
  }

  function refresh(seconds: number): void {
    const method = isUpdateAllowed ? 'UPDATE' : 'INVITE';
    const expires = { name: 'session-expires', value: `${seconds};refresher=uac` };
    const headers = [contactOf(agent), allow, supported, expires];
    const offer = isUpdateAllowed ? {} : { body: negotiation.offer() };
    const parts = { headers: isUpdateAllowed ? headers : [...headers, sdpType], ...offer };
    let isAnswered = false;
    dialog.request(method, parts, {
      onFinal(response, request) {
        const isAccepted = response !== undefined && response.status < 300;
        if (isAccepted && method === 'INVITE') dialog.acknowledge(request);
        // A 2xx may be repeated, and the call may be over by now.
        if (isAnswered || isClosed) return;
        isAnswered = true;
        if (isAccepted) {
          if (method === 'INVITE') negotiation.take(response.body);
          return take(response);
        }
        negotiation.withdraw();
        if (!response || response.status === 408 || response.status === 481) return onLost(gone);
        refreshing = setTimeout(() => refresh(seconds), retryAfterMs);
      },
    });
  }

  /** The other side's 2xx to an INVITE of ours. */
  function take(response: ReceivedResponse): void {
    isUpdateAllowed = allowsUpdate(response);
    const interval = intervalOf(response);
    if (interval) start(interval.seconds, interval.refresher !== 'uas');
    else stop();
  }

  return {
    take,
    /** The headers of our 2xx to an INVITE or UPDATE of the other side, which refreshes the call. */
    accept(request: ReceivedRequest): SipHeader[] {
      isUpdateAllowed ||= allowsUpdate(request);
      const interval = intervalOf(request);
      if (!interval) {
        stop();
        return [];
      }
      const { seconds } = interval;
      const isKnown = knowsTimer(request);
      // If only a proxy on the way wants it, the refreshing is up to us.
      const refresher = isKnown ? (interval.refresher ?? 'uac') : 'uas';
      start(seconds, refresher === 'uas');
      return [
        { name: 'session-expires', value: `${seconds};refresher=${refresher}` },
        ...(isKnown ? [{ name: 'require', value: 'timer' }] : []),
      ];
    },
    close(): void {
      isClosed = true;
      stop();
    },
  };
}

const maxSeconds = 86_400;

function intervalOf(
  message: Pick<ReceivedRequest, 'headers'>,
): { seconds: number; refresher: string | undefined } | undefined {
  const [, digits, rest = ''] = /^(\d{1,9})(.*)$/.exec(headerOf(message, 'session-expires') ?? '') ?? [];
  if (digits === undefined || Number(digits) === 0) return undefined;
  const refresher = parseNameAddress(`<sip:x>${rest}`)?.parameters.get('refresher')?.toLowerCase();
  return { seconds: Math.min(Number(digits), maxSeconds), refresher };
}

/** Shorter intervals are refused: each refresh is work for both sides. */
export const minSessionSeconds = 90;

export function isIntervalTooShort(request: ReceivedRequest): boolean {
  const interval = intervalOf(request);
  return interval !== undefined && interval.seconds < minSessionSeconds && knowsTimer(request);
}

function knowsTimer(request: ReceivedRequest): boolean {
  return [...listOf(request, 'supported'), ...listOf(request, 'require')].some(
    (name) => name.toLowerCase() === 'timer',
  );
}

function allowsUpdate(message: Pick<ReceivedRequest, 'headers'>): boolean {
  return listOf(message, 'allow').some((method) => method.toUpperCase() === 'UPDATE');
}
