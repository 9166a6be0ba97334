import type { ModelImage } from './model-image.ts';
import type { QuotedPassage } from './passages.ts';

/** A language model, whatever its provider. */
export interface Model {
  /** `provider/model` */
  id: string;
  /** Input and output together, in tokens. */
  contextWindow: number;
  /** Of one reply. */
  maxOutputTokens: number;
  capabilities: ModelCapabilities;
  /**
   * One reply, passed on part by part as it arrives, ended by exactly one `finish`. Each failed attempt is reported as
   * `lost`, the last one before it rejects. Rejects with an `AppError` of the model codes. Aborting the signal closes the
   * upstream connection and rejects with the signal's reason; an error that `onPart` throws does the same.
   */
  reply(request: ModelRequest, onPart: OnPart, signal: AbortSignal): Promise<void>;
}

export interface ModelCapabilities {
  /** Replies can be required to be JSON. */
  jsonMode: boolean;
  /** Follows instructions; the built-in model only quotes passages. */
  instructions: boolean;
  /** Sees the images of users and of tool results. */
  images: boolean;
}

export interface ModelRequest {
  system?: string;
  messages: readonly ModelMessage[];
  tools?: readonly ToolDefinition[];
  /**
   * The model may call none of the tools. Pass them anyway: some providers refuse earlier calls whose definitions are
   * missing.
   */
  toolsDisabled?: true;
  /** Not sent to models that take none (reasoning models). */
  temperature?: number;
  maxOutputTokens?: number;
  /** The reply must be JSON; only for models with that capability. */
  jsonMode?: true;
  /** What the knowledge has on the latest message, best first: for the model that only quotes. */
  passages?: readonly QuotedPassage[];
}

export interface ToolDefinition {
  name: string;
  description: string;
  /** A JSON Schema of an object. */
  parameters: object;
}

export type ModelMessage =
  | { role: 'user'; content: string; images?: readonly ModelImage[] }
  | { role: 'assistant'; content: string; toolCalls?: readonly ModelToolCall[] }
  | {
      role: 'tool';
      toolCallId: string;
      toolName: string;
      content: string;
      isError?: true;
      images?: readonly ModelImage[];
    };

export interface ModelToolCall {
  id: string;
  name: string;
  arguments: Record<string, unknown>;
  /**
   * Signed reasoning that the provider wants back with this call: store it, send it back unchanged, never show it.
   * Without it a reasoning model answers worse, or not at all. Other models ignore it.
   */
  providerState?: ProviderState;
}

export interface ProviderState {
  /** The `provider/model` that it came from: signatures are valid for one model only. */
  model: string;
  data: unknown;
}

export type OnPart = (part: ModelPart) => void;

export type ModelPart = TextPart | ToolCallPart | FinishPart | LostPart;

/** Text that arrived together is one part. */
export interface TextPart {
  type: 'text';
  text: string;
  /** Verbatim from a passage: marks inside it are not citations by the model. */
  isQuotation?: true;
}

export interface ToolCallPart extends ModelToolCall {
  type: 'tool-call';
  /** The raw text when the arguments are not a JSON object; `arguments` is then empty. */
  invalid?: string;
}

export interface FinishPart {
  type: 'finish';
  reason: FinishReason;
  usage: Usage;
}

/** An attempt that reached the provider and failed: the provider counts its tokens anyway. */
export interface LostPart {
  type: 'lost';
  usage: Usage;
  /** Another attempt follows, unless the listener throws. */
  isRepeated: boolean;
}

export type FinishReason = 'stop' | 'tool-calls' | 'length' | 'content-filter' | 'other';

export interface Usage {
  /** All input, including cached tokens. */
  inputTokens: number;
  cachedInputTokens: number;
  /** All output, including hidden reasoning. */
  outputTokens: number;
}
