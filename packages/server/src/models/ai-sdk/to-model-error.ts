import { APICallError } from '@ai-sdk/provider';
import { connectionFailed, type ModelIdentity, providerRefused } from '../model-error.ts';

/**
 * The SDK's errors contain the whole request and the provider's response. Only the status and the redacted response are
 * kept. An error without either means that the connection failed, or that the stream could not be read.
 */
export function toModelError(identity: ModelIdentity, error: unknown): Error {
  if (!isProviderAnswer(error)) return connectionFailed(identity, error);
  const { statusCode, responseBody, responseHeaders, data } = error;
  return providerRefused(identity, {
    // With a 2xx the SDK reports a response that it could not read.
    status: statusCode !== undefined && statusCode < 300 ? undefined : statusCode,
    body: responseBody ?? JSON.stringify(data ?? {}),
    headers: responseHeaders,
  });
}

/** An `APICallError` with a response, or the plain object of an error inside a stream. */
interface ProviderAnswer {
  statusCode?: number;
  responseBody?: string;
  responseHeaders?: Record<string, string>;
  data?: unknown;
}

function isProviderAnswer(error: unknown): error is ProviderAnswer {
  if (APICallError.isInstance(error)) return error.statusCode !== undefined;
  return typeof error === 'object' && error !== null && !(error instanceof Error) && 'data' in error;
}
