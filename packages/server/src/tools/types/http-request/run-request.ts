import { EgressFailed, EgressRefused } from '../../../egress/egress-error.ts';
import type { GuardedLane, GuardedResponse } from '../../../egress/guarded-lane.ts';
import { failed } from '../../tool-result.ts';
import type { ConfiguredTool, ResolvedRequest, ToolResult } from '../../tool-type.ts';
import { boundText } from '../shared/bound-text.ts';
import { parseJsonPath, readJsonPath } from '../shared/json-path.ts';
import { createRedactor, type Redactor } from '../shared/redactor.ts';
import { mediaTypeOf, textOf } from '../shared/response-text.ts';
import { type Authorization, authorize, secretsOf } from './authorize.ts';
import { type BuiltRequest, buildRequest } from './build-request.ts';
import type { HttpRequestConfiguration } from './http-configuration.ts';
import type { OAuthTokens } from './oauth-tokens.ts';
import { prepareArguments } from './prepare-arguments.ts';
import type { Given } from './request-template.ts';
import { UnfitParameter } from './unfit-parameter.ts';

export interface RequestRun {
  tool: ConfiguredTool;
  configuration: HttpRequestConfiguration;
  given: Given;
  callId: string | undefined;
  lane: GuardedLane;
  tokens: OAuthTokens;
  signal: AbortSignal;
}

const maxResponseBytes = 2 * 1024 * 1024;

/** Builds, authorizes and sends one request. Failures of the remote side are results. */
export async function runRequest(run: RequestRun): Promise<ToolResult> {
  const { configuration, given } = run;
  let redactor = createRedactor(secretsOf(configuration));
  let resolvedRequest: ResolvedRequest | undefined;
  try {
    const complete = await prepareArguments(
      configuration.parameters,
      given,
      run.tool.workspaceId,
      run.signal,
    );
    const built = recognisable(buildRequest(configuration, complete), run.callId);
    const attempt = async () => {
      const authorization = await authorize(run.tool, configuration, run.tokens, run.signal);
      redactor = createRedactor([...secretsOf(configuration), ...authorization.secrets]);
      resolvedRequest = describe(built, authorization, redactor);
      return { authorization, answer: await send(run, built, authorization) };
    };
    resolvedRequest = describe(built, { headers: {}, secrets: [] }, redactor);
    let { authorization, answer } = await attempt();
    if (answer.status === 401 && authorization.forget) {
      // Servers may revoke a token early, so the request is retried once with a new one.
      authorization.forget();
      ({ authorization, answer } = await attempt());
    }
    return { ...readAnswer(answer, configuration.response_path, redactor), resolvedRequest };
  } catch (error) {
    run.signal.throwIfAborted();
    const known =
      error instanceof EgressRefused || error instanceof EgressFailed || error instanceof UnfitParameter;
    if (!known) throw error;
    return { ...failed(redactor.text(error.message)), ...(resolvedRequest && { resolvedRequest }) };
  }
}

const methodsThatRead = new Set(['GET', 'HEAD']);

/** A request that may change something carries an idempotency key, unless one is configured. */
function recognisable(request: BuiltRequest, callId: string | undefined): BuiltRequest {
  if (callId === undefined || methodsThatRead.has(request.method)) return request;
  return { ...request, headers: { 'idempotency-key': callId, ...request.headers } };
}

function send(
  { configuration, lane, signal }: RequestRun,
  { method, url, headers, body }: BuiltRequest,
  authorization: Authorization,
): Promise<GuardedResponse> {
  return lane.request({
    url,
    method,
    headers: { ...headers, ...authorization.headers },
    body,
    signal,
    timeoutMs: configuration.timeout_ms,
    maxResponseBytes: maxResponseBytes,
    // Any configured value may be a secret, whatever its name and place.
    secretHeaders: [...Object.keys(configuration.headers), ...Object.keys(authorization.headers)],
    isBodySecret: true,
  });
}

/** Authentication headers are masked whole, because a secret may be too short to be searched for. */
function describe(
  { method, url, headers, body }: BuiltRequest,
  authorization: Authorization,
  redactor: Redactor,
): ResolvedRequest {
  const masked = Object.entries(authorization.headers).map(([name, value]) => {
    const scheme = /^(Bearer|Basic) /.exec(value)?.[0] ?? '';
    return [name, name === 'authorization' ? `${scheme}***` : '***'] as const;
  });
  const shown = Object.entries(headers).map(([name, value]) => [name, redactor.text(value)] as const);
  return {
    method,
    url: redactor.text(url.href),
    headers: Object.fromEntries([...shown, ...masked]),
    body: body === undefined ? null : redactor.text(body),
  };
}

const maxBytes = 64 * 1024;
const maxErrorBytes = 4 * 1024;

/** What the model and the trace get of a response: bounded, and without secrets that a server may echo. */
function readAnswer(
  answer: GuardedResponse,
  responsePath: string | undefined,
  redactor: Redactor,
): ToolResult {
  const { status } = answer;
  const isFine = status >= 200 && status < 300;
  const { value, note } = valueOf(answer, isFine ? responsePath : undefined);
  const clean = redactor.json(value);
  const whole = typeof clean === 'string' ? clean : JSON.stringify(clean);
  const { text, cut } = boundText(whole, isFine ? maxBytes : maxErrorBytes);
  const notes = [
    note,
    cut || answer.truncated ? 'The answer is longer than this: the rest is left out.' : '',
  ];
  const parts = [isFine ? `Status: ${status}` : `The server answered with status ${status}.`, text, ...notes];
  return {
    status: isFine ? 'ok' : 'error',
    content: parts.filter(Boolean).join('\n\n'),
    result: {
      status,
      body: cut ? text : (clean ?? null),
      ...((cut || answer.truncated) && { truncated: true }),
    },
  };
}

function valueOf({ body, headers, truncated }: GuardedResponse, responsePath: string | undefined) {
  if (body.length === 0) return { value: '', note: 'The answer has no body.' };
  const contentType = headers['content-type'];
  const text = textOf(body, contentType);
  if (text === undefined) {
    const size = `${body.length}${truncated ? ' or more' : ''} bytes`;
    return {
      value: '',
      note: `The answer is ${mediaTypeOf(contentType)} (${size}), not text: it is not shown.`,
    };
  }
  const json = parseJson(text);
  if (json === undefined) {
    return {
      value: text,
      ...(responsePath && { note: 'The answer is not JSON, so it is shown as it came.' }),
    };
  }
  const steps = responsePath === undefined ? [] : (parseJsonPath(responsePath) ?? []);
  const found = readJsonPath(json.value, steps);
  if (found !== undefined) return { value: found };
  return { value: json.value, note: `The answer has nothing at ${responsePath}, so all of it is shown.` };
}

function parseJson(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    // Many servers declare JSON and send something else, which is shown as text.
    return undefined;
  }
}
