import type { ErrorCode } from '@svc/contract/errors';

export type ModelErrorCode = Extract<
  ErrorCode,
  'MODEL_UNAVAILABLE' | 'MODEL_RATE_LIMITED' | 'MODEL_REJECTED' | 'CONTEXT_TOO_LONG'
>;

/** A provider's error response. Without a status, the failure was inside a stream. */
export interface ProviderFailure {
  status?: number | undefined;
  body: string;
  headers?: Readonly<Record<string, string | string[] | undefined>> | undefined;
}

const tooLong =
  /context_length_exceeded|request_too_large|context length|context window|prompt is too long|input is too long|too many (?:input )?tokens|input token count|maximum number of tokens|exceeds? the (?:available|maximum) context/i;
const quotaUsedUp = /insufficient_quota|billing_hard_limit|credit balance is too low|billing_error/i;
const contentRefused = /content_filter|content_policy|"?invalid_prompt"?|safety|PROHIBITED_CONTENT/i;
const limited = /rate_limit|rate limit|RESOURCE_EXHAUSTED|too many requests/i;
const refusedInStream = /invalid_request|authentication|permission|not_found|INVALID_ARGUMENT/i;

interface Classified {
  code: ModelErrorCode;
  sentence: string;
  isBadRequest?: boolean;
}

/** The provider's message determines the code but is never passed on: the sentence is ours. */
export function classifyFailure(
  { provider, modelName }: { provider: string; modelName: string },
  failure: ProviderFailure,
): Classified {
  const who = `The model provider ${provider}`;
  const { status, body } = failure;
  const refused = status === undefined ? refusedInStream.test(body) : status >= 300 && status < 500;
  if (tooLong.test(body) && (refused || status === undefined)) {
    return {
      code: 'CONTEXT_TOO_LONG',
      sentence: "The conversation is longer than the model's context window.",
    };
  }
  if (quotaUsedUp.test(body)) {
    return { code: 'MODEL_REJECTED', sentence: `${who} reports that its quota or credit is used up.` };
  }
  if (status === 429 || (status === undefined && limited.test(body))) {
    return { code: 'MODEL_RATE_LIMITED', sentence: `${who} is limiting requests.` };
  }
  if (status === 401 || status === 403) {
    return { code: 'MODEL_REJECTED', sentence: `${who} did not accept the API key for this model.` };
  }
  if (status === 404) {
    return { code: 'MODEL_REJECTED', sentence: `${who} does not know the model ${modelName}.` };
  }
  if (status === 408 || status === 409 || !refused) {
    return { code: 'MODEL_UNAVAILABLE', sentence: `${who} failed${status ? ` with status ${status}` : ''}.` };
  }
  if (contentRefused.test(body)) {
    return { code: 'MODEL_REJECTED', sentence: `${who} refused the content of the request.` };
  }
  return {
    code: 'MODEL_REJECTED',
    sentence: `${who} refused the request${status ? ` with status ${status}` : ''}.`,
    isBadRequest: status === 400 || status === 422,
  };
}
