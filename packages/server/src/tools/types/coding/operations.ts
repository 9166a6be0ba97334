import {
  ApplyPatch,
  defaultTimeLimitSeconds,
  EditFile,
  ListFiles,
  type OperationName,
  ReadFile,
  RunCommand,
  Search,
  WriteFile,
} from '@svc/contract/machine-protocol';
import { Type } from 'typebox';
import { type Check, compileCheck } from '../../../validation/checker.ts';
import { describeParameters, type Parameters } from './coding-parameters.ts';

/** What a coding tool offers to models. */
export interface CodingOperation {
  name:
    | 'list_files'
    | 'glob'
    | 'read_file'
    | 'search'
    | 'write_file'
    | 'edit_file'
    | 'apply_patch'
    | 'run_command';
  kind: 'read' | 'change' | 'command';
  /** What the machine is asked to do, if it is not called the same. */
  machineName?: OperationName;
  description: string;
  parameters: Parameters;
  check: Check<Record<string, unknown>>;
}

const path = 'Relative to the working directory, or absolute.';
const fileTimeLimitMs = 60_000;

const listFiles = operation({
  name: 'list_files',
  kind: 'read',
  description:
    'Lists files and folders, with paths relative to the working directory; folders end with a slash. Use it to see how the project is laid out. It lists one level unless depth or pattern is given.',
  parameters: describeParameters(ListFiles, {
    path: `The folder to list. ${path} The working directory by default.`,
    pattern: 'Lists only paths that match this glob, such as **/*.ts.',
    depth: 'How many levels of folders to list; 1 lists only the folder itself.',
  }),
});

export const operations: readonly CodingOperation[] = [
  listFiles,
  operation({
    name: 'glob',
    kind: 'read',
    machineName: 'list_files',
    description:
      'Finds files by their names, in the folder and everything below it. Use it when you know how a file is called, but not where it is; use search to find text in files.',
    parameters: requiring(
      describeParameters(Type.Pick(ListFiles, ['path', 'pattern']), {
        path: `The folder to look in. ${path} The working directory by default.`,
        pattern:
          'A glob such as **/*.test.ts or src/**/{index,main}.py. One without a slash is about names in any folder.',
      }),
      'pattern',
    ),
  }),
  operation({
    name: 'read_file',
    kind: 'read',
    description:
      'Reads a text file, or a range of its lines. Returns at most 64 KB of text exactly as it is in the file, without line numbers, after one line that says which lines they are. For more, read on from the line that it names.',
    parameters: describeParameters(ReadFile, {
      path,
      start_line: 'The first line to return, counted from 1.',
      end_line: 'The last line to return.',
    }),
  }),
  operation({
    name: 'search',
    kind: 'read',
    description:
      'Finds text in files and returns the matching lines as path:line: text. Use it to find where something is defined or used before you read files.',
    parameters: describeParameters(Search, {
      query: 'The text to find, as it is in the file; a regular expression if regex is true.',
      regex: 'The query is a regular expression.',
      ignore_case: 'Upper and lower case are the same.',
      path: `The folder or file to search. ${path} The working directory by default.`,
      glob: 'Searches only files whose paths match this glob, such as **/*.ts.',
    }),
  }),
  operation({
    name: 'write_file',
    kind: 'change',
    description:
      'Creates a file, or replaces all of its content. Missing folders are created. To change a part of a file, use edit_file.',
    parameters: describeParameters(WriteFile, { path, content: 'The whole new content of the file.' }),
  }),
  operation({
    name: 'edit_file',
    kind: 'change',
    description:
      'Replaces one piece of text in a file. old_text must occur exactly once in the file, character for character, indentation included: read the file first, and include enough lines around the change to make it unique. With replace_all every occurrence is replaced.',
    parameters: describeParameters(EditFile, {
      path,
      old_text: 'The text to replace, exactly as read_file returned it.',
      new_text: 'The text to put in its place; empty to remove it.',
      replace_all: 'Replaces every occurrence, however many there are; by default there must be exactly one.',
    }),
  }),
  operation({
    name: 'apply_patch',
    kind: 'change',
    description:
      'Applies a patch to one or more files: all of it or nothing. Use it for changes in several places or files. Every hunk must match the files as they are now.',
    parameters: describeParameters(ApplyPatch, {
      patch:
        'A unified diff: --- and +++ lines with paths relative to the working directory, then @@ hunks; line numbers may be left out where the lines of a hunk occur only once. /dev/null as the old or new name creates or deletes a file. The form with *** Begin Patch and *** Add File, *** Update File, *** Move to or *** Delete File works too.',
    }),
  }),
  operation({
    name: 'run_command',
    kind: 'command',
    description: `Runs a command line in a shell and returns its exit code, then its output; of long output only the beginning and the end. It gets no input, and it ends after ${defaultTimeLimitSeconds} seconds unless time_limit_seconds says otherwise. Do not use it to read or change files, for which there are functions.`,
    parameters: describeParameters(RunCommand, {
      command: 'The command line.',
      path: `The folder to run it in. ${path} The working directory by default.`,
      time_limit_seconds: `How long it may take; ${defaultTimeLimitSeconds} by default.`,
    }),
  }),
];

/** How long the machine may take. */
export function timeLimitOf({ kind }: CodingOperation, given: Record<string, unknown>): number {
  if (kind !== 'command') return fileTimeLimitMs;
  const { time_limit_seconds: seconds = defaultTimeLimitSeconds } = given as Partial<RunCommand>;
  return seconds * 1000;
}

function requiring(parameters: Parameters, name: string): Parameters {
  return { ...parameters, required: [...parameters.required, name] };
}

function operation(definition: Omit<CodingOperation, 'check'>): CodingOperation {
  return { ...definition, check: compileCheck(definition.parameters) };
}
