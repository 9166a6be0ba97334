import { APICallError } from '@ai-sdk/provider';
import { connectionFailed, type ModelIdentity, providerRefused } from '../model-error.ts';

/**
 * The SDK's errors hold the whole request and the provider's answer. Only the status and the redacted answer go on. One
 * that has neither means that the connection failed, or that the stream was no stream.
 */
export function toModelError(identity: ModelIdentity, error: unknown): Error {
  if (!isProviderAnswer(error)) return connectionFailed(identity, error);
  const { statusCode, responseBody, responseHeaders, data } = error;
  return providerRefused(identity, {
    // A 2xx is the SDK's complaint about an answer that it could not read.
    status: statusCode !== undefined && statusCode < 300 ? undefined : statusCode,
    body: responseBody ?? JSON.stringify(data ?? {}),
    headers: responseHeaders,
  });
}

/** An `APICallError` with an answer, or the plain object that stands for an error inside a stream. */
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
