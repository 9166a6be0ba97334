/** What the scripted model does with one request, in order. It then finishes the reply, unless it hangs, is cut or ends. */
export type Script = readonly ScriptStep[] | ScriptWithTransport;

export interface ScriptWithTransport {
  steps: readonly ScriptStep[];
  /** Destroys the connection after this many bytes of the body. */
  cutAtByte?: number;
  /** Writes the body in chunks of this size. */
  chunkBytes?: number;
}

export type ScriptStep =
  | { type: 'text'; text: string; delayMs?: number }
  | { type: 'tokens'; count: number; delayMs?: number }
  | { type: 'reasoning'; text: string; delayMs?: number }
  | { type: 'tool-calls'; calls: readonly ScriptedCall[]; interleaved?: boolean }
  | { type: 'usage'; inputTokens: number; cachedInputTokens?: number; outputTokens: number }
  | { type: 'no-usage' }
  | { type: 'finish'; reason: ScriptedReason }
  /** Sends the head and the opening frames, so that a hang comes after them. */
  | { type: 'open' }
  | { type: 'delay'; milliseconds: number }
  | { type: 'hang' }
  | { type: 'cut' }
  /** Ends the body properly without finishing the reply. */
  | { type: 'end' }
  /** Finishes the reply and leaves the body open, forever or for a while. */
  | { type: 'linger'; milliseconds?: number }
  /** Raw bytes: malformed frames, comments, errors inside the stream. */
  | { type: 'raw'; text: string }
  | { type: 'status'; status: number; headers?: Record<string, string>; body?: unknown };

export interface ScriptedCall {
  id?: string;
  name: string;
  /** An object, or the raw text that the model wrote instead of one. */
  arguments: object | string;
  /** Google's signature of a call. */
  signature?: string;
}

export type ScriptedReason = 'stop' | 'tool-calls' | 'length' | 'content-filter';

export interface ScriptedUsage {
  inputTokens: number;
  cachedInputTokens: number;
  outputTokens: number;
}

export const text = (value: string, delayMs = 0): ScriptStep => ({ type: 'text', text: value, delayMs });
export const tokens = (count: number, delayMs = 0): ScriptStep => ({ type: 'tokens', count, delayMs });
export const reasoning = (value: string, delayMs = 0): ScriptStep => ({
  type: 'reasoning',
  text: value,
  delayMs,
});
export const toolCall = (name: string, argumentValue: object | string, id?: string): ScriptStep => ({
  type: 'tool-calls',
  calls: [{ name, arguments: argumentValue, ...(id ? { id } : {}) }],
});
export const toolCalls = (calls: readonly ScriptedCall[], interleaved = false): ScriptStep => ({
  type: 'tool-calls',
  calls,
  interleaved,
});
export const usage = (inputTokens: number, outputTokens: number, cachedInputTokens = 0): ScriptStep => ({
  type: 'usage',
  inputTokens,
  outputTokens,
  cachedInputTokens,
});
export const finish = (reason: ScriptedReason): ScriptStep => ({ type: 'finish', reason });
export const raw = (value: string): ScriptStep => ({ type: 'raw', text: value });
export const status = (code: number, headers: Record<string, string> = {}, body?: unknown): ScriptStep => ({
  type: 'status',
  status: code,
  headers,
  ...(body === undefined ? {} : { body }),
});
export const noUsage: ScriptStep = { type: 'no-usage' };
export const open: ScriptStep = { type: 'open' };
export const hang: ScriptStep = { type: 'hang' };
export const cut: ScriptStep = { type: 'cut' };
export const end: ScriptStep = { type: 'end' };
export const linger = (milliseconds?: number): ScriptStep => ({
  type: 'linger',
  ...(milliseconds === undefined ? {} : { milliseconds }),
});

/** Words with the space before them, like most real tokens. */
export function splitIntoTokens(value: string): string[] {
  return value.match(/\s*\S+|\s+$/gu) ?? [];
}
