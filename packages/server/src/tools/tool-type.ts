import type { KnownPassage } from '../models/passages.ts';

/** What the person who approves a call gets to see of it. */
export type ApprovalContext =
  | { kind: 'diff'; path: string; diff: string }
  | { kind: 'command'; command: string; cwd: string; machine: string }
  | { kind: 'call'; summary: string };

/** A kind of tool: what its configuration looks like, and which functions a model gets from a configured one. */
export interface ToolType {
  /** The wire's name, such as `http_request`. */
  type: string;
  name: string;
  description: string;
  /** A JSON Schema of a flat object, strict; secret fields carry `"x-secret": true`. */
  configurationSchema: ConfigurationSchema;
  /** Calls change nothing outside: one that a crash cut off may run again. */
  readOnly: boolean;
  /** Reaches nothing outside the function itself, so it may run even where no tool may act. */
  isPure?: true;
  /** Works without a configuration, so that it is assigned by its type alone. */
  needsNoConfiguration: boolean;
  presets: Preset[];
  /** What the schema cannot say; throws VALIDATION_FAILED that names the field, without the prefix `configuration.`. */
  checkConfiguration?(configuration: Configuration): void;
  /** The functions of a configured tool. May ask a server (MCP lists its tools). */
  functions(tool: ConfiguredTool, signal: AbortSignal, options?: ListOptions): Promise<ToolFunction[]>;
  /** What a person's test runs, for types with several functions; left out: the first function. */
  test?(tool: ConfiguredTool, parameters: Record<string, unknown>, run: ToolRun): Promise<ToolResult>;
}

export interface ListOptions {
  /** Nothing that is remembered of a server counts: it is asked what it offers now. */
  fresh?: boolean;
}

export type Configuration = Record<string, unknown>;

export interface ConfigurationSchema {
  type: 'object';
  properties: Record<string, { 'x-secret'?: true; [keyword: string]: unknown }>;
  required?: string[];
  additionalProperties: false;
}

export interface Preset {
  id: string;
  name: string;
  description?: string;
  configuration: Configuration;
}

/** A tool as it runs: secrets are in the configuration, so it is never shown, logged or stored. */
export interface ConfiguredTool {
  /** Undefined for a type that was assigned without a configuration. */
  id: string | undefined;
  workspaceId: string;
  name: string;
  description: string;
  configuration: Configuration;
}

/** Something a model can call. */
export interface ToolFunction {
  /** Letters, digits, `_` and `-`, at most 64. */
  name: string;
  /** What it is among the functions of its tool, for those whose name changes with the tool's; left out: its name. */
  key?: string;
  description: string;
  /** A JSON Schema of an object. */
  parameters: object;
  approval: 'never' | 'always';
  /** Why no model gets it, in words for the operator; it is left out then. */
  unusable?: string;
  /** What to show for approval; left out: name and arguments. */
  describeCall?(given: Record<string, unknown>, signal: AbortSignal): Promise<ApprovalContext>;
  /** Runs it. A failure of the thing called is a result, not an exception; never put a secret into either. */
  run(given: Record<string, unknown>, run: ToolRun): Promise<ToolResult>;
}

/** Who calls, and how to tell them what is going on. */
export interface ToolRun {
  workspaceId: string;
  botId: string | undefined;
  /** Undefined when a tool is only tested. */
  conversationId: string | undefined;
  /** The turn that calls it; undefined when a tool is only tested. */
  turnId?: string;
  /** Of this one call, whatever becomes of it: a receiver can recognise a repeat by it. */
  callId?: string;
  signal: AbortSignal;
  onProgress(text: string): void;
}

export interface ToolResult {
  status: 'ok' | 'error';
  /** What the model is told. */
  content: string;
  /** What readers and traces see: JSON, bounded. */
  result: unknown;
  /** What was found in the bot's knowledge: a reply can cite it. */
  passages?: KnownPassage[];
  /** What a model was asked for on the way; the turn pays for it with the call. */
  used?: EmbeddingUse;
  /** What was really sent, with secrets as `***`; for tests of a tool. */
  resolvedRequest?: ResolvedRequest;
}

export interface EmbeddingUse {
  model: string;
  inputTokens: number;
  /** It is written and paid for already. */
  isPaid: boolean;
}

export interface ResolvedRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | null;
}
