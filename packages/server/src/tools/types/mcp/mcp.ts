import { isDeepStrictEqual } from 'node:util';
import type { ContentBlock } from '@modelcontextprotocol/sdk/types.js';
import { canonicalJson } from '../../../idempotency/canonical-json.ts';
import { AppError } from '../../../lib/app-error.ts';
import { pictureType } from '../../../lib/picture-type.ts';
import { ModelImage, maxShownImages } from '../../../models/model-image.ts';
import { compileCheck } from '../../../validation/checker.ts';
import { functionName } from '../../function-name.ts';
import { failed } from '../../tool-result.ts';
import type {
  ConfiguredTool,
  ListOptions,
  Question,
  ToolFunction,
  ToolResult,
  ToolRun,
  ToolType,
} from '../../tool-type.ts';
import { boundText } from '../shared/bound-text.ts';
import { createRedactor, type Redactor } from '../shared/redactor.ts';
import { callParams } from './call-params.ts';
import {
  authorizationOf,
  checkConfiguration,
  configurationSchema,
  type McpConfiguration,
  presets,
} from './mcp-configuration.ts';
import type { McpSession } from './mcp-session.ts';
import type { McpSessions } from './mcp-sessions.ts';
import { type OfferedTool, offeredTools } from './offered-tools.ts';
import type { CallResult } from './read-answers.ts';

const checkTest = compileCheck<{ tool?: string; arguments?: Record<string, unknown> }>({
  type: 'object',
  properties: { tool: { type: 'string' }, arguments: { type: 'object' } },
  additionalProperties: false,
});

export function createMcp({ sessions }: { sessions: McpSessions }): ToolType {
  /** Turns the server's failures into messages, with our secrets masked. */
  async function withServer<Result>(
    tool: ConfiguredTool,
    signal: AbortSignal,
    work: (session: McpSession, redactor: Redactor) => Promise<Result>,
  ): Promise<Result> {
    const settings = tool.configuration as unknown as McpConfiguration;
    const { header, secrets } = authorizationOf(settings);
    const redactor = createRedactor(secrets);
    const owner = { workspaceId: tool.workspaceId, toolId: tool.id };
    try {
      return await sessions.use(owner, { url: settings.url, authorization: header }, (session) =>
        work(session, redactor),
      );
    } catch (error) {
      signal.throwIfAborted();
      const { explainFailure } = await import('./explain-mcp-failure.ts');
      // Without its cause, because messages of libraries and servers may contain secrets that we sent.
      throw new AppError('UPSTREAM_FAILED', { message: redactor.text(explainFailure(error)) });
    }
  }

  function allowedTools(tool: ConfiguredTool, signal: AbortSignal, options?: ListOptions) {
    const { allowed_tools: allowed = [] } = tool.configuration as unknown as McpConfiguration;
    return withServer(tool, signal, async (session, redactor) => {
      const offered = await session.tools(signal, options);
      const wanted = offered.filter(({ name }) => allowed.length === 0 || allowed.includes(name));
      return offeredTools(wanted, redactor);
    });
  }

  async function call(
    tool: ConfiguredTool,
    { name, inputSchema }: OfferedTool,
    given: Record<string, unknown>,
    run: ToolRun,
  ): Promise<ToolResult> {
    const expected = canonicalJson(inputSchema);
    const { url } = tool.configuration as unknown as McpConfiguration;
    try {
      return await withServer(tool, run.signal, async (session, redactor) =>
        toToolResult(
          await session.call(name, given, {
            signal: run.signal,
            callId: run.callId,
            isExpected: (one) => canonicalJson(redactor.json(one.inputSchema)) === expected,
            onProgress: (text) => run.onProgress(redactor.text(text)),
            ask: askThrough(run, redactor, `${name} of ${url}`),
          }),
          redactor,
          run.seesImages ?? false,
        ),
      );
    } catch (error) {
      if (error instanceof AppError) return failed(error.message);
      throw error;
    }
  }

  return {
    type: 'mcp',
    name: 'MCP server',
    description: "Connects an MCP server: its tools become the bot's.",
    configurationSchema,
    readOnly: false,
    needsNoConfiguration: false,
    presets,
    checkConfiguration,
    asks: ({ approval }) => ({ reads: approval === 'always', changes: approval !== 'never' }),

    async functions(tool, signal, options) {
      const offered = await allowedTools(tool, signal, options);
      const named = new Map(offered.map((one) => [functionName(`${tool.name}_${one.name}`), one]));
      return [...named].map(([name, one]) => toFunction(tool, name, one, call));
    },

    /** Without `tool` it lists what the server offers; with it, that tool is called. */
    testCall(parameters) {
      const { tool: key, arguments: given = {} } = checkTest(parameters, 'parameters');
      return key === undefined ? undefined : { key, given };
    },
  };
}

/** What a server asks is shown with its name, so that a person knows to whom they answer. */
function askThrough({ ask }: ToolRun, redactor: Redactor, asker: string) {
  return (
    ask &&
    (({ message, schema }: Question, signal: AbortSignal) => {
      const shown = redactor.json(schema) as Record<string, unknown>;
      return ask({ message: redactor.text(`${asker} asks: ${message}`), schema: shown }, signal);
    })
  );
}

