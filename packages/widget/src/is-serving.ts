/**
 * Browsers do not tell an outage from a page that is not allowed. But every page may read the service's files, so if those arrive,
 * requests that fail are refused.
 */
export async function isServing(service: string, fetcher: typeof fetch): Promise<boolean> {
  try {
    return (await fetcher(`${service}/widget.js`, { cache: 'no-store', method: 'HEAD' })).ok;
  } catch {
    // It is an outage.
    return false;
  }
}
