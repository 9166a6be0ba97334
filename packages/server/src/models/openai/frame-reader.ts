import type { ModelPart, ProviderState, Usage } from '../model.ts';

/** Reads the frames of one wire and collects their content until the reader of the stream takes it. */
export interface FrameReader {
  /** Takes one frame of the stream. Throws what the provider reports as an error. */
  read(data: string): void;
  /** The shown text since the last call. */
  takeText(): string;
  /** The server has announced the end of the stream. */
  isOver(): boolean;
  /** The finish reason has arrived, though usage may still follow. */
  isComplete(): boolean;
  /** The tool calls and the finish. Throws when the stream ended before the reply did. */
  finish(): ModelPart[];
}

export interface FrameReaderOptions {
  /** Called with the size of whatever the model produced, shown or not. */
  onToken(bytes: number): void;
  /** Usage for a provider that sends none. */
  estimate(output: { bytes: number }): Usage;
  /** The error for a failure that the provider reports inside the stream. */
  onFailure(body: string): Error;
  /** The error for a stream that cannot be read. */
  onBroken(what: string): Error;
}

export interface PendingToolCall {
  id: string;
  name: string;
  text: string;
  providerState?: ProviderState;
}

/** JSON from the wire: any field may be missing, whatever the documentation promises. */
export type Json = { readonly [key: string]: unknown };

export function parseFrame(data: string, options: Pick<FrameReaderOptions, 'onBroken'>): Json {
  try {
    const value: unknown = JSON.parse(data);
    if (isJson(value)) return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw options.onBroken('contained a frame that is not JSON');
}

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null;
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.round(value) : 0;
}