function toFunction(
  tool: ConfiguredTool,
  name: string,
  offered: OfferedTool,
  call: (
    tool: ConfiguredTool,
    offered: OfferedTool,
    given: Record<string, unknown>,
    run: ToolRun,
  ) => Promise<ToolResult>,
): ToolFunction {
  const { name: ownName, title, description, inputSchema, unusable, isReadOnly } = offered;
  const settings = tool.configuration as unknown as McpConfiguration;
  const { url, approval = isReadOnly ? 'never' : 'always' } = settings;
  return {
    name,
    key: ownName,
    description,
    parameters: inputSchema,
    ...(unusable !== undefined && { unusable }),
    approval,
    // Nothing is filled in.
    approvalTitle: (title || `${tool.name}: ${ownName}`).replaceAll(/[{}]/g, ''),
    describeCall: async (given) => ({
      context: { kind: 'call', summary: `${ownName} of ${url}\n${JSON.stringify(given)}` },
    }),
    run: async (given, run) => ({
      ...(await call(tool, offered, given, run)),
      resolvedRequest: showRequest(tool, ownName, given, run),
    }),
  };
}

function showRequest(
  { configuration }: ConfiguredTool,
  name: string,
  given: Record<string, unknown>,
  { callId }: ToolRun,
) {
  const { url, authorization } = configuration as unknown as McpConfiguration;
  return {
    method: 'POST',
    url,
    headers: {
      'content-type': 'application/json',
      ...(authorization !== undefined && { authorization: '***' }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', method: 'tools/call', params: callParams(name, given, callId) }),
  };
}

const maxBytes = 50_000;

/** What a server answered, as text, with pictures for models that see and for readers. Files are only mentioned. */
function toToolResult(answer: CallResult, redactor: Redactor, seesImages: boolean): ToolResult {
  const { isError } = answer;
  // One by one: of what is too large the end is left out, and it must not be the content.
  const content = redactor.json(answer.content) as CallResult['content'];
  const structuredContent = redactor.json(answer.structuredContent) as CallResult['structuredContent'];
  const shown = seesImages && !isError ? shownImages(content) : new Map<ContentBlock, ModelImage>();
  const texts = content.map((block) => describeBlock(block, shown.has(block))).filter((text) => text !== '');
  const structure = structuredContent && JSON.stringify(structuredContent);
  // Most servers repeat the structure as text; the model needs it once.
  const isRepeated = texts.some((text) => isDeepStrictEqual(parsed(text), structuredContent));
  const parts = [...texts, ...(structure && !isRepeated ? [structure] : [])];
  const text = bounded(parts.join('\n\n') || 'The tool answered with nothing.');
  const kept = keptImages(content);
  return {
    status: isError ? 'error' : 'ok',
    content: text,
    result: {
      text,
      ...(structure && Buffer.byteLength(structure) <= maxBytes && { structured_content: structuredContent }),
      ...(kept.length > 0 && { images: kept }),
    },
    ...(shown.size > 0 && { images: [...shown.values()] }),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // Plain text.
    return undefined;
  }
}

/** Of all images of a result, in base64. */
const maxImageCharacters = 256 * 1024;

/** The images of a result that readers get, as long as they are not too large. */
function keptImages(content: readonly ContentBlock[]): { mime_type: string; data: string }[] {
  let left = maxImageCharacters;
  return content.flatMap((block) => {
    if (block.type !== 'image' || block.data.length > left) return [];
    left -= block.data.length;
    return [{ mime_type: block.mimeType, data: block.data }];
  });
}

const maxImageBytes = 3_500_000;
/** Of all images of a result. */
const maxShownBytes = 7_000_000;

/** The images that the model sees, by their blocks. Providers refuse a request with one that they cannot read, so their first bytes count. */
function shownImages(content: readonly ContentBlock[]): Map<ContentBlock, ModelImage> {
  const shown = new Map<ContentBlock, ModelImage>();
  let left = maxShownBytes;
  for (const block of content) {
    if (block.type !== 'image' || shown.size === maxShownImages) continue;
    const bytes = Buffer.from(block.data, 'base64');
    const type = pictureType(bytes);
    if (type === undefined || bytes.length > Math.min(left, maxImageBytes)) continue;
    left -= bytes.length;
    shown.set(block, new ModelImage(type, bytes.toString('base64')));
  }
  return shown;
}

function describeBlock(block: ContentBlock, isShown: boolean): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return `[${block.type}, ${block.mimeType}, ${byteLength(block.data)} bytes${isShown ? '' : ', not shown'}]`;
    case 'resource_link':
      return `[link to ${block.title ?? block.name}: ${block.uri}]`;
    case 'resource':
      return 'text' in block.resource
        ? `${block.resource.uri}\n${block.resource.text}`
        : `[file ${block.resource.uri}, ${block.resource.mimeType ?? 'unknown type'}, ${byteLength(block.resource.blob)} bytes, not shown]`;
    default:
      return '';
  }
}

function bounded(whole: string): string {
  const { text, cut } = boundText(whole, maxBytes);
  return cut ? `${text}\n[cut here: the answer is longer]` : text;
}

function byteLength(base64: string): number {
  return Buffer.byteLength(base64, 'base64');
}
