import type { CallToolResult, ContentBlock, Tool } from '@modelcontextprotocol/sdk/types.js';
import { isObject } from '../../../validation/json-schema/check.ts';

/** The part of a listed tool that we use. */
export type ListedTool = Pick<Tool, 'name' | 'title' | 'description' | 'inputSchema'> & {
  /** The server's hint that it changes nothing. */
  isReadOnly: boolean;
  /** Its calls are tasks, whose result is fetched later. */
  isTask: boolean;
  /** Its schema was too large and has been dropped. */
  isTooLarge?: true;
};
export type CallResult = Pick<CallToolResult, 'content' | 'structuredContent' | 'isError'>;

/** The server's response violates the protocol. */
export class NotMcp extends Error {}

type Fields = Readonly<Record<string, unknown>>;

/** Longer texts of a tool are cut. */
const maxTextLength = 100_000;

/*
 * Responses are checked here, up to their first fault: the SDK's schemas report every fault of a response, which takes far more
 * time and memory than the response itself.
 */

export function readTools({ tools, nextCursor }: Fields, most: number) {
  if (!Array.isArray(tools)) throw new NotMcp('tools is not a list');
  if (!isTextOrNone(nextCursor)) throw new NotMcp('nextCursor is not a text');
  return { tools: tools.slice(0, most).map(readTool), nextCursor };
}

function readTool(tool: unknown): ListedTool {
  if (!isObject(tool)) throw new NotMcp('a tool is not an object');
  const { name, title, description, inputSchema, annotations, execution } = tool;
  if (typeof name !== 'string' || name.length > maxTextLength) throw new NotMcp('a tool has no usable name');
  if (!isTextOrNone(title) || !isTextOrNone(description)) {
    throw new NotMcp('a title or a description is not a text');
  }
  if (!isObject(inputSchema) || inputSchema['type'] !== 'object') {
    throw new NotMcp('an inputSchema is not that of an object');
  }
  return {
    name,
    title: title?.slice(0, maxTextLength),
    description: description?.slice(0, maxTextLength),
    inputSchema: { ...inputSchema, type: 'object' },
    isReadOnly: isObject(annotations) && annotations['readOnlyHint'] === true,
    isTask: isObject(execution) && execution['taskSupport'] === 'required',
  };
}

export interface TaskState {
  taskId: string;
  status: string;
  statusMessage: string | undefined;
  pollInterval: number | undefined;
}

/** The state of a task, as it is created or asked for. */
export function readTask(task: unknown): TaskState {
  if (!isObject(task)) throw new NotMcp('a task is not an object');
  const { taskId, status, statusMessage, pollInterval } = task;
  if (typeof taskId !== 'string' || typeof status !== 'string' || !isTextOrNone(statusMessage))
    throw new NotMcp('a task has no usable id or status');
  const isNumber = typeof pollInterval === 'number' && Number.isFinite(pollInterval);
  return { taskId, status, statusMessage, pollInterval: isNumber ? pollInterval : undefined };
}

export function readCallResult({ content = [], structuredContent, isError }: Fields): CallResult {
  if (!Array.isArray(content) || !content.every(isBlock)) throw new NotMcp('content is not a list of blocks');
  if (structuredContent !== undefined && !isObject(structuredContent)) {
    throw new NotMcp('structuredContent is not an object');
  }
  if (isError !== undefined && typeof isError !== 'boolean') throw new NotMcp('isError is not a boolean');
  return { content, structuredContent, isError };
}

function isBlock(block: unknown): block is ContentBlock {
  if (!isObject(block)) return false;
  const { type, text, data, mimeType, name, title, uri, resource } = block;
  switch (type) {
    case 'text':
      return typeof text === 'string';
    case 'image':
    case 'audio':
      return typeof data === 'string' && typeof mimeType === 'string';
    case 'resource_link':
      return typeof name === 'string' && typeof uri === 'string' && isTextOrNone(title);
    case 'resource':
      return isObject(resource) && isResource(resource);
    default:
      return false;
  }
}

function isResource({ uri, mimeType, text, blob }: Fields): boolean {
  const hasContent = typeof text === 'string' || (text === undefined && typeof blob === 'string');
  return typeof uri === 'string' && isTextOrNone(mimeType) && hasContent;
}

function isTextOrNone(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string';
}
