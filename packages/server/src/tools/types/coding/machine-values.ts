import {
  Basis,
  type ChangedFiles,
  type CommandEnd,
  type DescribedProject,
  type FileImage,
  type FileText,
  type ListedFiles,
  type PreviewedChange,
  type PreviewedCommand,
  type ProcessState,
  RunCommand,
  type SearchMatches,
} from '@svc/contract/machine-protocol';
import { AppError } from '../../../lib/app-error.ts';
import { compileCheck } from '../../../validation/checker.ts';

const text = { type: 'string' };
const shortText = { type: 'string', maxLength: 64 * 1024 };
const line = { type: 'string', maxLength: 1000 };
const path = { type: 'string', maxLength: 8192 };
/** Words of the protocol. Not an enum, because a newer daemon may know more of them. */
const word = { type: 'string', maxLength: 100 };
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
  describe_project: reader<DescribedProject>(
    object({
      workdir: path,
      system: line,
      shell: line,
      date: line,
      git: {
        ...object({
          branch: { type: ['string', 'null'], maxLength: 1000 },
          changes: { type: ['array', 'null'], items: line, maxItems: 1000 },
          commits: { type: 'array', items: line, maxItems: 100 },
          truncated: flag,
        }),
        type: ['object', 'null'],
      },
      instructions: { ...list(object({ path, text: shortText, truncated: flag })), maxItems: 100 },
      more_instructions: { ...list(path), maxItems: 100 },
    }),
  ),
  list_files: reader<ListedFiles>(
    object({
      entries: list(object({ path, type: word, size: count }, ['size'])),
      truncated: flag,
    }),
  ),
  image: reader<FileImage>(
    object({
      path,
      size: count,
      image: object({
        media_type: { enum: ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] },
        data: { type: 'string', pattern: '^[A-Za-z0-9+/]+={0,2}$', maxLength: 5_000_000 },
      }),
    }),
  ),
  read_file: reader<FileText>(
    object({
      path,
      text,
      start_line: count,
      end_line: count,
      total_lines: count,
      size: count,
      truncated: flag,
    }),
  ),
  search: reader<SearchMatches>(
    object({ matches: list(object({ path, line: count, text })), truncated: flag, engine: word }),
  ),
  change: reader<ChangedFiles>(
    object({
      files: list(object({ path, action: word, added_lines: count, removed_lines: count, diff: text })),
    }),
  ),
  run_command: reader<CommandEnd>(
    object({
      command: RunCommand.properties.command,
      cwd: path,
      exit_code: { type: ['integer', 'null'] },
      signal: { type: ['string', 'null'], maxLength: 100 },
      timed_out: flag,
      output: text,
      output_bytes: count,
      omitted_bytes: count,
      duration_ms: count,
      sandbox: word,
    }),
  ),
  process: reader<ProcessState>(
    object({
      process_id: word,
      command: RunCommand.properties.command,
      cwd: path,
      running: flag,
      exit_code: { type: ['integer', 'null'] },
      signal: { type: ['string', 'null'], maxLength: 100 },
      output: text,
      omitted_bytes: count,
      duration_ms: count,
    }),
  ),
  previewedChange: reader<PreviewedChange>(
    object({ files: list(object({ path, diff: text })), basis: Basis, workdir: path }, ['workdir']),
  ),
  previewedCommand: reader<PreviewedCommand>(object({ cwd: path, basis: Basis })),
};
