import { type Static, Type } from 'typebox';
import { Nullable, OneOf, Uuid } from './common.ts';

/**
 * What the service and the daemon on a paired machine send each other, as JSON text frames over one WebSocket. The daemon
 * starts with `hello`; the service answers with `welcome` and then sends operations. Both sides ignore fields that they do
 * not know, so that adjacent releases understand each other.
 */
export const protocolVersion = 1;

/** The largest frame that either side accepts. */
export const maxFrameBytes = 8 * 1024 * 1024;

/** The service refuses frames with more brackets and commas than this: parsing far more would block it. */
export const maxFrameValues = 50_000;

/** Of the text in a progress frame, and of the message of an outcome. */
export const maxTextCharacters = 65_536;

/** For commands whose arguments set no time limit. */
export const defaultTimeLimitSeconds = 120;

/** Why the service closes a connection; the daemon reconnects after any other code. */
export const closeCodes = {
  /** The machine was revoked: its key will never work again. */
  revoked: 4401,
  /** Another daemon connected with the same key. */
  replaced: 4409,
  /** The daemon sent something that this protocol does not allow, or speaks another version of it. */
  protocolError: 4400,
} as const;

export const operationNames = [
  'check_workdir',
  'describe_project',
  'list_files',
  'read_file',
  'search',
  'preview',
  'write_file',
  'edit_file',
  'apply_patch',
  'run_command',
  'start_process',
  'read_process',
  'stop_process',
  'revert',
] as const;
export type OperationName = (typeof operationNames)[number];

/** Operations that change files; the daemon saves the old content before it carries them out. */
export const changeNames = ['write_file', 'edit_file', 'apply_patch'] as const;
export type ChangeName = (typeof changeNames)[number];

/** What a daemon allows at most, as its owner chose on its command line. */
export const policies = ['read-only', 'ask', 'allow-listed'] as const;
export type PolicyLevel = (typeof policies)[number];

/** What the policy asks about is confirmed by somebody at the machine, or by the service, which says that a person approved it. */
export const confirmations = ['terminal', 'service'] as const;
export type Confirmation = (typeof confirmations)[number];

/** Paths are relative to the working directory, or absolute; all must be inside it or elsewhere in the same root. */
const Path = Type.String({ minLength: 1, maxLength: 4096 });

export const ListFiles = Type.Object({
  path: Type.Optional(Path),
  /** A glob that the paths of entries must match, such as `**\/*.ts`. */
  pattern: Type.Optional(Type.String({ minLength: 1, maxLength: 1000 })),
  /** How many levels of folders are listed; 1 lists the folder itself. */
  depth: Type.Optional(Type.Integer({ minimum: 1, maximum: 20 })),
});
export type ListFiles = Static<typeof ListFiles>;
export interface ListedFiles {
  entries: { path: string; type: 'file' | 'directory' | 'link' | 'other'; size?: number }[];
  /** There are more entries than are listed. */
  truncated: boolean;
}

export const ReadFile = Type.Object({
  path: Path,
  /** The first line to return, counted from 1. */
  start_line: Type.Optional(Type.Integer({ minimum: 1 })),
  /** The last line to return. */
  end_line: Type.Optional(Type.Integer({ minimum: 1 })),
  /** Whether an image is returned as such; otherwise it is refused, as other files that are not text. */
  images: Type.Optional(Type.Boolean()),
});
export type ReadFile = Static<typeof ReadFile>;
export interface FileImage {
  path: string;
  size: number;
  image: {
    media_type: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
    /** Base64. */
    data: string;
  };
}
export interface FileText {
  path: string;
  text: string;
  start_line: number;
  end_line: number;
  total_lines: number;
  size: number;
  /** Fewer lines are returned than were requested, because of the limit on their size. */
  truncated: boolean;
}

export const Search = Type.Object({
  query: Type.String({ minLength: 1, maxLength: 1000 }),
  /** The query is a regular expression instead of plain text. */
  regex: Type.Optional(Type.Boolean()),
  ignore_case: Type.Optional(Type.Boolean()),
  path: Type.Optional(Path),
  /** Searches only files whose paths match this glob. */
  glob: Type.Optional(Type.String({ minLength: 1, maxLength: 1000 })),
});
export type Search = Static<typeof Search>;
export interface SearchMatches {
  matches: { path: string; line: number; text: string }[];
  truncated: boolean;
  engine: 'ripgrep' | 'built-in';
}

