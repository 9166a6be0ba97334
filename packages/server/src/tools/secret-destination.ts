import { invalid } from '../lib/app-error.ts';
import type { splitSecrets } from './secrets.ts';
import type { Configuration, ToolType } from './tool-type.ts';

/**
 * Where a tool's secrets are sent. A person who may change a tool must not be able to send its stored secrets elsewhere. Tools of
 * one API differ by their path, so only the origin of an HTTP request's `url` counts. Token endpoints and MCP servers get a POST
 * that nobody is asked about, so their whole address does.
 */
function destinationOf({ type }: ToolType, { url, oauth_token_url: tokenUrl, host }: Configuration): string {
  const address = type === 'http_request' ? URL.parse(String(url))?.origin : url;
  return [address, tokenUrl, host].join(' ');
}

/** A stored secret was given for one address; for another it must be sent again. */
export function checkSecretsStay(
  type: ToolType,
  before: Configuration,
  { open, secrets }: ReturnType<typeof splitSecrets>,
  stored: string[],
): void {
  if (destinationOf(type, before) === destinationOf(type, open)) return;
  const kept = stored.find((field) => !(field in secrets.set) && !secrets.cleared.includes(field));
  if (kept) throw invalid(`configuration.${kept}`, 'must be sent again when the address changes');
}
