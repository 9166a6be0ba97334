import type { QuotedPassage } from './passages.ts';

/** What every part of the system knows of a language model. */
export interface Model {
  /** `provider/model` */
  id: string;
  /** The most tokens that go in and come out together. */
  contextWindow: number;
  /** The most tokens that one reply has. */
  maxOutputTokens: number;
  capabilities: ModelCapabilities;
  /**
   * One reply, told part by part in the moment it comes, ended by exactly one `finish`. Attempts that were lost on the way
   * are told as `lost`, one each, the last of them before it rejects. Rejects with an `AppError` of the model codes. Aborting the signal closes the upstream connection and rejects with the signal's own reason; so does
   * what `onPart` throws.
   */
  reply(request: ModelRequest, onPart: OnPart, signal: AbortSignal): Promise<void>;
}

export interface ModelCapabilities {
  /** Replies can be required to be JSON. */
  jsonMode: boolean;
  /** Follows instructions; the built-in model only quotes passages. */
  instructions: boolean;
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
  /** Left out for models that take none (the ones that reason). */
  temperature?: number;
  maxOutputTokens?: number;
  responseFormat?: { type: 'json'; schema?: object; name?: string };
  /** What the latest message of the user quotes, best first: for a model that cannot read. */
  passages?: readonly QuotedPassage[];
}

export interface ToolDefinition {
  name: string;
  description: string;
  /** A JSON Schema of an object. */
  parameters: object;
}

export type ModelMessage =
  | { role: 'user'; content: string }
  | { role: 'assistant'; content: string; toolCalls?: readonly ModelToolCall[] }
  | { role: 'tool'; toolCallId: string; toolName: string; content: string; isError?: true };

export interface ModelToolCall {
  id: string;
  name: string;
  arguments: Record<string, unknown>;
  /**
   * What the provider wants back with this call (signed reasoning): store it with the call, give it back unchanged, show
   * it to nobody. Without it a model that reasons answers worse, or not at all. Another model ignores it.
   */
  providerState?: ProviderState;
}

export interface ProviderState {
  /** The `provider/model` that said it: signatures are bound to one model. */
  model: string;
  data: unknown;
}

export type OnPart = (part: ModelPart) => void;

export type ModelPart = TextPart | ToolCallPart | FinishPart | LostPart;

/** Text that arrived together is one part. */
export interface TextPart {
  type: 'text';
  text: string;
  /** Word for word from a passage: nothing in it is a mark of the model's own. */
  isQuotation?: true;
}

export interface ToolCallPart extends ModelToolCall {
  type: 'tool-call';
  /** The raw text, when the arguments are no JSON object; `arguments` is empty then. */
  invalid?: string;
}

export interface FinishPart {
  type: 'finish';
  reason: FinishReason;
  usage: Usage;
}

/** An attempt that reached the provider and came to nothing: the provider counts what it read and wrote all the same. */
export interface LostPart {
  type: 'lost';
  usage: Usage;
  /** Another attempt follows; what the listener throws keeps it from being made. */
  isRepeated: boolean;
}

export type FinishReason = 'stop' | 'tool-calls' | 'length' | 'content-filter' | 'other';

export interface Usage {
  /** Everything that went in, cached tokens included. */
  inputTokens: number;
  cachedInputTokens: number;
  /** Everything that came out, hidden reasoning included. */
  outputTokens: number;
}
