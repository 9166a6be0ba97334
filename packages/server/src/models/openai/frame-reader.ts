import type { ModelPart, ProviderState, Usage } from '../model.ts';

/** Understands the frames of one wire. What they mean is collected here, and taken out by whoever reads the stream. */
export interface FrameReader {
  /** Takes one frame of the stream. Throws what the provider reports as an error. */
  read(data: string): void;
  /** The shown text since the last call. */
  takeText(): string;
  /** The wire has said that nothing more will come. */
  isOver(): boolean;
  /** The reply has said how it ended, though usage may still follow. */
  isComplete(): boolean;
  /** The tool calls and the finish. Throws when the stream ended before the reply did. */
  finish(): ModelPart[];
}

export interface FrameReaderOptions {
  /** Called with the size of whatever the model produced, shown or not. */
  onToken(bytes: number): void;
  /** Usage for a provider that sends none. */
  estimate(output: { bytes: number }): Usage;
  /** Makes an error of what the provider reports inside the stream. */
  onFailure(body: string): Error;
  /** Makes an error of a stream that cannot be read. */
  onBroken(what: string): Error;
}

export interface PendingToolCall {
  id: string;
  name: string;
  text: string;
  providerState?: ProviderState;
}

/** JSON of the wire: every field may be missing, whatever the documents say. */
export type Json = { readonly [key: string]: unknown };

export function parseFrame(data: string, options: Pick<FrameReaderOptions, 'onBroken'>): Json {
  try {
    const value: unknown = JSON.parse(data);
    if (isJson(value)) return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw options.onBroken('had a frame that is no JSON');
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
