import type {
  ChangeName,
  CheckedWorkdir,
  ListFiles,
  OperationName,
  Outcome,
  Preview,
  PreviewedChange,
  PreviewedCommand,
  ReadFile,
  Revert,
  RunCommand,
  Search,
} from '@svc/contract/machine-protocol';
import { quote, Refusal } from '../confine/refusal.ts';
import { locateIn, openWorkdir, type Workdir } from '../confine/workdir.ts';
import type { Operation } from '../operations/work.ts';
import { carryOut } from './change/carry-out.ts';
import { createChangeStore } from './change/change-store.ts';
import { prepareChange, previewOf, requireBasis } from './change/prepare.ts';
import type { ChangeContext } from './change/put-back.ts';
import { recoverChange } from './change/recover.ts';
import { revertChanges } from './change/revert.ts';
import { isChangeName } from './change-names.ts';
import { ParentGone } from './process/parent.ts';
import type { FileRequest } from './process/request.ts';
import { withinTime } from './process/within-time.ts';
import { describeProject } from './read/describe-project.ts';
import { listFiles } from './read/list-files.ts';
import { readFileOrImage } from './read/read-file.ts';
import { search } from './read/search.ts';
import { timeLimits } from './time-limits.ts';

export interface HandlerOptions {
  roots: readonly string[];
  stateFolder: string;
  beforeEffect(): void;
}

/** Runs in the process that works on files, and blocks it. The daemon has checked the types of all arguments. */
export function handleRequest(request: FileRequest, options: HandlerOptions): Outcome {
  const context = { ...options, store: createChangeStore(options.stateFolder) };
  const { operation } = request;
  if (request.kind === 'recover') return recover(context, operation.id, operation.name);
  return perform(context, request.operation);
}

function recover(context: ChangeContext, id: string, name: OperationName): Outcome {
  if (isChangeName(name)) return recoverOrUnknown(context, id);
  return { status: 'error', message: 'The operation was interrupted; repeat it.' };
}

function perform(context: ChangeContext & HandlerOptions, operation: Operation): Outcome {
  if (isChangeName(operation.name)) return carryOutChange(context, operation, operation.name);
  if (operation.name === 'revert') return ok(revertChanges(context, operation.arguments as Revert));
  return ok(read(context, operation));
}

function carryOutChange(
  context: ChangeContext & HandlerOptions,
  operation: Operation,
  name: ChangeName,
): Outcome {
  // The daemon repeats nothing; if it did, nothing must happen twice.
  if (context.store.find(operation.id)) return recoverOrUnknown(context, operation.id);
  const { isApproved: mayOpenSecrets = false } = operation;
  const workdir = { ...openWorkdir(context.roots, operation.workdir), mayOpenSecrets };
  const prepared = bounded(() => prepareChange(workdir, name, operation.arguments));
  requireBasis(prepared, operation.basis, context.stateFolder);
  try {
    return carryOut(context, operation.id, prepared);
  } catch (error) {
    // Without a manifest nothing was changed.
    if (error instanceof ParentGone || !context.store.find(operation.id)) throw error;
    return recoverOrUnknown(context, operation.id);
  }
}

function recoverOrUnknown(context: ChangeContext, id: string): Outcome {
  try {
    return recoverChange(context, id);
  } catch (error) {
    if (error instanceof ParentGone) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    return { status: 'unknown', message: `The change was interrupted, and recovering it failed: ${reason}` };
  }
}

function read(
  { roots, stateFolder }: HandlerOptions,
  { name, workdir: requested, arguments: given, isApproved: mayOpenSecrets = false }: Operation,
): unknown {
  const workdir = { ...openWorkdir(roots, requested), mayOpenSecrets };
  switch (name) {
    case 'check_workdir':
      return { workdir: workdir.path } satisfies CheckedWorkdir;
    case 'describe_project':
      return bounded(() => describeProject(workdir));
    case 'list_files':
      return bounded(() => listFiles(workdir, given as ListFiles));
    case 'read_file':
      return readFileOrImage(workdir, given as ReadFile);
    case 'search':
      return bounded(() => search(workdir, given as Search));
    case 'preview':
      return bounded(() => preview(workdir, given as Preview, stateFolder));
    case 'write_file':
    case 'edit_file':
    case 'apply_patch':
    case 'run_command':
    case 'start_process':
    case 'read_process':
    case 'stop_process':
    case 'revert':
      throw new Refusal(`${name} is not an operation on files.`);
  }
}

function preview(
  workdir: Workdir,
  { operation, arguments: given }: Preview,
  stateFolder: string,
): PreviewedChange | PreviewedCommand {
  // To replace a whole file tells nothing of what is in it; whether a piece of text occurs in it does.
  const mayOpenSecrets = operation === 'write_file';
  if (isChangeName(operation))
    return {
      ...previewOf(prepareChange({ ...workdir, mayOpenSecrets }, operation, given), stateFolder),
      workdir: workdir.path,
    };
  const { path = '.' } = given as RunCommand;
  const { path: cwd, stat } = locateIn(workdir, path);
  if (!stat?.isDirectory()) throw new Refusal(`${quote(path)} is not a folder.`);
  return { cwd, basis: { cwd } };
}

/** For what takes patterns or long texts from the model. */
function bounded<Result>(action: () => Result): Result {
  return withinTime(timeLimits.bounded, action);
}

function ok(value: unknown): Outcome {
  return { status: 'ok', value };
}
