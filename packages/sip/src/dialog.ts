import { parseNameAddress, parseUri } from './message/sip-addresses.ts';
import {
  createRequest,
  headerOf,
  headersOf,
  listOf,
  type Peer,
  type ReceivedRequest,
  type ReceivedResponse,
  type SipHeader,
  type SipRequest,
} from './message/sip-message.ts';
import { literalPeer, type Peers } from './peers.ts';
import type { SendRequest } from './send-request.ts';
import type { ResponseHandlers } from './transactions/client-transactions.ts';

/** The relation of two phones during a call (RFC 3261, section 12). */
export type Dialog = ReturnType<typeof createDialog>;

interface RequestParts {
  headers?: SipHeader[];
  body?: Buffer;
  limitMs?: number;
}

export interface DialogState {
  callId: string;
  localTag: string;
  remoteTag: string;
  /** From and To of our requests, with tags. */
  local: string;
  remote: string;
  /** The address in the other side's Contact. */
  target: string;
  routes: string[];
  localCSeq: number;
  remoteCSeq: number | undefined;
}

/** What another process needs to end a call, as JSON. */
export interface StoredDialog {
  state: DialogState;
  destination: Peer;
}

export interface DialogDependencies {
  send: SendRequest;
  /** Sends an ACK, which has no response. */
  transmit(request: SipRequest, to: Peer): void;
  peers: Pick<Peers, 'locate' | 'isTrunk' | 'isTrunkUri' | 'hasConnection'>;
}

export const dialogKey = (callId: string, localTag: string) => JSON.stringify([callId, localTag]);

/** Of an INVITE that we were sent. */
export function dialogOfRequest(request: ReceivedRequest, localTag: string): DialogState {
  return {
    callId: request.callId,
    localTag,
    remoteTag: request.from.parameters.get('tag') ?? '',
    local: `${headerOf(request, 'to') ?? ''};tag=${localTag}`,
    remote: headerOf(request, 'from') ?? '',
    target: targetOf(request) ?? request.from.uri,
    routes: listOf(request, 'record-route'),
    localCSeq: 0,
    remoteCSeq: request.cseq.number,
  };
}

/** Of an INVITE that we sent and the 2xx that it got. */
export function dialogOfResponse(invite: SipRequest, response: ReceivedResponse): DialogState {
  return {
    callId: response.callId,
    localTag: response.from.parameters.get('tag') ?? '',
    remoteTag: response.to.parameters.get('tag') ?? '',
    local: headerOf(invite, 'from') ?? '',
    remote: headerOf(response, 'to') ?? '',
    target: targetOf(response) ?? invite.uri,
    routes: listOf(response, 'record-route').toReversed(),
    localCSeq: response.cseq.number,
    remoteCSeq: undefined,
  };
}

function targetOf(message: ReceivedRequest | ReceivedResponse): string | undefined {
  return parseNameAddress(listOf(message, 'contact')[0] ?? '')?.uri;
}

/** `source` is where the dialog's first message came from. It may be forged. */
export function createDialog(initial: DialogState, source: Peer, dependencies: DialogDependencies) {
  const { send, transmit, peers } = dependencies;
  const { callId, localTag, remoteTag, local, remote, routes } = initial;
  let { target, localCSeq, remoteCSeq } = initial;
  let destination = source;
  let lookups = 0;
  let isConfirmed = false;

  function findDestination(): void {
    if (!isConfirmed || peers.hasConnection) return;
    const next = parseUri(parseNameAddress(routes[0] ?? '')?.uri ?? target);
    if (!next) return;
    lookups += 1;
    const own = lookups;
    const literal = literalPeer(next.host, next.port);
    if (literal) {
      destination = literal;
      return;
    }
    void lookUp(next.host, next.port, own);
  }

  /** If the name cannot be resolved, the destination stays. */
  async function lookUp(host: string, port: number | undefined, own: number): Promise<void> {
    const found = await peers.locate(host, port);
    if (found && own === lookups) destination = found;
  }

  /** A first hop without loose routing gets the request at its own URI. */
  function way(): { uri: string; routes: string[] } {
    const [first, ...others] = routes;
    const hop = first === undefined ? undefined : parseNameAddress(first)?.uri;
    if (hop === undefined || parseUri(hop)?.parameters.has('lr')) return { uri: target, routes };
    return { uri: hop, routes: [...others, `<${target}>`] };
  }

  return {
    /** By which requests of the other side find it: its Call-ID and our tag. */
    key: dialogKey(callId, localTag),
    /** Where our requests go: to where its first message came from, until the dialog is confirmed. */
    get destination(): Peer {
      return destination;
    },
    get stored(): StoredDialog {
      return { state: { ...initial, target, localCSeq, remoteCSeq }, destination };
    },
    /** The other side has proved that it receives what we send: from now on our requests go to the address in its Contact. */
    confirm(): void {
      if (isConfirmed) return;
      isConfirmed = true;
      findDestination();
    },
    request(method: string, parts: RequestParts, handlers: ResponseHandlers): void {
      send(
        {
          ...way(),
          ...parts,
          method,
          isInDialog: true,
          destination,
          from: local,
          to: remote,
          callId,
          nextCSeq: () => (localCSeq += 1),
        },
        handlers,
      );
    },
    /** Acknowledges a 2xx to this INVITE of ours. */
    acknowledge(invite: SipRequest, body?: Buffer): void {
      const { uri, routes: ownRoutes } = way();
      const number = Number.parseInt(headerOf(invite, 'cseq') ?? '0', 10);
      const via = (headerOf(invite, 'via') ?? '').replace(/branch=[^;]+/, (branch) => `${branch}ack`);
      const isForTrunk = peers.isTrunk(destination) && [uri, ...ownRoutes].every(peers.isTrunkUri);
      const names = isForTrunk ? ['authorization', 'proxy-authorization'] : [];
      const proofs = names.flatMap((name) => headersOf(invite, name).map((value) => ({ name, value })));
      const headers = [
        { name: 'via', value: via },
        ...ownRoutes.map((value) => ({ name: 'route', value })),
        { name: 'max-forwards', value: '70' },
        { name: 'from', value: local },
        { name: 'to', value: remote },
        { name: 'call-id', value: callId },
        { name: 'cseq', value: `${number} ACK` },
        ...proofs,
        ...(body ? [{ name: 'content-type', value: 'application/sdp' }] : []),
      ];
      transmit(createRequest({ method: 'ACK', uri, headers, body }), destination);
    },
    /** Whether the request belongs to this dialog and is newer than earlier ones. If so, adopts the address in its Contact. */
    accepts(request: ReceivedRequest): boolean {
      if (request.from.parameters.get('tag') !== remoteTag && remoteTag !== '') return false;
      if (request.method === 'ACK') return true;
      if (remoteCSeq !== undefined && request.cseq.number < remoteCSeq) return false;
      remoteCSeq = request.cseq.number;
      const moved = /^(INVITE|UPDATE)$/.test(request.method) ? targetOf(request) : undefined;
      if (moved !== undefined && moved !== target) {
        target = moved;
        findDestination();
      }
      return true;
    },
  };
}
