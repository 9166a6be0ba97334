const maxAnswerLength = 300;

const sentences: Record<string, string> = {
  EAUTH: 'The mail server did not accept the user name and password.',
  ENOAUTH: 'The mail server wants a user name and password.',
  ETLS: 'No encrypted connection to the mail server could be made.',
  ETIMEDOUT: 'The mail server did not answer in time.',
  ESOCKET: 'The connection to the mail server was lost.',
  ECONNECTION: 'The connection to the mail server was lost.',
  EDNS: 'The mail server could not be found.',
};

/** What went wrong, in one sentence; undefined when it was not the mail server's fault. */
export function explainFailure(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  // Messages of the guarded lane are safe to show.
  if (error.name === 'EgressRefused' || error.name === 'EgressFailed') return error.message;
  const { code, response } = error as { code?: unknown; response?: unknown };
  if (typeof code !== 'string') return undefined;
  const known = Object.hasOwn(sentences, code) ? sentences[code] : undefined;
  if (known) return known;
  if (typeof response !== 'string') return code.startsWith('E') ? 'The mail could not be sent.' : undefined;
  return `The mail server refused the mail: ${response.replaceAll(/\s+/g, ' ').slice(0, maxAnswerLength)}`;
}
