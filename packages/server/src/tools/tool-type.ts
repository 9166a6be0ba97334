import type { ModelImage } from '../models/model-image.ts';
import type { KnownPassage } from '../models/passages.ts';

/** What the person who approves a call sees of it. */
export type ApprovalContext =
  | { kind: 'diff'; path: string; diff: string }
  | { kind: 'command'; command: string; cwd: string; machine: string; network?: boolean }
  | { kind: 'call'; summary: string };

/** A call as it is put to the person who decides about it. */
export type CallDescription =
  | {
      context: ApprovalContext;
      /** What the decision is based on. Stored with the approval and passed to the call when it runs; never shown. */
      basis?: Record<string, unknown>;
      /**
       * What the call would change. Of several calls that change the same, only the first is asked about: what the others do
       * depends on it, so they are described again when it has ended.
       */
      changes?: readonly string[];
      /** What edited arguments must match, if that is more than the function's parameters; a JSON Schema of an object. */
      argumentsSchema?: object;
      /** What a person can allow together with it; left out if they must be asked each time. */
      grantable?: Grantable;
    }
  /** The call cannot succeed, so there is nothing to decide: the model is told why. */
  | { fault: string };

/** What can be allowed for later calls too. Paths are real ones on the machine. */
export type Grantable =
  /** Changes of files in a directory; `paths` are those of the call itself. */
  | { kind: 'edits'; machineId: string; directory: string; paths: string[] }
  /** A command of plain words, in one directory. */
  | { kind: 'command'; machineId: string; directory: string; command: string };

/** All calls of a function of a tool, as long as the tool does what it did and the function takes what it took. */
export interface ToolGrantable {
  toolId: string;
  revision: number;
  offer: string;
}

/** The place on a machine that a turn was sent with, for tools whose configuration leaves it open. */
export interface CodeTarget {
  machineId?: string;
  workdir?: string;
}

/** A type of tool: the schema of its configuration, and the functions that a configured tool offers to a model. */
export interface ToolType {
  /** Its name on the wire, such as `http_request`. */
  type: string;
  name: string;
  description: string;
  /** A JSON Schema of a flat object that allows no other fields; secret fields have `"x-secret": true`. */
  configurationSchema: ConfigurationSchema;
  /** Calls have no side effects, so a call that a crash interrupted may run again. */
  readOnly: boolean;
  /** Reaches nothing outside the function itself, so it may run even where no tool may act. */
  isPure?: true;
  /** Needs no configuration, so it can be assigned by type alone. */
  needsNoConfiguration: boolean;
  presets: Preset[];
  /** Checks what the schema cannot express; throws VALIDATION_FAILED with the field's path, without `configuration.`. */
  checkConfiguration?(configuration: Configuration): void;
  /** The place on a paired machine that a configuration names. Only types that work on such machines have it. */
  codeTargetOf?(configuration: Configuration): CodeTarget;
  /**
   * Whether each kind of call asks a person first. The kind `reads` may run unasked; that another one does is for people to
   * decide who may answer approvals (`approval-rule.ts`). Empty for types that never ask.
   */
  asks(configuration: Configuration): Readonly<Record<string, boolean>>;
  /**
   * The request for an access token that comes before calls, without its secret; undefined if there is none. It is a POST that
   * nobody is asked about, even if the calls ask, so only people who may answer approvals choose it.
   */
  tokenRequest?(configuration: Configuration): object | undefined;
  /** The functions of a configured tool. May call a server: MCP lists its tools. */
  functions(tool: ConfiguredTool, signal: AbortSignal, options?: ListOptions): Promise<ToolFunction[]>;
  /**
   * The call that a person's test makes; undefined if it only lists what the tool offers. Without it the first function is
   * called. Throws VALIDATION_FAILED.
   */
  testCall?(parameters: Record<string, unknown>): TestCall | undefined;
}

export interface TestCall {
  /** Of the function. */
  key: string;
  given: Record<string, unknown>;
  options?: ListOptions;
}

export interface ListOptions {
  /** Ignores what is cached of a server and asks it again. */
  fresh?: boolean;
  /** Of the turn that will call the functions. */
  codeTarget?: CodeTarget;
  /** Only what reads is wanted, and what presents a plan; calling that ends it once it is approved. */
  planning?: Planning;
}

export interface Planning {
  /** The plan was approved: later calls may do more than read. */
  end(run: Pick<ToolRun, 'workspaceId' | 'conversationId'>): Promise<void>;
}

export type Configuration = Record<string, unknown>;

export interface ConfigurationSchema {
  type: 'object';
  properties: Record<string, FieldSchema>;
  required?: string[];
  additionalProperties: false;
}

/** The keywords that begin with `x-` let forms be generated. */
interface FieldSchema {
  /** Written and never returned. */
  'x-secret'?: true;
  /** The heading that it is shown under. */
  'x-group'?: string;
  /** Few people need it: forms fold it. */
  'x-rare'?: true;
  /** Shown only while each of these fields has one of these values. */
  'x-show-when'?: Record<string, string[]>;
  /** What it is edited with, where the type alone does not say. */
  'x-editor'?: 'map' | 'schema' | 'json' | 'template' | 'machine';
  [keyword: string]: unknown;
}

