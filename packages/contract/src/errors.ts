/** Every error code, with its HTTP status. A code that is not listed here cannot be thrown. */
export const errorCodes = {
  VALIDATION_FAILED: {
    status: 400,
    retryable: false,
    message: 'The request does not match what this endpoint accepts.',
  },
  CALL_FAILED: { status: 400, retryable: false, message: 'The call could not be placed.' },
  CONTEXT_TOO_LONG: {
    status: 400,
    retryable: false,
    message: "The conversation is longer than the model's context window.",
  },
  UNAUTHORIZED: {
    status: 401,
    retryable: false,
    message: 'A valid key is required in the Authorization header.',
  },
  PLAN_LIMIT_REACHED: {
    status: 402,
    retryable: false,
    message: "The workspace's plan allows no more bots.",
  },
  INSUFFICIENT_BALANCE: { status: 402, retryable: false, message: "The workspace's balance is used up." },
  FORBIDDEN: { status: 403, retryable: false, message: 'This key may not do that.' },
  NOT_FOUND: { status: 404, retryable: false, message: 'Nothing was found under that name or id.' },
  METHOD_NOT_ALLOWED: {
    status: 405,
    retryable: false,
    message: 'This path does not support that method; the Allow header lists those it supports.',
  },
  REQUEST_TIMEOUT: { status: 408, retryable: true, message: 'The request took too long to arrive.' },
  RUN_IN_PROGRESS: { status: 409, retryable: true, message: 'This agent is already running.' },
  TURN_IN_PROGRESS: {
    status: 409,
    retryable: true,
    message: 'A turn of this conversation is not finished yet.',
  },
  BRANCH_REFUSED: {
    status: 409,
    retryable: false,
    message: 'Nothing else can be put in the place of this part of the conversation.',
  },
  LEGAL_HOLD: {
    status: 409,
    retryable: false,
    message: 'A legal hold keeps this data: nothing of it can be deleted before the hold is released.',
  },
  ERASURE_IN_PROGRESS: {
    status: 409,
    retryable: true,
    message: 'A person of this workspace is being erased: try again in a moment.',
  },
  BOT_INACTIVE: { status: 409, retryable: false, message: 'This bot is inactive.' },
  BOT_CHANGED: {
    status: 409,
    retryable: false,
    message: 'Somebody has saved this bot since it was read: read it again before you save.',
  },
  LAST_OWNER: {
    status: 409,
    retryable: false,
    message: 'A workspace needs an owner: make another member an owner first.',
  },
  ALREADY_RESOLVED: { status: 409, retryable: false, message: 'This approval was already answered.' },
  MACHINE_OFFLINE: {
    status: 409,
    retryable: true,
    message: 'The machine is not connected: start svc-machine on it, then try again.',
  },
  WORKDIR_UNAVAILABLE: {
    status: 409,
    retryable: false,
    message: "The directory of the bot's coding tool cannot be used on its machine.",
  },
  HOOK_EXISTS: { status: 409, retryable: false, message: 'This bot already has a hook for that tool.' },
  NUMBER_EXISTS: { status: 409, retryable: false, message: 'This phone number is already in use.' },
  VERSION_UNUSABLE: {
    status: 409,
    retryable: false,
    message: 'This version of the bot can no longer be used.',
  },
  EVALUATION_IN_PROGRESS: {
    status: 409,
    retryable: true,
    message: 'An evaluation of this bot is not finished yet.',
  },
  IDEMPOTENCY_MISMATCH: {
    status: 409,
    retryable: false,
    message: 'This Idempotency-Key was already used with another request.',
  },
  IDEMPOTENCY_IN_PROGRESS: {
    status: 409,
    retryable: true,
    message: 'The first request with this Idempotency-Key is still running.',
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    retryable: false,
    message: 'The body is larger than this endpoint accepts.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    retryable: false,
    message: 'This endpoint does not accept a body of that content type.',
  },
  METADATA_INVALID: {
    status: 422,
    retryable: false,
    message: 'Metadata must be an object of string values, at most 8,192 bytes as JSON.',
  },
  NOT_OUTBOUND_CAPABLE: {
    status: 422,
    retryable: false,
    message: 'This number cannot be used to place calls.',
  },
  UPGRADE_REQUIRED: {
    status: 426,
    retryable: false,
    message: 'This path takes WebSocket connections only: connect with a WebSocket client (RFC 6455).',
  },
  RATE_LIMITED: {
    status: 429,
    retryable: true,
    message: 'Too many requests, or too many at the same time: try again after the seconds in Retry-After.',
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    retryable: false,
    message: 'The URL and headers of the request are longer than 16 KB together.',
  },
  MAX_ITERATIONS_REACHED: {
    status: 500,
    retryable: false,
    message: 'The agent used all of its iterations before its goal was reached.',
  },
  INTERNAL: { status: 500, retryable: true, message: 'Something went wrong on our side.' },
  UPSTREAM_FAILED: {
    status: 502,
    retryable: true,
    message: 'A provider that this request needs has failed.',
  },
  MODEL_UNAVAILABLE: {
    status: 502,
    retryable: true,
    message: 'The model provider failed or could not be reached.',
  },
  MODEL_RATE_LIMITED: { status: 502, retryable: true, message: 'The model provider is limiting requests.' },
  MODEL_REJECTED: { status: 502, retryable: false, message: 'The model provider refused the request.' },
  GOAL_CHECK_FAILED: {
    status: 502,
    retryable: true,
    message: 'It could not be checked whether the goal was reached.',
  },
  NO_MODEL_CONFIGURED: { status: 503, retryable: false, message: 'No model provider is configured.' },
  VOICE_DISABLED: { status: 503, retryable: false, message: 'Calls are not set up on this service.' },
  NOT_READY: { status: 503, retryable: true, message: 'The service is not ready yet.' },
  RUN_TIMED_OUT: { status: 504, retryable: true, message: 'The run did not end before its deadline.' },
} as const satisfies Record<string, { status: number; retryable: boolean; message: string }>;

export type ErrorCode = keyof typeof errorCodes;

export interface FieldError {
  path: string;
  message: string;
}