export const WriteFile = Type.Object({ path: Path, content: Type.String({ maxLength: 2_000_000 }) });
export type WriteFile = Static<typeof WriteFile>;

export const EditFile = Type.Object({
  path: Path,
  /** Must occur exactly once in the file, unless all occurrences are replaced. */
  old_text: Type.String({ minLength: 1, maxLength: 1_000_000 }),
  new_text: Type.String({ maxLength: 1_000_000 }),
  replace_all: Type.Optional(Type.Boolean()),
});
export type EditFile = Static<typeof EditFile>;

/** A unified diff of one or more files, or the form that begins with `*** Begin Patch`. */
export const ApplyPatch = Type.Object({ patch: Type.String({ minLength: 1, maxLength: 2_000_000 }) });
export type ApplyPatch = Static<typeof ApplyPatch>;

export interface ChangedFiles {
  files: {
    path: string;
    action: 'created' | 'modified' | 'deleted' | 'unchanged';
    added_lines: number;
    removed_lines: number;
    /** A unified diff, shortened if it is long. */
    diff: string;
  }[];
}

const command = {
  command: Type.String({ minLength: 1, maxLength: 32_000 }),
  /** The folder to run it in; the working directory by default. */
  path: Type.Optional(Path),
  /** With access to the network, where commands have none. A person is asked about each such command. */
  network: Type.Optional(Type.Boolean()),
};

export const RunCommand = Type.Object({
  ...command,
  time_limit_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 3600 })),
});
export type RunCommand = Static<typeof RunCommand>;
export interface CommandEnd {
  command: string;
  cwd: string;
  /** Null when a signal ended it. */
  exit_code: number | null;
  signal: string | null;
  timed_out: boolean;
  /** Standard output and standard error as they came; of long output the beginning and the end. */
  output: string;
  output_bytes: number;
  /** Bytes left out of the middle. */
  omitted_bytes: number;
  duration_ms: number;
  sandbox: 'bubblewrap' | 'none';
}

/** A command that runs in the background, until it ends or is stopped, or its session ends. */
export const StartProcess = Type.Object(command);
export type StartProcess = Static<typeof StartProcess>;
const ProcessId = Type.String({ minLength: 1, maxLength: 40 });
export const ReadProcess = Type.Object({
  process_id: ProcessId,
  /** How long to wait for more output, or for its end; 0 by default. */
  wait_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 60 })),
});
export type ReadProcess = Static<typeof ReadProcess>;
export const StopProcess = Type.Object({ process_id: ProcessId });
export type StopProcess = Static<typeof StopProcess>;
export interface ProcessState {
  process_id: string;
  command: string;
  cwd: string;
  running: boolean;
  /** Null while it runs, and when a signal ended it. */
  exit_code: number | null;
  signal: string | null;
  /** What it printed since it was last read; of much output the beginning and the end. */
  output: string;
  /** Bytes left out of the middle. */
  omitted_bytes: number;
  /** How long it has run. */
  duration_ms: number;
}

/** What an approval shows and what its operation is compared with later. Nothing is changed. */
export const Preview = Type.Object({
  operation: OneOf([...changeNames, 'run_command', 'start_process']),
  arguments: Type.Unsafe<Record<string, unknown>>({ type: 'object' }),
});
export type Preview = Static<typeof Preview>;
export interface PreviewedChange {
  files: { path: string; diff: string }[];
  basis: Basis;
  /** The real path of the working directory; earlier daemons do not report it. */
  workdir?: string;
}
export interface PreviewedCommand {
  cwd: string;
  basis: Basis;
}

/** The state that a person approved an operation for. Real paths, so that a link that is changed later does not count. */
export const Basis = Type.Object({
  /** Every file that the operation may change, with a hash of its content that only the machine can compute; null if it does not exist. */
  files: Type.Optional(Type.Array(Type.Object({ path: Type.String(), hash: Nullable(Type.String()) }))),
  /** The directory that the command was approved for. */
  cwd: Type.Optional(Type.String()),
});
export type Basis = Static<typeof Basis>;

/** The newest operation first: the clock of a machine can be set back, so it cannot sort them by time. */
export const Revert = Type.Object({ operation_ids: Type.Array(Uuid, { maxItems: 10_000 }) });
export type Revert = Static<typeof Revert>;
export interface RevertedFiles {
  files: {
    operation_id: string;
    path: string;
    outcome: 'restored' | 'deleted' | 'changed_since' | 'failed';
    reason?: string;
  }[];
}

