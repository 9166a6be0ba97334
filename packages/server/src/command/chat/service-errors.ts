interface ErrorBody {
  code: string;
  message: string;
  details?: { path?: string; message?: string }[];
  request_id?: string;
}

/** The service cannot be reached, or the connection broke: a retry may help. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

/** The service answered with an error. The message is the complete line to show. */
export class ServiceRefused extends Error {
  override readonly name = 'ServiceRefused';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** The answers of a proxy while the service restarts, of a starting service, and to a repeat that came too early. */
const temporary = new Set(['HTTP_502', 'HTTP_503', 'HTTP_504', 'NOT_READY', 'IDEMPOTENCY_IN_PROGRESS']);

export function isTemporary(error: unknown): boolean {
  return error instanceof ConnectionLost || (error instanceof ServiceRefused && temporary.has(error.code));
}

/** One line: what is wrong, its code, and the request id for the operator. */
export function describeError({ code, message, details, request_id: requestId }: ErrorBody): string {
  const fields = (details ?? []).flatMap(({ path, message: rule }) =>
    path && rule ? `${path} ${rule}` : [],
  );
  const sentence = [message, ...fields].join(' ');
  return `${sentence} (${[code, requestId && `request ${requestId}`].filter(Boolean).join(', ')})`;
}

export async function toServiceRefused(url: string, response: Response): Promise<ServiceRefused> {
  const { status } = response;
  const location = response.headers.get('location');
  const body = await response.text();
  if (status >= 300 && status < 400) {
    const origin = URL.parse(location ?? '', url)?.origin ?? '…';
    return new ServiceRefused('REDIRECTED', `${url} leads elsewhere: give --url ${origin} instead.`);
  }
  const error = parseErrorBody(body);
  if (error) return new ServiceRefused(error.code, describeError(error));
  return notTheService(url, status);
}

export function notTheService(url: string, status: number): ServiceRefused {
  return new ServiceRefused(
    `HTTP_${status}`,
    `${url} answers with status ${status}, but not as the service does.`,
  );
}

function parseErrorBody(text: string): ErrorBody | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return isErrorBody(body) ? body : undefined;
  } catch {
    return undefined; // Probably the page of a proxy.
  }
}

function isErrorBody(body: unknown): body is ErrorBody {
  if (typeof body !== 'object' || body === null) return false;
  return 'code' in body && typeof body.code === 'string' && 'message' in body;
}

export function unreachable(url: string, error: unknown): ConnectionLost {
  return new ConnectionLost(
    `The service cannot be reached at ${url} (${deepestReason(error)}). Is it running?`,
  );
}

/** The innermost error has the system's code; the outer ones only say "fetch failed". */
function deepestReason(error: unknown): string {
  let current = error;
  while (current instanceof Error && current.cause instanceof Error) current = current.cause;
  if (!(current instanceof Error)) return 'unknown failure';
  return current.message || ((current as NodeJS.ErrnoException).code ?? current.name);
}
