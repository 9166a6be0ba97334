import {
  ApplyPatch,
  defaultTimeLimitSeconds,
  EditFile,
  ListFiles,
  type OperationName,
  ReadFile,
  ReadProcess,
  RunCommand,
  Search,
  StartProcess,
  StopProcess,
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
    | 'run_command'
    | 'start_process'
    | 'read_process'
    | 'stop_process';
  /** `process`: about a process that was started before, so that nobody is asked again. */
  kind: 'read' | 'change' | 'command' | 'process';
  description: string;
  parameters: Parameters;
  check: Check<Record<string, unknown>>;
}

const path = 'Relative to the working directory, or absolute.';
const network =
  'Set it to true only if the command needs the network, such as to install packages: commands may have none otherwise. A person is always asked.';
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
      'Reads a text file, or a range of its lines, or shows you an image if you can see images. Returns at most 64 KB of text exactly as it is in the file, without line numbers, after one line that says which lines they are. For more, read on from the line that it names.',
    parameters: describeParameters(Type.Omit(ReadFile, ['images']), {
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
      network,
    }),
  }),
  operation({
    name: 'start_process',
    kind: 'command',
    description:
      'Starts a command line in the background, such as a server or a watcher, and returns its process_id and what it prints in the first second. It runs until it ends, until you stop it, or until nothing was done in this conversation for half an hour.',
    parameters: describeParameters(StartProcess, {
      command: 'The command line. Do not end it with &.',
      path: `The folder to run it in. ${path} The working directory by default.`,
      network,
    }),
  }),
  operation({
    name: 'read_process',
    kind: 'process',
    description:
      'Returns what a process in the background has printed since you last read it, and whether it still runs.',
    parameters: describeParameters(ReadProcess, {
      process_id: 'As start_process returned it.',
      wait_seconds: 'How long to wait until it prints something or ends; 0 by default.',
    }),
  }),
  operation({
    name: 'stop_process',
    kind: 'process',
    description: 'Stops a process in the background, and returns the rest of what it printed.',
    parameters: describeParameters(StopProcess, { process_id: 'As start_process returned it.' }),
  }),
];

/** What the machine is asked to do. */
export function machineNameOf({ name }: CodingOperation): OperationName {
  return name === 'glob' ? 'list_files' : name;
}

/** How long the machine may take. */
export function timeLimitOf({ name }: CodingOperation, given: Record<string, unknown>): number {
  if (name === 'read_process') return fileTimeLimitMs * 2;
  if (name !== 'run_command') return fileTimeLimitMs;
  const { time_limit_seconds: seconds = defaultTimeLimitSeconds } = given as Partial<RunCommand>;
  return seconds * 1000;
}

function requiring(parameters: Parameters, name: string): Parameters {
  return { ...parameters, required: [...parameters.required, name] };
}

function operation(definition: Omit<CodingOperation, 'check'>): CodingOperation {
  return { ...definition, check: compileCheck(definition.parameters) };
}
