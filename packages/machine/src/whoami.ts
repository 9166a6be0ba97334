import { MachineIdentity } from '@svc/contract/machines';
import { Check } from 'typebox/schema';
import type { ServiceAddress } from './connection/service-address.ts';
import { ExplainedError, explain } from './explained-error.ts';
import { escapeText } from './terminal/escape-text.ts';

const timeLimitMs = 15_000;

/** The machine that the key belongs to, as one line. */
export async function whoami(address: ServiceAddress, key: string): Promise<string> {
  const response = await request(address, key);
  if (response.status === 401) {
    throw new ExplainedError('The service does not accept the key. It is wrong, or the machine was revoked.');
  }
  if (response.status >= 300 && response.status < 400) {
    const target = response.headers.get('location') ?? 'another address';
    throw new ExplainedError(`The service redirects to ${target}: give --url that address.`);
  }
  // An answer that is not JSON does not come from a svc service, which is reported below.
  const body: unknown = response.ok ? await response.json().catch(() => undefined) : undefined;
  if (Check(MachineIdentity, body)) return `${escapeText(body.name)} (${body.id})`;
  throw new ExplainedError(
    `${address.url} is not a svc service, or it has a problem (status ${response.status}).`,
  );
}

async function request({ whoami: url, url: shown }: ServiceAddress, key: string): Promise<Response> {
  try {
    return await fetch(url, {
      headers: { authorization: `Bearer ${key}` },
      // The key must not follow a redirect to another host.
      redirect: 'manual',
      signal: AbortSignal.timeout(timeLimitMs),
    });
  } catch (error) {
    throw new ExplainedError(`${shown} cannot be reached (${explain(error)}).`);
  }
}
