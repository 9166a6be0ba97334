/** Failures while connecting. Once connected, it is unknown how much of a request was read. */
const callsBefore = new Set(['connect', 'getaddrinfo']);
const codesBefore =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_\w+|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_\w+|ERR_SSL_\w+|CERT_\w+|DEPTH_ZERO_\w+|SELF_SIGNED_\w+|UNABLE_TO_\w+)$/;
const maxCauses = 5;

/** Whether a request failed before a connection existed: no such host, nothing listening, no secure connection. */
export function isUnreached(error: unknown): boolean {
  let current = error;
  for (let depth = 0; depth < maxCauses && current instanceof Error; depth += 1) {
    const { code, syscall } = current as NodeJS.ErrnoException;
    if (callsBefore.has(syscall ?? '') || codesBefore.test(code ?? '')) return true;
    current = current.cause;
  }
  return false;
}
