import { randomBytes } from 'node:crypto';
import { answerChallenge, type Challenge, type Credentials, chooseChallenge } from './digest.ts';
import {
  createRequest,
  headersOf,
  type Peer,
  type ReceivedResponse,
  type SipHeader,
  type SipRequest,
} from './message/sip-message.ts';
import type { SipNotices } from './sip-options.ts';
import type { ClientTransactions, ResponseHandlers } from './transactions/client-transactions.ts';

/** A request that can be sent again with another CSeq, when the peer asks us to authenticate. */
export interface RequestDraft {
  method: string;
  uri: string;
  destination: Peer;
  from: string;
  to: string;
  callId: string;
  nextCSeq(): number;
  routes?: string[];
  headers?: SipHeader[];
  body?: Buffer;
  isInDialog?: boolean;
  /** The time for the first response. */
  limitMs?: number;
}

export interface SentRequest {
  /** Cancels an INVITE, as soon as the peer has responded to it provisionally. */
  cancel(): void;
}

export type SendRequest = (draft: RequestDraft, handlers: ResponseHandlers) => SentRequest;

/** Our account at the trunk. A proof of its password can be used to guess it, so only the trunk gets one. */
export interface TrunkAccount {
  credentials: Credentials;
  isTrunk(peer: Peer): boolean;
  isTrunkUri(uri: string): boolean;
  /** What the password is for. If there are none, the realm that the trunk asks for first. */
  realms: readonly string[];
}

/** A nonce may expire once while we use it. */
const maxProofs = 2;

export function createSendRequest(
  transactions: ClientTransactions,
  notices: Pick<SipNotices, 'onForeignRealm'>,
  account?: TrunkAccount,
): SendRequest {
  let learnedRealm: string | undefined;

  /** The trunk forwards challenges of phones behind it, but answers REGISTER itself. */
  function isOwnRealm(realm: string, method: string): boolean {
    if (account && account.realms.length > 0) return account.realms.includes(realm);
    return learnedRealm === undefined || method === 'REGISTER' || realm === learnedRealm;
  }

  /** The trunk forwards other requests as they are, and may forward the challenges of others. */
  function isForTrunk({ destination, uri, routes = [] }: RequestDraft): boolean {
    return account?.isTrunk(destination) === true && [uri, ...routes].every(account.isTrunkUri);
  }

  return (draft, handlers) => {
    let current: ReturnType<ClientTransactions['send']> | undefined;
    let hasProvisional = false;
    let isCancelled = false;

    function attempt(proofs: SipHeader[], proofCount: number): void {
      const transaction = transactions.send(
        write(draft, proofs),
        draft.destination,
        {
          onProvisional(response) {
            hasProvisional = true;
            if (isCancelled) transaction.cancel();
            handlers.onProvisional?.(response);
          },
          onFinal(response, request) {
            const more = response && !isCancelled ? answer(response, proofs, proofCount) : undefined;
            if (more) attempt(more, proofCount + 1);
            else handlers.onFinal(response, request);
          },
        },
        draft.limitMs,
      );
      current = transaction;
      hasProvisional = false;
    }

    /** The proofs that this response asks for, with those it does not ask for again. */
    function answer(
      response: ReceivedResponse,
      proofs: SipHeader[],
      proofCount: number,
    ): SipHeader[] | undefined {
      const [asked, name] =
        response.status === 401
          ? ['www-authenticate', 'authorization']
          : response.status === 407
            ? ['proxy-authenticate', 'proxy-authorization']
            : [];
      if (!asked || !name || !account || !isForTrunk(draft) || proofCount > maxProofs) return undefined;
      const challenge = chooseChallenge(headersOf(response, asked), ({ realm }) => {
        const isOwn = isOwnRealm(realm, draft.method);
        if (!isOwn) notices.onForeignRealm(realm);
        return isOwn;
      });
      const wasRefused = proofs.some((proof) => proof.name === name) && !challenge?.isStale;
      if (!challenge || wasRefused) return undefined;
      if (!draft.isInDialog) learnedRealm = challenge.realm;
      const others = proofs.filter((proof) => proof.name !== name);
      return [...others, { name, value: prove(draft, challenge, account.credentials) }];
    }

    attempt([], 0);
    return {
      cancel() {
        isCancelled = true;
        if (hasProvisional) current?.cancel();
      },
    };
  };
}

function prove({ method, uri }: RequestDraft, challenge: Challenge, credentials: Credentials): string {
  const cnonce = randomBytes(8).toString('hex');
  return answerChallenge({ challenge, credentials, method, uri, cnonce, count: 1 });
}

function write(draft: RequestDraft, proofs: SipHeader[]): SipRequest {
  const { method, uri, from, to, callId, routes = [], headers = [], body } = draft;
  return createRequest({
    method,
    uri,
    body,
    headers: [
      ...routes.map((value) => ({ name: 'route', value })),
      { name: 'max-forwards', value: '70' },
      { name: 'from', value: from },
      { name: 'to', value: to },
      { name: 'call-id', value: callId },
      { name: 'cseq', value: `${draft.nextCSeq()} ${method}` },
      { name: 'user-agent', value: 'svc' },
      ...proofs,
      ...headers,
    ],
  });
}
