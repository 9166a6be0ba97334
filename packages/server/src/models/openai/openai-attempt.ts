import type { LaneResponse, TrustedLane } from '../../egress/trusted-lane.ts';
import type { ModelMessage, ModelRequest, OnPart } from '../model.ts';
import { connectionFailed, type ModelIdentity, providerRefused, replyBroken } from '../model-error.ts';
import type { ModelImage } from '../model-image.ts';
import type { Connection } from '../providers/provider.ts';
import { readBody } from '../read-body.ts';
import type { AttemptWatch, ReplyAttempt } from '../reply-attempt.ts';
import { createSseReader } from '../sse-reader.ts';
import { estimateUsage } from '../token-estimate.ts';
import { createChatReader } from './chat-reader.ts';
import type { FrameReader, FrameReaderOptions } from './frame-reader.ts';
import { isReasoningModel } from './model-family.ts';
import { isOpenAi, openAiUrl } from './own-address.ts';
import { createResponsesReader } from './responses-reader.ts';
import { responsesRequestBody } from './responses-request.ts';

type OpenAiWire = 'chat' | 'responses';

const maxErrorBytes = 64 * 1024;

interface Endpoint {
  id: string;
  identity: ModelIdentity;
  url: URL;
  wire: OpenAiWire;
  headers: Readonly<Record<string, string>>;
  lane: TrustedLane;
}

/** OpenAI, and any server that speaks its wire. */
export function createOpenAiAttempt(connection: Connection): ReplyAttempt {
  const { apiKey, identity, lane } = connection;
  const baseUrl = (connection.baseUrl ?? openAiUrl).replace(/\/+$/, '');
  // OpenAI itself gives its newest models tools and reasoning together only through `responses`. Every other server
  // speaks `chat/completions`, and few speak the newer one well. So the address decides.
  const wire = isOpenAi(baseUrl) ? 'responses' : 'chat';
  const endpoint: Endpoint = {
    id: `${identity.provider}/${identity.modelName}`,
    identity,
    url: new URL(`${baseUrl}/${wire === 'chat' ? 'chat/completions' : 'responses'}`),
    wire,
    headers: {
      'content-type': 'application/json',
      accept: 'text/event-stream',
      ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
    },
    lane,
  };
  return (request, onPart, watch) => attemptReply(endpoint, request, onPart, watch);
}

async function attemptReply(endpoint: Endpoint, request: ModelRequest, onPart: OnPart, watch: AttemptWatch) {
  const reader = createReader(endpoint, request, watch);
  const events = createSseReader((data) => {
    if (!reader.isOver()) reader.read(data);
  });
  const passText = () => {
    const text = reader.takeText();
    if (text !== '') onPart({ type: 'text', text });
  };
  try {
    const response = await post(endpoint, request, watch.signal);
    await response.read((chunk) => {
      events.push(chunk);
      passText();
      return reader.isOver() ? 'enough' : undefined;
    });
    if (!reader.isOver()) events.end();
    response.release();
  } catch (error) {
    // A connection that breaks after the finish reason loses only the token count.
    if (watch.signal.aborted || !reader.isComplete()) throw connectionFailed(endpoint.identity, error);
  }
  passText();
  for (const part of reader.finish()) onPart(part);
}

function createReader(endpoint: Endpoint, request: ModelRequest, watch: AttemptWatch): FrameReader {
  const options: FrameReaderOptions = {
    onToken: (bytes) => watch.onToken(bytes),
    estimate: (output) => estimateUsage(request, output),
    onFailure: (body) => providerRefused(endpoint.identity, { body }),
    onBroken: (what) => replyBroken(endpoint.identity, what),
  };
  return endpoint.wire === 'chat' ? createChatReader(options) : createResponsesReader(endpoint.id, options);
}

async function post(endpoint: Endpoint, request: ModelRequest, signal: AbortSignal): Promise<LaneResponse> {
  const { id, identity, url, headers, lane } = endpoint;
  const body =
    endpoint.wire === 'chat'
      ? chatRequestBody(identity.modelName, request)
      : responsesRequestBody(id, identity.modelName, request);
  const response = await lane.post(url, { headers, body: JSON.stringify(body), signal });
  if (response.status >= 200 && response.status < 300) return response;
  throw providerRefused(identity, {
    status: response.status,
    headers: response.headers,
    body: await readBody(response, maxErrorBytes),
  });
}

/** The body of `POST /chat/completions`. */
function chatRequestBody(modelName: string, request: ModelRequest): Record<string, unknown> {
  const reasoning = isReasoningModel(modelName);
  const { system, tools, temperature, maxOutputTokens, jsonMode } = request;
  return {
    model: modelName,
    messages: [...(system ? [{ role: 'system', content: system }] : []), ...chatMessages(request.messages)],
    stream: true,
    stream_options: { include_usage: true },
    // Other servers may not know the choice `none`, and none of them needs the definitions to read earlier calls.
    ...(tools?.length && !request.toolsDisabled
      ? {
          tools: tools.map(({ name, description, parameters }) => ({
            type: 'function',
            function: { name, description, parameters },
          })),
          tool_choice: 'auto',
        }
      : {}),
    ...(temperature !== undefined && !reasoning ? { temperature } : {}),
    // Reasoning models refuse the old name; most compatible servers know only the old one.
    ...(maxOutputTokens !== undefined
      ? { [reasoning ? 'max_completion_tokens' : 'max_tokens']: maxOutputTokens }
      : {}),
    ...(jsonMode ? { response_format: { type: 'json_object' } } : {}),
  };
}

/** Results of tools can only be text on this wire, so their images follow as a message of the user. */
function chatMessages(messages: readonly ModelMessage[]): Record<string, unknown>[] {
  return messages.flatMap((message, index) => {
    if (message.role !== 'tool' || messages[index + 1]?.role === 'tool') return [chatMessage(message)];
    const first = messages.findLastIndex(({ role }, before) => before < index && role !== 'tool') + 1;
    const images = messages
      .slice(first, index + 1)
      .flatMap((result) => (result.role === 'tool' ? (result.images ?? []) : []));
    if (images.length === 0) return [chatMessage(message)];
    return [
      chatMessage(message),
      { role: 'user', content: withImages('The images that the tools returned:', images) },
    ];
  });
}

function withImages(text: string, images: readonly ModelImage[]) {
  return [
    { type: 'text', text },
    ...images.map((image) => ({ type: 'image_url', image_url: { url: image.dataUrl() } })),
  ];
}

function chatMessage(message: ModelMessage): Record<string, unknown> {
  if (message.role === 'tool') {
    return { role: 'tool', tool_call_id: message.toolCallId, content: message.content };
  }
  if (message.role === 'user' && message.images) {
    return { role: 'user', content: withImages(message.content, message.images) };
  }
  if (message.role === 'user' || !message.toolCalls?.length) {
    return { role: message.role, content: message.content };
  }
  return {
    role: 'assistant',
    content: message.content === '' ? null : message.content,
    tool_calls: message.toolCalls.map((call) => ({
      id: call.id,
      type: 'function',
      function: { name: call.name, arguments: JSON.stringify(call.arguments) },
    })),
  };
}
