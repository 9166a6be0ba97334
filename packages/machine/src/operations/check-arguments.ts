import {
  ApplyPatch,
  EditFile,
  ListFiles,
  type OperationName,
  Preview,
  ReadFile,
  Revert,
  RunCommand,
  Search,
  WriteFile,
} from '@svc/contract/machine-protocol';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';

const checkers = {
  check_workdir: Compile(Type.Object({})),
  list_files: Compile(ListFiles),
  read_file: Compile(ReadFile),
  search: Compile(Search),
  preview: Compile(Preview),
  write_file: Compile(WriteFile),
  edit_file: Compile(EditFile),
  apply_patch: Compile(ApplyPatch),
  run_command: Compile(RunCommand),
  revert: Compile(Revert),
} satisfies Record<OperationName, unknown>;

/** What is wrong with the arguments of an operation; undefined if nothing is. */
export function faultOfArguments(name: OperationName, given: Record<string, unknown>): string | undefined {
  const checker = checkers[name];
  if (!checker.Check(given)) {
    const [first] = checker.Errors(given);
    return `The arguments of ${name} are invalid: ${first?.instancePath || 'they'} ${first?.message}.`;
  }
  if (name !== 'preview') return undefined;
  const previewed = given as Preview;
  return faultOfArguments(previewed.operation, previewed.arguments);
}
