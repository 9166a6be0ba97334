/** One fault of a request, at the field that has it. */
export interface ErrorDetail {
  path?: string;
  message?: string;
  [field: string]: unknown;
}

/** What the service answered instead of success, or that it did not answer. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: readonly ErrorDetail[];
  readonly requestId: string | undefined;

  constructor(answer: {
    status: number;
    code: string;
    message: string;
    details?: readonly ErrorDetail[];
    requestId?: string | undefined;
  }) {
    super(answer.message);
    this.name = 'ApiError';
    this.status = answer.status;
    this.code = answer.code;
    this.details = answer.details ?? [];
    this.requestId = answer.requestId;
  }

  /** The service was not reached, so nothing is known about what it did. */
  get isOffline(): boolean {
    return this.status === 0;
  }

  /** What is wrong with the field at this path of the body. */
  at(path: string): string | undefined {
    return this.details.find((detail) => detail.path === path)?.message;
  }
}

export function offlineError(): ApiError {
  return new ApiError({ status: 0, code: 'OFFLINE', message: 'The service cannot be reached.' });
}

/** The body of every error of the service. */
interface ErrorBody {
  code: string;
  message: string;
  details?: ErrorDetail[];
  request_id?: string;
}

export async function toApiError(response: Response): Promise<ApiError> {
  const body = await readBody(response);
  return new ApiError({
    status: response.status,
    code: body?.code ?? 'INTERNAL',
    message: body?.message ?? `The service answered with status ${response.status}.`,
    ...(body?.details && { details: body.details }),
    requestId: body?.request_id ?? response.headers.get('x-request-id') ?? undefined,
  });
}

async function readBody(response: Response): Promise<ErrorBody | undefined> {
  try {
    const body: unknown = await response.json();
    return isErrorBody(body) ? body : undefined;
  } catch {
    // A proxy may answer with a page of its own.
    return undefined;
  }
}

function isErrorBody(body: unknown): body is ErrorBody {
  return typeof body === 'object' && body !== null && 'code' in body && 'message' in body;
}
