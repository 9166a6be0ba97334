import {
  Basis,
  type ChangedFiles,
  type CommandEnd,
  type FileText,
  type ListedFiles,
  type PreviewedChange,
  type PreviewedCommand,
  type SearchMatches,
} from '@svc/contract/machine-protocol';
import { AppError } from '../../../app-error.ts';
import { compileCheck } from '../../../validation/checker.ts';

const text = { type: 'string' };
const count = { type: 'number', minimum: 0 };
const flag = { type: 'boolean' };
const list = (items: object) => ({ type: 'array', items });
const object = (properties: Record<string, object>, optional: string[] = []) => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
});

/** Returns the value typed, or throws UPSTREAM_FAILED. */
type Reader<Value> = (value: unknown) => Value;

function reader<Value>(schema: object): Reader<Value> {
  const check = compileCheck<Value>(schema);
  return (value) => {
    try {
      return check(value, '');
    } catch (error) {
      const message =
        'The machine returned something that the service cannot read. The svc-machine on it may have to be updated.';
      throw new AppError('UPSTREAM_FAILED', { message, cause: error });
    }
  };
}

/** Checks of what a machine returns: its daemon may be of another version, or not ours at all. */
export const machineValues = {
  list_files: reader<ListedFiles>(
    object({
      entries: list(object({ path: text, type: text, size: count }, ['size'])),
      truncated: flag,
    }),
  ),
  read_file: reader<FileText>(
    object({
      path: text,
      text,
      start_line: count,
      end_line: count,
      total_lines: count,
      size: count,
      truncated: flag,
    }),
  ),
  search: reader<SearchMatches>(
    object({ matches: list(object({ path: text, line: count, text })), truncated: flag, engine: text }),
  ),
  change: reader<ChangedFiles>(
    object({
      files: list(object({ path: text, action: text, added_lines: count, removed_lines: count, diff: text })),
    }),
  ),
  run_command: reader<CommandEnd>(
    object({
      command: text,
      cwd: text,
      exit_code: { type: ['integer', 'null'] },
      signal: { type: ['string', 'null'] },
      timed_out: flag,
      output: text,
      output_bytes: count,
      omitted_bytes: count,
      duration_ms: count,
      sandbox: text,
    }),
  ),
  previewedChange: reader<PreviewedChange>(
    object({ files: list(object({ path: text, diff: text })), basis: Basis }),
  ),
  previewedCommand: reader<PreviewedCommand>(object({ cwd: text, basis: Basis })),
};
