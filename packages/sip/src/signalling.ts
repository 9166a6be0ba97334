import { parseMessage } from './message/parse-message.ts';
import { replyAddress, respondTo, withSource } from './message/respond.ts';
import { isRequest, type Peer, type SipMessage, writeMessage } from './message/sip-message.ts';
import { createSendRequest, type TrunkAccount } from './send-request.ts';
import type { SipLog, SipNotices } from './sip-options.ts';
import type { SipTimers } from './sip-timers.ts';
import { createClientTransactions } from './transactions/client-transactions.ts';
import { createServerTransactions, type ServerTransaction } from './transactions/server-transactions.ts';

/** What messages are sent and received with. */
export interface SipSocket {
  readonly port: number;
  onMessage(handler: (data: Buffer, source: Peer) => void): void;
  send(data: Buffer, to: Peer): void;
  /** Called when a connection is lost: responses do not arrive over the next one. */
  onLost?(handler: () => void): void;
  close(): void;
}

/** Sends and receives messages on our socket. */
export function createSignalling(options: {
  socket: SipSocket;
  /** Whether nothing that is sent gets lost, as with TLS. */
  isReliable: boolean;
  timers: SipTimers;
  account?: TrunkAccount;
  log: SipLog;
  notices: Pick<SipNotices, 'onForeignRealm'>;
  /** The protocol and our address in Via. */
  sentBy(): string;
  isAllowed(address: string): boolean;
  /** Whether a call's other side is at this address: a phone behind the trunk may send to us directly. */
  isInCall(address: string): boolean;
  onRequest(transaction: ServerTransaction): void;
}) {
  const { socket, timers, isReliable, account, log, notices, sentBy, isAllowed, isInCall, onRequest } =
    options;
  const transmit = (message: SipMessage, to: Peer) => socket.send(writeMessage(message), to);
  const clients = createClientTransactions({ timers, isReliable, sentBy, transmit });
  const servers = createServerTransactions({ timers, isReliable, transmit });

  /** Hosts that are not among our peers can only respond, and send requests about a call that they take part in. */
  function receive(data: Buffer, source: Peer, isPeer: boolean): void {
    const parsed = parseMessage(data);
    if (parsed.problem !== undefined) {
      if (!isPeer) return;
      const request = { headers: withSource(parsed.headers, source) };
      log.debug({ from: source.address, problem: parsed.problem }, 'A malformed SIP message arrived.');
      if (parsed.refusal !== undefined)
        transmit(respondTo(request, parsed.refusal, { tag: 'malformed' }), replyAddress(request, source));
      return;
    }
    const { message } = parsed;
    if (!isRequest(message)) return clients.receive(message);
    if (!isPeer && !message.to.parameters.has('tag')) return;
    const request = { ...message, headers: withSource(message.headers, source) };
    const transaction = servers.receive(request, source);
    if (transaction) onRequest(transaction);
  }

  socket.onMessage((data, source) => {
    // Strangers get no response at all, not even a refusal: scanners look for ports that respond, and a forged sender
    // would get our responses.
    const isPeer = isAllowed(source.address);
    if (!isPeer && !isInCall(source.address) && !clients.expects(source.address)) return;
    try {
      receive(data, source, isPeer);
    } catch (error) {
      log.error({ err: error }, 'A SIP message could not be handled.');
    }
  });

  socket.onLost?.(() => clients.abandon());

  return {
    send: createSendRequest(clients, notices, account),
    transmit,
    /** Resolves when no request of ours waits for a response. */
    idle: (): Promise<void> => clients.idle(),
    close(): void {
      clients.close();
      servers.close();
      socket.close();
    },
  };
}
