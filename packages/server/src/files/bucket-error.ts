/**
 * `missing`: there is no such object; `refused`: the bucket has answered, and will not do it; `unreached`: anything that may pass.
 * Its message is for the operator. It has no cause, because those of the library contain whole requests.
 */
export class BucketError extends Error {
  override readonly name = 'BucketError';
  readonly kind: 'missing' | 'refused' | 'unreached';

  constructor(kind: BucketError['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

interface ServiceError extends Error {
  $metadata?: { httpStatusCode?: number };
  code?: string;
}

/** Failures that no answer has caused, and that do not pass by themselves. */
const misconfigured = /^(CredentialsProviderError|TokenProviderError)$|^Region is missing/;

/** Our own limits, or those of the library. */
const timedOut = /^(AbortError|TimeoutError)$/;

export function toBucketError(error: unknown): BucketError {
  if (error instanceof BucketError) return error;
  const { name, message, code, $metadata } = error as ServiceError;
  const status = $metadata?.httpStatusCode;
  if (status === undefined) {
    if (timedOut.test(name) || message === 'aborted')
      return new BucketError('unreached', 'It did not answer in time.');
    const isLasting = misconfigured.test(name) || misconfigured.test(message);
    // A failure at several addresses has no message of its own.
    return new BucketError(isLasting ? 'refused' : 'unreached', message || (code ?? name));
  }
  const text = `${name} (status ${status})${message && message !== name ? `: ${message}` : ''}`;
  if (name === 'NoSuchKey') return new BucketError('missing', text);
  const mayPass = status >= 500 || status === 408 || status === 429 || status < 300;
  return new BucketError(mayPass ? 'unreached' : 'refused', text);
}
