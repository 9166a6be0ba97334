import { AsyncLocalStorage } from 'node:async_hooks';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  StreamableHTTPClientTransport,
  StreamableHTTPError,
} from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  ElicitRequestSchema,
  type ElicitResult,
  ResultSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { orAbort } from '../../../egress/or-abort.ts';
import type { Log } from '../../../lib/log.ts';
import type { ListOptions } from '../../tool-type.ts';
import { callParams } from './call-params.ts';
import { createCallWatch } from './call-watch.ts';
import { createClosingFetch } from './closing-fetch.ts';
import { type Ask, elicit, limitQuestions } from './elicitation.ts';
import { type CallResult, type ListedTool, readCallResult, readTools } from './read-answers.ts';
import { TaskLost } from './task-lost.ts';
import { taskResult } from './task-result.ts';
import { ToolChanged } from './tool-changed.ts';
import { withoutLargeSchema } from './unusable-schema.ts';

export interface McpServer {
  url: string;
  authorization: string | undefined;
}

/** A session with one MCP server: opened when it is first needed, and again when the server has lost it. */
export type McpSession = ReturnType<typeof createMcpSession>;

export interface CallRun {
  signal: AbortSignal;
  callId: string | undefined;
  isExpected(tool: ListedTool): boolean;
  onProgress(text: string): void;
  /** Undefined where nobody can be asked. */
  ask: Ask | undefined;
}

/** A call that the server is working on, or was until lately. */
interface RunningCall {
  ask: Ask | undefined;
  /** Aborts when the call has ended, however it did. */
  over: AbortSignal;
}

/** The call in whose response something arrives. Sessions are shared, and a question must reach the right conversation. */
const currentCall = new AsyncLocalStorage<RunningCall | undefined>();

const listLivesMs = 60_000;
const connectWithinMs = 10_000;
const goodbyeWithinMs = 2_000;
const maxSilenceMs = 60_000;
const maxCallMs = 10 * 60_000;
/** Above all that a call and its questions may take: the watch of the call ends it earlier. */
const maxRequestMs = 24 * 60 * 60_000;
const questionsLateMs = 60_000;
const maxPages = 20;
const maxTools = 500;

interface Connection {
  client: Client;
  transport: StreamableHTTPClientTransport;
}

export interface McpSessionDependencies {
  fetch: typeof globalThis.fetch;
  log: Log;
}

