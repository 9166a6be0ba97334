import type { GoogleProvider } from '@ai-sdk/google';
import type { Connection } from '../providers/provider.ts';
import { withVersionPath } from './base-url.ts';

/** The SDK's own provider, for replies and embeddings. */
export async function loadGoogle(connection: Connection): Promise<GoogleProvider> {
  // Both are always given: without them the SDK would read the environment itself.
  const { apiKey = '', baseUrl = 'https://generativelanguage.googleapis.com', lane } = connection;
  const { createGoogle } = await import('@ai-sdk/google');
  return createGoogle({ apiKey, baseURL: withVersionPath(baseUrl, '/v1beta'), fetch: lane.fetch });
}
