import { toApiError } from './api-error.ts';
import type { Operations } from './api-types.ts';
import { readServerEvents } from './server-events.ts';

export interface ClientOptions {
  /** Where the service is, such as `https://svc.example.com`. */
  baseUrl: string;
  /** An account key. */
  key: string;
  fetch?: typeof fetch;
}

/** The operations that answer with JSON, or with a stream. */
type With<Answer extends 'response' | 'events'> = {
  [Name in keyof Operations]: Operations[Name] extends Record<Answer, unknown> ? Name : never;
}[keyof Operations];
type Input<Name extends keyof Operations> = Omit<Operations[Name], 'response' | 'events'> & {
  signal?: AbortSignal;
};
/** May be left out where nothing is required. */
type Arguments<Name extends keyof Operations> =
  Pick<Input<Name>, 'signal'> extends Input<Name> ? [input?: Input<Name>] : [input: Input<Name>];

/** An event of a stream. Those without an id are previews, which are not stored. */
type Streamed<Event> = Event extends { event: infer Type; data: infer Data }
  ? { id: number | undefined; type: Type; data: Data }
  : never;

interface AnyInput {
  path?: Record<string, string> | undefined;
  query?: object | undefined;
  header?: Record<string, string> | undefined;
  body?: unknown;
  signal?: AbortSignal;
}

/** The service sends at least a comment every 15 seconds, so a connection that is silent this long is dead. */
const silenceMilliseconds = 45_000;

/**
 * Makes requests with an account key. They throw `ApiError` where the service refuses, and what `fetch` throws where it cannot be
 * reached.
 */
export function createClient({ baseUrl, key, fetch = globalThis.fetch }: ClientOptions) {
  async function send(operation: string, accept: string, input: AnyInput): Promise<Response> {
    const { path = {}, query = {}, header, body, signal } = input;
    const [method = '', template = ''] = operation.split(' ');
    const address = template.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(path[name] ?? ''));
    const url = new URL(baseUrl.replace(/\/$/, '') + address);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const isForm = body instanceof FormData;
    const response = await fetch(url, {
      method,
      headers: {
        accept,
        authorization: `Bearer ${key}`,
        ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
        ...header,
      },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
      ...(signal && { signal }),
    });
    if (!response.ok) throw await toApiError(response);
    return response;
  }

  return {
    /** Such as `request('POST /api/v1/bots', { body: { name: 'Support' } })`. */
    async request<Name extends With<'response'>>(
      operation: Name,
      ...[input]: Arguments<Name>
    ): Promise<Extract<Operations[Name], { response: unknown }>['response']> {
      return (await send(operation, 'application/json', { ...input })).json();
    },

    /** The events of a stream, until it ends. It is resumed with the id of its last event as `last-event-id`. */
    async *events<Name extends With<'events'>>(
      operation: Name,
      ...[input]: Arguments<Name>
    ): AsyncGenerator<Streamed<Extract<Operations[Name], { events: unknown }>['events']>> {
      const silence = new AbortController();
      const watch = () =>
        setTimeout(() => silence.abort(new Error('The stream was silent.')), silenceMilliseconds);
      let timer = watch();
      try {
        const signal = AbortSignal.any([silence.signal, ...(input?.signal ? [input.signal] : [])]);
        const { body } = await send(operation, 'text/event-stream', { ...input, signal });
        for await (const batch of readServerEvents<never>(body)) {
          clearTimeout(timer);
          yield* batch;
          timer = watch();
        }
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
