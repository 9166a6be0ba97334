import { randomBytes } from 'node:crypto';
import { type ResponseParts, replyAddress, respondTo } from '../message/respond.ts';
import { type Peer, type ReceivedRequest, type SipResponse } from '../message/sip-message.ts';
import { type SipTimers, transactionMs } from '../sip-timers.ts';
import { type Retransmission, retransmit } from './retransmission.ts';

/** A request of a peer, before or after our response. */
export interface ServerTransaction {
  /** The same when the request is sent again, even to another process; each branch of a call that is forked has its own. */
  readonly key: string;
  readonly request: ReceivedRequest;
  readonly source: Peer;
  /** The tag of our side, for a dialog that this request begins. */
  readonly tag: string;
  readonly isAnswered: boolean;
  /** Later responses than the final one are ignored. */
  respond(status: number, parts?: Omit<ResponseParts, 'tag'>): void;
  /** The other side has received our 2xx to its INVITE. */
  acknowledged(): void;
  /** Called if our 2xx is not acknowledged. */
  onUnacknowledged(handler: () => void): void;
}

export interface ServerTransactionsOptions {
  timers: SipTimers;
  /** Responses are sent once, except a 2xx to an INVITE: that has to reach the phone at the other end. */
  isReliable: boolean;
  transmit(response: SipResponse, to: Peer): void;
}

interface Entry {
  transaction: ServerTransaction;
  /** The same request has arrived again. */
  repeat(): void;
  isAccepted(): boolean;
  close(): void;
}

/**
 * Over a connection, requests beyond this number are ignored. Over UDP they may be forged, so the oldest transactions are closed
 * instead: the requests that still need a response are among the newest.
 */
const maxTransactions = 5_000;

export function createServerTransactions({ timers, isReliable, transmit }: ServerTransactionsOptions) {
  const entries = new Map<string, Entry>();
  const merged = new Map<string, string>();

  function open(key: string, request: ReceivedRequest, source: Peer): Entry {
    const isInvite = request.method === 'INVITE';
    const tag = randomBytes(8).toString('hex');
    const target = replyAddress(request, source);
    const mergeKey = mergeKeyOf(request);
    let last: SipResponse | undefined;
    let isAnswered = false;
    let sending: Retransmission | undefined;
    let lifetime: NodeJS.Timeout | undefined;
    let onUnacknowledged: (() => void) | undefined;

    function close(): void {
      sending?.stop();
      clearTimeout(lifetime);
      entries.delete(key);
      if (merged.get(mergeKey) === key) merged.delete(mergeKey);
    }

    function sendLast(): void {
      if (last) transmit(last, target);
    }

    function finish(status: number): void {
      isAnswered = true;
      // Longer than we repeat our response, so that its failure is still reported.
      lifetime = setTimeout(close, transactionMs(timers) + timers.t4);
      lifetime.unref();
      if (!isInvite) return sendLast();
      sending = retransmit({
        timers,
        isOnce: isReliable && status >= 300,
        send: sendLast,
        onTimeout: () => {
          if (status < 300) onUnacknowledged?.();
        },
      });
    }

    const transaction: ServerTransaction = {
      key,
      request,
      source,
      tag,
      get isAnswered() {
        return isAnswered;
      },
      respond(status, parts) {
        if (isAnswered) return;
        last = respondTo(request, status, status === 100 ? parts : { ...parts, tag });
        if (status >= 200) finish(status);
        else sendLast();
      },
      acknowledged: () => sending?.stop(),
      onUnacknowledged: (handler) => {
        onUnacknowledged = handler;
      },
    };
    const isAccepted = () => isAnswered && last !== undefined && last.status < 300;
    return { transaction, repeat: sendLast, isAccepted, close };
  }

  function cancel(request: ReceivedRequest, source: Peer): void {
    const invite = entries.get(keyOf(request, 'INVITE'));
    const status = invite ? 200 : 481;
    transmit(
      respondTo(request, status, { tag: invite?.transaction.tag ?? 'none' }),
      replyAddress(request, source),
    );
    invite?.transaction.respond(487);
  }

  /**
   * The ACK of a refusal belongs to the transaction of its INVITE. That of a 2xx belongs to the dialog, which checks our tag: the
   * branch proves nothing, because the sender of a forged INVITE knows it.
   */
  function acknowledge(request: ReceivedRequest, source: Peer): ServerTransaction | undefined {
    const key = keyOf(request, 'INVITE');
    const invite = entries.get(key);
    if (!invite || invite.isAccepted()) return open(key, request, source).transaction;
    invite.transaction.acknowledged();
    return undefined;
  }

  return {
    /** A new transaction, or `undefined` if the request belongs to one that exists. */
    receive(request: ReceivedRequest, source: Peer): ServerTransaction | undefined {
      if (request.method === 'CANCEL') {
        cancel(request, source);
        return undefined;
      }
      if (request.method === 'ACK') return acknowledge(request, source);
      const key = keyOf(request, request.method);
      const existing = entries.get(key);
      existing?.repeat();
      if (existing) return undefined;
      if (entries.size >= maxTransactions) {
        if (isReliable) return undefined;
        const [oldest] = entries.values();
        oldest?.close();
      }
      const entry = open(key, request, source);
      entries.set(key, entry);
      if (request.to.parameters.has('tag')) return entry.transaction;
      const mergeKey = mergeKeyOf(request);
      if (!merged.has(mergeKey)) {
        merged.set(mergeKey, key);
        return entry.transaction;
      }
      // The same request has reached us over two routes: only the first gets a real answer.
      entry.transaction.respond(482);
      return undefined;
    },
    close(): void {
      for (const entry of entries.values()) entry.close();
    },
  };
}

/** Which request a repetition, an ACK or a CANCEL belongs to. Old peers send no branch that is unique. */
function keyOf({ via, callId, cseq, from }: ReceivedRequest, method: string): string {
  const branch = via.parameters.get('branch') ?? '';
  const sentBy = `${via.host}:${via.port ?? 5060}`;
  if (/^z9hG4bK./.test(branch)) return JSON.stringify([branch, sentBy, method]);
  return JSON.stringify([branch, sentBy, callId, cseq.number, from.parameters.get('tag'), method]);
}

function mergeKeyOf({ callId, cseq, from }: ReceivedRequest): string {
  return JSON.stringify([callId, cseq.number, cseq.method, from.parameters.get('tag')]);
}