export interface Preset {
  id: string;
  name: string;
  configuration: Configuration;
}

/** A tool as it runs. Its configuration contains the secrets, so it is never shown, logged or stored. */
export interface ConfiguredTool {
  /** Undefined for a type that was assigned without a configuration. */
  id: string | undefined;
  /** Of its configuration as it is stored. */
  revision?: number;
  workspaceId: string;
  name: string;
  description: string;
  configuration: Configuration;
}

/** Something a model can call. */
export interface ToolFunction {
  /** At most 64 letters, digits, `_` and `-`. */
  name: string;
  /** Identifies it among the functions of its tool where its name changes with the tool's; defaults to its name. */
  key?: string;
  description: string;
  /** A JSON Schema of an object. */
  parameters: object;
  approval: 'never' | 'always';
  /** What a call would do, as a sentence with `{{parameter}}` in it: the heading of its approval. */
  approvalTitle?: string;
  /** Decides for one call, where its arguments matter; otherwise `approval` applies to all calls. */
  approvalOf?(given: Record<string, unknown>): 'never' | 'always';
  /** A call that is repeated with the same id gets the outcome of the first time, so a crash does not leave it unknown. */
  isResumable?: true;
  /**
   * Calls of one reply run one after another, in the order of the reply, instead of concurrently. Those after one that
   * needs approval wait until it was answered and has run.
   */
  inOrder?: true;
  /** Changes nothing outside, although other functions of its type may. */
  readOnly?: true;
  /** The tools of the bot offer something else after a call. */
  changesOffers?: true;
  /** Why it is not offered to models, for the operator. */
  unusable?: string;
  /** What to show for approval; name and arguments by default. */
  describeCall?(given: Record<string, unknown>, context: CallContext): Promise<CallDescription>;
  /** A failure of what is called is a result, not an exception. Neither may contain a secret. */
  run(given: Record<string, unknown>, run: ToolRun): Promise<ToolResult>;
}

/** Whether a call asks a person first. */
export function asksFirst(
  { approval, approvalOf }: Pick<ToolFunction, 'approval' | 'approvalOf'>,
  given: Record<string, unknown>,
): boolean {
  return (approvalOf ? approvalOf(given) : approval) === 'always';
}

/** For whom a call is described. */
export type CallContext = Pick<ToolRun, 'actsFor' | 'botId' | 'conversationId' | 'signal'>;

/** The caller of a function, and how progress is reported. */
/** What a tool needs to know from a person while it runs. */
export interface Question {
  message: string;
  /** A JSON Schema of an object: what the person fills in. */
  schema: Record<string, unknown>;
}

export type PersonAnswer =
  | { action: 'accept'; content: Record<string, unknown> }
  | { action: 'decline'; reason: string | null }
  /** Nobody answered in time, or nobody can be asked. */
  | { action: 'cancel' };

export interface ToolRun {
  workspaceId: string;
  /** The member or account key that it is called for; undefined if neither is known, such as for visitors. */
  actsFor?: string | undefined;
  botId: string | undefined;
  /** Undefined when a tool is being tested. */
  conversationId: string | undefined;
  /** The turn that calls it; undefined when a tool is being tested. */
  turnId?: string;
  /** Where spans of the call belong; undefined without telemetry. */
  traceParent?: string;
  /** Stays the same when a call is repeated, so that receivers can recognise it. */
  callId?: string;
  /** What a person's approval of this call was based on. */
  basis?: Record<string, unknown>;
  /** A person's approval of this call: its id, and who gave it. */
  approval?: { id: string; by: string };
  /** The model sees the images of results. */
  seesImages?: boolean;
  signal: AbortSignal;
  onProgress(text: string): void;
  /** Asks a person, and waits for the answer; undefined where nobody can be asked, such as in a test. */
  ask?(question: Question, signal: AbortSignal): Promise<PersonAnswer>;
}

export interface ToolResult {
  /** `unknown`: it may or may not have been carried out. */
  status: 'ok' | 'error' | 'unknown';
  /** The text that the model gets. */
  content: string;
  /** What readers and traces get: JSON of bounded size. */
  result: unknown;
  /** Shown to the model with this result, while the turn continues on its node. They are not stored for it. */
  images?: readonly ModelImage[];
  /** Passages found in the bot's knowledge, which a reply can cite. */
  passages?: KnownPassage[];
  /** Embeddings that the call used; the turn pays for them with the call. */
  used?: EmbeddingUse;
  /** The request that was sent, with secrets as `***`; shown when a tool is tested. */
  resolvedRequest?: ResolvedRequest;
}

export interface EmbeddingUse {
  model: string;
  inputTokens: number;
  /** Whether it has been recorded and paid for already. */
  isPaid: boolean;
}

export interface ResolvedRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | null;
}
