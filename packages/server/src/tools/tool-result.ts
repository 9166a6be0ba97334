import type { ToolResult } from './tool-type.ts';

export function succeeded(content: string, result: unknown): ToolResult {
  return { status: 'ok', content, result };
}

/** One plain sentence for the model and for the readers of the conversation. */
export function failed(sentence: string): ToolResult {
  return { status: 'error', content: sentence, result: { error: sentence } };
}
