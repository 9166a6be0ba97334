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
import { type TSchema, Type } from 'typebox';
import { Check } from 'typebox/schema';

const schemas: Record<OperationName, TSchema> = {
  check_workdir: Type.Object({}),
  list_files: ListFiles,
  read_file: ReadFile,
  search: Search,
  preview: Preview,
  write_file: WriteFile,
  edit_file: EditFile,
  apply_patch: ApplyPatch,
  run_command: RunCommand,
  revert: Revert,
};

/** What is wrong with the arguments of an operation; undefined if nothing is. */
export function faultOfArguments(name: OperationName, given: Record<string, unknown>): string | undefined {
  if (!Check(schemas[name], given)) return `The machine received invalid arguments of ${name}.`;
  if (name !== 'preview') return undefined;
  const { operation, arguments: previewed } = given as unknown as Preview;
  return faultOfArguments(operation, previewed);
}
