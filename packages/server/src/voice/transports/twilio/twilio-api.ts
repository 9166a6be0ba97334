import type { TwilioConfig } from '../../../config/voice-config.ts';
import type { Services } from '../../../services.ts';

/** What Twilio answered instead of doing it. The message has no secrets. */
export class TwilioError extends Error {
  override readonly name = 'TwilioError';
  /** 0 if there was no answer. */
  readonly status: number;

  constructor(status: number, message: string, cause?: unknown) {
    super(message, { cause });
    this.status = status;
  }
}

export type TwilioApi = ReturnType<typeof createTwilioApi>;

interface ApiRequest {
  method?: 'POST';
  headers?: Record<string, string>;
  body?: string;
}

const officialUrl = 'https://api.twilio.com';
const maxResponseBytes = 512 * 1024;
const maxMessageCharacters = 300;

export interface TwilioApiOptions extends Pick<Services, 'lane'> {
  config: TwilioConfig;
  timeoutMilliseconds?: number;
}

/** Twilio's REST interface. Paths are below the account, and `.json` is added. Requests reject with TwilioError only. */
export function createTwilioApi({ config, lane, timeoutMilliseconds = 10_000 }: TwilioApiOptions) {
  const { accountSid, authToken, baseUrl = officialUrl } = config;
  const account = `${baseUrl.replace(/\/+$/, '')}/2010-04-01/Accounts/${accountSid}`;
  const authorization = `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`;

  async function send(url: string, init: ApiRequest): Promise<unknown> {
    const signal = AbortSignal.timeout(timeoutMilliseconds);
    try {
      const headers = { authorization, accept: 'application/json', ...init.headers };
      const response = await lane.fetch(url, { ...init, headers, signal });
      const body = parse(await readText(response));
      if (response.ok) return body;
      throw new TwilioError(response.status, explain(response.status, body, authToken));
    } catch (error) {
      if (error instanceof TwilioError) throw error;
      const message = signal.aborted
        ? `Twilio did not respond within ${timeoutMilliseconds / 1_000} seconds.`
        : 'Twilio could not be reached.';
      throw new TwilioError(0, message, error);
    }
  }

  return {
    post(path: string, form: Record<string, string | readonly string[]>): Promise<unknown> {
      const pairs = Object.entries(form).flatMap(([name, value]) =>
        [value].flat().map((one): [string, string] => [name, one]),
      );
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const body = new URLSearchParams(pairs).toString();
      return send(`${account}/${path}.json`, { method: 'POST', headers, body });
    },
    get: (path: string, query: Record<string, string>): Promise<unknown> =>
      send(`${account}/${path}.json?${new URLSearchParams(query).toString()}`, {}),
  };
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    // Leaving the loop cancels the rest.
    if (size > maxResponseBytes) throw new TwilioError(response.status, 'Twilio responded with too much.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Proxies answer with pages of their own; the status says enough.
  }
}

function explain(status: number, body: unknown, authToken: string): string {
  if (status === 401 || status === 403)
    return `Twilio does not accept the credentials of this service (status ${status}).`;
  const { message, code } = (body ?? {}) as { message?: unknown; code?: unknown };
  if (status >= 500 || typeof message !== 'string' || message === '')
    return `Twilio failed with status ${status}.`;
  const text = message.replaceAll(authToken, '***').replaceAll(/\p{Cc}+/gu, ' ');
  const number = typeof code === 'number' ? ` (error ${code})` : '';
  return `Twilio refused: ${text.slice(0, maxMessageCharacters)}${number}`;
}
