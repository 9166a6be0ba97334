import { randomBytes } from 'node:crypto';
import {
  createRequest,
  headerOf,
  headersOf,
  type Peer,
  type ReceivedResponse,
  type SipHeader,
  type SipRequest,
} from '../message/sip-message.ts';
import { type SipTimers, transactionMs } from '../sip-timers.ts';
import { type Retransmission, retransmit } from './retransmission.ts';

export interface ResponseHandlers {
  onProvisional?(response: ReceivedResponse): void;
  /**
   * The final response, or `undefined` if none came, and the request as it was sent. A 2xx to an INVITE is reported each time that it
   * arrives.
   */
  onFinal(response: ReceivedResponse | undefined, request: SipRequest): void;
}

export type ClientTransactions = ReturnType<typeof createClientTransactions>;

interface Entry {
  isPending: boolean;
  readonly to: Peer;
  /** Waits for the end of a cancelled INVITE for a limited time. */
  expectEnd(): void;
  receive(response: ReceivedResponse): void;
  /** Nothing more is sent about it. */
  abandon(): void;
}

export function createClientTransactions(options: {
  timers: SipTimers;
  /** Requests are sent once. */
  isReliable: boolean;
  /** The protocol and our address in Via. */
  sentBy(): string;
  transmit(request: SipRequest, to: Peer): void;
}) {
  const { timers, isReliable, transmit, sentBy } = options;
  const entries = new Map<string, Entry>();
  let idleWaiters: (() => void)[] = [];
  let isClosed = false;

  function settleIdle(): void {
    if ([...entries.values()].some(({ isPending }) => isPending)) return;
    for (const resolve of idleWaiters) resolve();
    idleWaiters = [];
  }

  function start(
    branch: string,
    request: SipRequest,
    to: Peer,
    handlers: ResponseHandlers,
    limitMs?: number,
  ) {
    const key = keyOf(branch, request.method);
    const isInvite = request.method === 'INVITE';
    let sending: Retransmission | undefined;
    let linger: NodeJS.Timeout | undefined;
    let acknowledgement: SipRequest | undefined;

    const entry: Entry = { isPending: true, to, receive, abandon, expectEnd };
    entries.set(key, entry);
    sending = retransmit({
      timers,
      isOnce: isReliable,
      ...(limitMs !== undefined && { limitMs }),
      // INVITEs are repeated at ever longer intervals: the next hop sends their first response.
      ...(isInvite && { maxInterval: transactionMs(timers) }),
      send: () => transmit(request, to),
      onTimeout: () => finish(undefined),
    });

    function close(): void {
      sending?.stop();
      clearTimeout(linger);
      entries.delete(key);
      entry.isPending = false;
    }

    function abandon(): void {
      if (entry.isPending) finish(undefined);
      close();
    }

    function expectEnd(): void {
      clearTimeout(linger);
      linger = setTimeout(() => finish(undefined), transactionMs(timers));
    }

    function finish(response: ReceivedResponse | undefined): void {
      const isFirst = entry.isPending;
      if (isFirst) {
        close();
        if (isInvite && response) keepFor(transactionMs(timers));
        settleIdle();
      }
      const isAccepted = isInvite && response !== undefined && response.status < 300;
      if (isInvite && response && !isAccepted) {
        acknowledgement ??= acknowledge(request, response);
        transmit(acknowledgement, to);
      }
      if (isFirst || isAccepted) handlers.onFinal(response, request);
    }

    /** Repeated responses still have to be acknowledged. */
    function keepFor(milliseconds: number): void {
      entries.set(key, entry);
      linger = setTimeout(close, milliseconds);
      linger.unref();
    }

    function receive(response: ReceivedResponse): void {
      if (response.status >= 200) return finish(response);
      if (!entry.isPending) return;
      if (isInvite) sending?.stop();
      else sending?.slowDown();
      handlers.onProvisional?.(response);
    }
  }

  /** Sends a request, which has no Via yet. `limitMs` is the time for the first response. */
  function send(draft: SipRequest, to: Peer, handlers: ResponseHandlers, limitMs?: number) {
    const branch = `z9hG4bK${randomBytes(12).toString('hex')}`;
    const via = { name: 'via', value: `SIP/2.0/${sentBy()};branch=${branch};rport` };
    const request = { ...draft, headers: [via, ...draft.headers] };
    if (isClosed) {
      queueMicrotask(() => handlers.onFinal(undefined, request));
      return { cancel: () => undefined };
    }
    start(branch, request, to, handlers, limitMs);
    return {
      /** Cancels an INVITE that has a provisional response: sent once per attempt, and the INVITE itself reports the outcome. */
      cancel: () => {
        const invite = entries.get(keyOf(branch, 'INVITE'));
        if (!invite?.isPending || entries.has(keyOf(branch, 'CANCEL'))) return;
        invite.expectEnd();
        start(branch, sibling(request, 'CANCEL', headerOf(request, 'to') ?? ''), to, {
          onFinal: () => undefined,
        });
      },
    };
  }

  return {
    send,
    /** Ends the waiting of all requests, as if no response had come. */
    abandon(): void {
      // An answer that was not acknowledged may still come again.
      for (const entry of entries.values()) if (entry.isPending) entry.abandon();
    },
    receive(response: ReceivedResponse): void {
      const key = keyOf(response.via.parameters.get('branch') ?? '', response.cseq.method);
      entries.get(key)?.receive(response);
    },
    /** Whether a request to this address waits for a response. */
    expects: (address: string): boolean => [...entries.values()].some(({ to }) => to.address === address),
    /** Resolves when no request waits for a response. */
    idle(): Promise<void> {
      return new Promise((resolve) => {
        idleWaiters.push(resolve);
        settleIdle();
      });
    },
    /** Does the same for good: nothing is sent any more. */
    close(): void {
      isClosed = true;
      for (const entry of entries.values()) entry.abandon();
    },
  };
}

const keyOf = (branch: string, method: string) => `${branch} ${method}`;

function acknowledge(request: SipRequest, response: ReceivedResponse): SipRequest {
  return sibling(request, 'ACK', headerOf(response, 'to') ?? '');
}

/** A request about this one, over the same route: ACK or CANCEL. */
function sibling(request: SipRequest, method: 'ACK' | 'CANCEL', to: string): SipRequest {
  const same = (name: string): SipHeader[] => headersOf(request, name).map((value) => ({ name, value }));
  const number = Number.parseInt(headerOf(request, 'cseq') ?? '0', 10);
  return createRequest({
    method,
    uri: request.uri,
    headers: [
      ...same('via').slice(0, 1),
      ...same('route'),
      ...same('max-forwards'),
      ...same('from'),
      { name: 'to', value: to },
      ...same('call-id'),
      { name: 'cseq', value: `${number} ${method}` },
    ],
  });
}
