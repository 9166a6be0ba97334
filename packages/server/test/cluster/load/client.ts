import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCodes } from '@svc/contract/errors';
import { type ReadEvent, readStream } from '../../support/faults/reader.ts';
import type { History } from '../history.ts';

export interface Reply {
  status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers freely
  body: any;
}

export interface CallOptions {
  key?: string;
  body?: object;
  idempotencyKey?: string;
  /** Error codes that are right for this request, besides those that faults may cause anywhere. */
  expected?: readonly string[];
}

export interface Client {
  key: string;
  /** One attempt. Undefined: the connection broke or nothing came in time, and it is not known what happened. */
  attempt(operation: string, options?: CallOptions): Promise<Reply | undefined>;
  /** Repeats until there is an answer that a repeat would not change. Undefined: the time is over. */
  call(operation: string, options?: CallOptions): Promise<Reply | undefined>;
  /** Reads one connection of a stream until it is over. Resolves to an error that came instead of a stream. */
  read(operation: string, options: StreamOptions): Promise<Reply | undefined>;
  /** The test is being ended because something hangs: nothing is repeated any more. */
  giveUp(): void;
  hasGivenUp(): boolean;
}

export interface StreamOptions extends CallOptions {
  lastEventId: number | undefined;
  /** The client breaks the connection after this time. */
  cutAfterMs?: number | undefined;
  /** The client breaks the connection when no event came for this long. */
  patienceMs?: number | undefined;
  onEvent(event: ReadEvent): void;
  signal?: AbortSignal;
}

const timeoutMs = 12_000;
const repeatAfterMs = 300;
/** What may be answered while nodes, databases and connections fail. */
const duringFaults = ['NOT_READY', 'IDEMPOTENCY_IN_PROGRESS', 'RATE_LIMITED'];
const worthRepeating = [...duringFaults, 'TURN_IN_PROGRESS', 'RUN_IN_PROGRESS'];

export function createClient(history: History, options: { url: string; key: string }): Client {
  let gaveUp = false;

  /** Every error must have the shape of the contract and be one that may occur here. */
  function judge(operation: string, reply: Reply, expected: readonly string[]): void {
    if (reply.status < 400) return;
    const { success, code, message, request_id: requestId } = reply.body ?? {};
    history.count(`answers ${reply.status} ${code}`);
    const known = errorCodes[code as keyof typeof errorCodes];
    const isShaped =
      success === false &&
      typeof message === 'string' &&
      typeof requestId === 'string' &&
      known !== undefined;
    const what = `${operation} was answered ${reply.status} ${code}`;
    if (!isShaped || known.status !== reply.status) {
      history.find({
        what: `${what}, which is not an error of the contract`,
        ids: [],
        detail: JSON.stringify(reply.body),
      });
    } else if (!duringFaults.includes(code) && !expected.includes(code)) {
      history.find({ what: `${what}, which must not happen`, ids: [requestId], detail: message });
    }
  }

  const client: Client = {
    key: options.key,
    async attempt(operation, { key = options.key, body, idempotencyKey, expected = [] } = {}) {
      const [method = 'GET', path = '/'] = operation.split(' ');
      const text = body === undefined ? '' : JSON.stringify(body);
      const reply = await new Promise<Reply | undefined>((resolve) => {
        const outgoing = request(
          options.url + path,
          {
            method,
            agent: false,
            timeout: timeoutMs,
            headers: {
              authorization: `Bearer ${key}`,
              ...(body && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
              ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
            },
          },
          (incoming) => {
            const chunks: Buffer[] = [];
            incoming.on('data', (chunk: Buffer) => void chunks.push(chunk));
            incoming.on('error', () => resolve(undefined));
            incoming.on('close', () => {
              if (!incoming.complete) return resolve(undefined);
              resolve({ status: incoming.statusCode ?? 0, body: parse(Buffer.concat(chunks).toString()) });
            });
          },
        );
        outgoing.on('timeout', () => void outgoing.destroy());
        outgoing.on('error', () => resolve(undefined));
        outgoing.end(text);
      });
      if (reply) judge(operation, reply, expected);
      else history.count('requests that broke');
      return reply;
    },
    async call(operation, given = {}) {
      for (;;) {
        if (gaveUp) return undefined;
        const reply = await client.attempt(operation, given);
        const { expected = [] } = given;
        const isFinal =
          reply && (!worthRepeating.includes(reply.body?.code) || expected.includes(reply.body?.code));
        if (isFinal) return reply;
        await sleep(repeatAfterMs);
      }
    },
    async read(operation, { key = options.key, body, idempotencyKey, ...given }) {
      const opened = readStream(options.url, {
        key,
        operation,
        lastEventId: given.lastEventId,
        headers: idempotencyKey ? { 'idempotency-key': idempotencyKey } : {},
        ...(body && { body }),
        onEvent(event) {
          silence?.refresh();
          given.onEvent(event);
        },
      });
      const cut = () => {
        history.count('streams cut by clients');
        opened.destroy();
      };
      const silence = given.patienceMs === undefined ? undefined : setTimeout(cut, given.patienceMs);
      const cutting = given.cutAfterMs === undefined ? undefined : setTimeout(cut, given.cutAfterMs);
      const abort = () => opened.destroy();
      given.signal?.addEventListener('abort', abort);
      await opened.closed;
      clearTimeout(silence);
      clearTimeout(cutting);
      given.signal?.removeEventListener('abort', abort);
      const status = opened.status();
      if (status === undefined || status < 400) return undefined;
      const reply = { status, body: parse(opened.body()) };
      // A body that was cut off says nothing.
      if (reply.body === undefined) return undefined;
      judge(operation, reply, given.expected ?? []);
      return reply;
    },
    giveUp() {
      gaveUp = true;
    },
    hasGivenUp: () => gaveUp,
  };
  return client;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text || 'null');
  } catch {
    // Not JSON: the caller sees that the shape is wrong.
    return undefined;
  }
}
