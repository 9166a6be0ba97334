/**
 * The guard refused. The message is safe for a user, a model and a trace: it names no address but the host that the caller
 * named.
 */
export class EgressRefused extends Error {
  override readonly name = 'EgressRefused';
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** What the guard objected to, for the metrics. */
export type RefusalReason = 'address' | 'url' | 'redirect' | 'header' | 'method' | 'host';

/** The request was allowed but failed. The message is as safe to show as a refusal's; the cause is for the log only. */
export class EgressFailed extends Error {
  override readonly name = 'EgressFailed';
}

/** A name that leads to an address that is not public: refused, but it must look like a name that does not exist. */
class HiddenRefusal extends EgressFailed {}

/** Why the guard refused a request that ended with this error; undefined if it did not. */
export function refusalReasonOf(error: unknown): RefusalReason | undefined {
  if (error instanceof EgressRefused) return error.reason;
  return error instanceof HiddenRefusal ? 'address' : undefined;
}

/**
 * The same text for a host that does not exist and one that is not public: telling them apart would allow mapping a network.
 */
export function notReachable(host: string): string {
  return `${host} could not be found, or is not a public address; an operator can allow it with SVC_EGRESS_ALLOW.`;
}

/** The same error for a name that does not exist and for one that leads to an address that is not public. */
export function unknownHost(host: string, cause?: unknown): EgressFailed {
  return new EgressFailed(notReachable(host), { cause });
}

/** See `unknownHost`. */
export function hiddenHost(host: string): EgressFailed {
  return new HiddenRefusal(notReachable(host));
}

const sentences: Record<string, string> = {
  ENOTFOUND: 'could not be found',
  EAI_AGAIN: 'could not be looked up',
  ECONNREFUSED: 'refused the connection',
  ECONNRESET: 'closed the connection',
  EPIPE: 'closed the connection',
  UND_ERR_SOCKET: 'closed the connection',
  UND_ERR_CONNECT_TIMEOUT: 'could not be reached in time',
  ABORT_ERR: 'could not be reached in time',
  ETIMEDOUT: 'could not be reached in time',
  EHOSTUNREACH: 'could not be reached',
  ENETUNREACH: 'could not be reached',
  UND_ERR_HEADERS_TIMEOUT: 'did not answer in time',
  UND_ERR_BODY_TIMEOUT: 'stopped in the middle of its answer',
  UND_ERR_HEADERS_OVERFLOW: 'answered with headers that are too long',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'answered with less than it announced',
};

/** Turns a library's error into one of our two; its own text, which holds addresses, stays in the cause. */
export function toEgressError(error: unknown, host: string): EgressRefused | EgressFailed {
  const chain = [...causes(error)];
  const ours = chain.find((link) => link instanceof EgressRefused || link instanceof EgressFailed);
  if (ours) return ours;
  const codes = chain.map(codeOf).filter((code) => code !== undefined);
  return new EgressFailed(`${host} ${sentenceFor(codes)}.`, { cause: error });
}

function sentenceFor(codes: string[]): string {
  const known = codes.find((code) => Object.hasOwn(sentences, code));
  if (known) return sentences[known] ?? '';
  if (codes.some((code) => /CERT|TLS|SSL|^EPROTO$|SIGNATURE/.test(code)))
    return 'has no valid certificate for this name';
  if (codes.some((code) => code.startsWith('HPE_'))) return 'did not answer in HTTP';
  if (codes.some((code) => /^(Z_|ERR__)/.test(code))) return 'answered with a body that cannot be decoded';
  return 'could not be reached';
}

/** Errors wrap each other: fetch wraps its reason, and a connection to several addresses one error for each. */
function* causes(error: unknown, depth = 0): Generator<Error> {
  if (!(error instanceof Error) || depth > 5) return;
  yield error;
  yield* causes(error.cause, depth + 1);
  if (error instanceof AggregateError) for (const inner of error.errors) yield* causes(inner, depth + 1);
}

function codeOf(error: Error): string | undefined {
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