export function createMcpSession({ url, authorization }: McpServer, { fetch, log }: McpSessionDependencies) {
  let current: { client: Client; ready: Promise<Connection> } | undefined;
  let listed: { tools: Promise<ListedTool[]>; at: number } | undefined;
  /** Running calls, and those that ended less than a minute ago, whose questions may still arrive. */
  const recent = new Set<RunningCall>();

  function forget(client: Client): void {
    if (current?.client !== client) return;
    current = undefined;
    listed = undefined;
  }

  /** The next call opens a new session. Those that have begun in this one may still be answered, or find out by themselves. */
  function closeLater(client: Client): void {
    forget(client);
    setTimeout(() => void client.close(), maxSilenceMs).unref();
  }

  function connected(): Promise<Connection> {
    // Outside of any call, because the connection outlives the one that opens it.
    current ??= currentCall.run(undefined, connect);
    return current.ready;
  }

  function connect(): { client: Client; ready: Promise<Connection> } {
    // A server's schemas are not compiled: that would turn its text into our code.
    const jsonSchemaValidator = { getValidator: () => (data: unknown) => ({ valid: true, data }) as never };
    const capabilities = { elicitation: { form: {} } };
    const client = new Client({ name: 'svc', version: '1' }, { jsonSchemaValidator, capabilities });
    client.setRequestHandler(ElicitRequestSchema, async ({ params }): Promise<ElicitResult> => {
      // Without a context it came over the session's own stream, where it is clear only if there was one call lately.
      const call = currentCall.getStore() ?? (recent.size === 1 ? [...recent][0] : undefined);
      const { ask, over } = call ?? {};
      if (!ask || !over || over.aborted) return { action: 'cancel' };
      try {
        return await elicit(params, (question) => ask(question, over));
      } catch (error) {
        // The SDK would send our error to the server.
        if (!over.aborted) log.warn({ err: error }, 'A question of an MCP server was not answered.');
        return { action: 'cancel' };
      }
    });
    const transport = new StreamableHTTPClientTransport(new URL(url), {
      fetch: createClosingFetch(fetch),
      ...(authorization !== undefined && { requestInit: { headers: { authorization } } }),
    });
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
      listed = undefined;
    });
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's only way
    client.onerror = (error) => {
      if (error.message.startsWith('Maximum reconnection attempts')) closeLater(client);
    };
    // oxlint-disable-next-line unicorn/prefer-add-event-listener
    client.onclose = () => forget(client);
    const ready = client.connect(transport, { timeout: connectWithinMs }).then(
      () => ({ client, transport }),
      (error: unknown) => {
        forget(client);
        throw error;
      },
    );
    return { client, ready };
  }

  /** A server that answers "no such session" has done nothing, so only then the request is repeated. */
  async function withClient<Result>(
    signal: AbortSignal,
    work: (connection: Connection) => Promise<Result>,
  ): Promise<Result> {
    const first = await orAbort(connected(), signal);
    try {
      return await work(first);
    } catch (error) {
      if (!isSessionLost(error, first.transport)) throw error;
      closeLater(first.client);
      const second = await orAbort(connected(), signal);
      return work(second);
    }
  }

  async function list(): Promise<ListedTool[]> {
    const offered = new Map<string, ListedTool>();
    let cursor: string | undefined;
    for (let page = 0; page < maxPages && offered.size < maxTools; page += 1) {
      const request = { method: 'tools/list', params: cursor === undefined ? {} : { cursor } } as const;
      const answer = await withClient(AbortSignal.timeout(maxSilenceMs), ({ client }) =>
        client.request(request, ResultSchema, { timeout: connectWithinMs }),
      );
      const { tools: found, nextCursor } = readTools(answer, maxTools);
      for (const tool of found) offered.set(tool.name, await withoutLargeSchema(tool));
      cursor = nextCursor;
      if (cursor === undefined) break;
    }
    return [...offered.values()].slice(0, maxTools);
  }

  /** The server's tools. Cached for a minute, unless `fresh` is set or the server reports a change. */
  function tools(signal: AbortSignal, { fresh = false }: ListOptions = {}): Promise<ListedTool[]> {
    if (fresh || !listed || performance.now() - listed.at > listLivesMs) {
      const asked = { tools: list(), at: performance.now() };
      listed = asked;
      asked.tools.catch(() => {
        if (listed === asked) listed = undefined;
      });
    }
    return orAbort(listed.tools, signal);
  }

  return {
    tools,

    /** Throws ToolChanged, and calls nothing, when the tool is no longer the expected one. */
    async call(
      name: string,
      given: Record<string, unknown>,
      { signal, callId, isExpected, onProgress, ask }: CallRun,
    ): Promise<CallResult> {
      // The SDK never removes its listener from the signal, so it gets one that ends with the call.
      const ending = new AbortController();
      const abort = () => ending.abort(signal.reason);
      signal.addEventListener('abort', abort, { once: true });
      const onTimeout = () => ending.abort('The server did not answer in time.');
      const watch = createCallWatch({ maxSilenceMs, maxCallMs, onTimeout });
      const onLeft = (error: unknown) =>
        // Without the message, because a server may repeat secrets that we sent.
        log.warn(
          { mcp_server: new URL(url).origin, failure: error instanceof Error ? error.name : 'unknown' },
          'A task of an MCP server could not be cancelled, so it may still be carried out.',
        );
      const over = new AbortController();
      const call = {
        ask: ask && limitQuestions((question, until) => watch.whileAsking(() => ask(question, until))),
        over: AbortSignal.any([ending.signal, over.signal]),
      };
      recent.add(call);
      try {
        signal.throwIfAborted();
        const work = async ({ client, transport }: Connection) => {
          // The list belongs to the session: a new session lists the tools before anything is called.
          const offered = await tools(signal);
          const found = offered.find((one) => one.name === name);
          if (!found || found.isTooLarge || !isExpected(found)) throw new ToolChanged();
          const options = {
            signal: ending.signal,
            timeout: maxRequestMs,
            onprogress({ progress, total, message }: Progress) {
              watch.heard();
              onProgress(message ?? (total === undefined ? String(progress) : `${progress} of ${total}`));
            },
          };
          const params = callParams(name, given, callId);
          const task = found.isTask ? { task: { ttl: maxCallMs } } : {};
          const request = { method: 'tools/call', params: { ...params, ...task } } as const;
          const answer = await client.request(request, ResultSchema, options);
          return { client, transport, answer, isTask: found.isTask };
        };
        return await currentCall.run(call, async () => {
          const { client, transport, answer, isTask } = await withClient(signal, work);
          if (!isTask) return readCallResult(answer);
          try {
            const options = { signal: ending.signal, timeout: maxRequestMs };
            return readCallResult(await taskResult(client, answer, { options, watch, onProgress, onLeft }));
          } catch (error) {
            // Not called again: the task exists, and would be carried out twice.
            throw isSessionLost(error, transport) ? new TaskLost() : error;
          }
        });
      } finally {
        // Whatever the call still waits for, such as a person, is over.
        over.abort();
        setTimeout(() => recent.delete(call), questionsLateMs).unref();
        watch.stop();
        signal.removeEventListener('abort', abort);
      }
    },

    /** Notifies the server, if it can be reached, and ends running calls. Safe to repeat. */
    async close(): Promise<void> {
      const open = current;
      if (!open) return;
      const notified = open.ready.then(({ transport }) => transport.terminateSession());
      await orAbort(notified, AbortSignal.timeout(goodbyeWithinMs)).catch(() => undefined);
      await open.client.close();
    },
  };
}

type Progress = { progress: number; total?: number | undefined; message?: string | undefined };

/** The protocol says 404; some servers send 400 with a message about the session. */
function isSessionLost(error: unknown, transport: StreamableHTTPClientTransport): boolean {
  if (!(error instanceof StreamableHTTPError) || transport.sessionId === undefined) return false;
  return error.code === 404 || (error.code === 400 && /session/i.test(error.message));
}
