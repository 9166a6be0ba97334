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
import { Check, Errors } from 'typebox/value';

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

/** What is wrong with the arguments of an operation, including those of the operation that a preview is about. */
export function findArgumentError(name: OperationName, given: unknown): string | undefined {
  const schema = schemas[name];
  if (Check(schema, given)) {
    if (name !== 'preview') return undefined;
    const { operation, arguments: inner } = given as Preview;
    return findArgumentError(operation, inner);
  }
  const [error] = Errors(schema, given);
  return `The arguments of ${name} are not valid: ${error?.instancePath ?? ''} ${error?.message ?? ''}.`;
}