export interface CheckedWorkdir {
  /** The real path. */
  workdir: string;
}

/** What a model should know before it works in a directory. */
export interface DescribedProject {
  workdir: string;
  /** Such as `Linux 6.1.0 (x64)`. */
  system: string;
  shell: string;
  /** On the machine, with its time zone. Not the time, so that what models are sent stays the same for a while. */
  date: string;
  /** Null outside of a repository. */
  git: {
    /** Null if no branch is checked out. */
    branch: string | null;
    /** As `git status --short` prints them; null where git cannot be asked. */
    changes: string[] | null;
    /** The latest commits, each in one line. */
    commits: string[];
    truncated: boolean;
  } | null;
  /** Files that projects have for agents, the nearest to the root first. Whoever can write to the project wrote them. */
  instructions: { path: string; text: string; truncated: boolean }[];
  /** More such files, which are not included. */
  more_instructions: string[];
}

const HelloFrame = Type.Object({
  type: Type.Literal('hello'),
  protocol: Type.Integer(),
  /** Of the daemon's stored state: operations are repeated only to the daemon that knows them. */
  instance_id: Uuid,
  version: Type.String({ maxLength: 100 }),
  platform: Type.String({ maxLength: 100 }),
  roots: Type.Array(Type.String({ maxLength: 4096 }), { minItems: 1, maxItems: 100 }),
  sandbox: OneOf(['bubblewrap', 'none']),
  policy: Type.Optional(OneOf(policies)),
  confirmation: Type.Optional(OneOf(confirmations)),
  /** False where commands are refused. */
  runs_commands: Type.Optional(Type.Boolean()),
});
export type HelloFrame = Static<typeof HelloFrame>;

const WelcomeFrame = Type.Object({
  type: Type.Literal('welcome'),
  machine: Type.Object({ id: Uuid, name: Type.String() }),
});
export type WelcomeFrame = Static<typeof WelcomeFrame>;

/** Carried out at most once: repeated with the same id, it is answered with the result of the first time. */
const OperationFrame = Type.Object({
  type: Type.Literal('operation'),
  id: Uuid,
  name: OneOf(operationNames),
  workdir: Type.String({ minLength: 1, maxLength: 4096 }),
  arguments: Type.Unsafe<Record<string, unknown>>({ type: 'object' }),
  basis: Type.Optional(Basis),
  /** A person's approval of exactly this operation, as the service states it. */
  approval: Type.Optional(Type.Object({ id: Uuid, by: Type.String({ maxLength: 300 }) })),
  /** For whom it is done, as shown on the machine. */
  requested_by: Type.Object({
    bot: Nullable(Type.String()),
    conversation_id: Nullable(Type.String()),
  }),
});
export type OperationFrame = Static<typeof OperationFrame>;

/** Ends an operation; one that has not arrived yet must never start. */
const CancelFrame = Type.Object({ type: Type.Literal('cancel'), id: Uuid });
export type CancelFrame = Static<typeof CancelFrame>;

const ProgressFrame = Type.Object({
  type: Type.Literal('progress'),
  id: Uuid,
  text: Type.String({ maxLength: maxTextCharacters }),
});
export type ProgressFrame = Static<typeof ProgressFrame>;

/** `unknown`: the daemon crashed while it was carried out, and cannot tell how far it came. */
export const Outcome = Type.Union([
  Type.Object({ status: Type.Literal('ok'), value: Type.Unknown() }),
  Type.Object({ status: Type.Literal('error'), message: Type.String({ maxLength: maxTextCharacters }) }),
  Type.Object({ status: Type.Literal('unknown'), message: Type.String({ maxLength: maxTextCharacters }) }),
]);
export type Outcome = Static<typeof Outcome>;

const ResultFrame = Type.Object({ type: Type.Literal('result'), id: Uuid, outcome: Outcome });
export type ResultFrame = Static<typeof ResultFrame>;

export const ServiceFrame = Type.Union([WelcomeFrame, OperationFrame, CancelFrame]);
export type ServiceFrame = Static<typeof ServiceFrame>;

export const MachineFrame = Type.Union([HelloFrame, ProgressFrame, ResultFrame]);
export type MachineFrame = Static<typeof MachineFrame>;
