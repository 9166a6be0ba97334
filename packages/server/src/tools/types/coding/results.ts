import { stripVTControlCharacters } from 'node:util';
import type {
  ChangedFiles,
  CommandEnd,
  FileImage,
  FileText,
  ListedFiles,
  ProcessState,
  SearchMatches,
} from '@svc/contract/machine-protocol';
import { ModelImage } from '../../../models/model-image.ts';
import type { ToolResult } from '../../tool-type.ts';
import { boundEnds } from '../shared/bound-ends.ts';
import { boundText } from '../shared/bound-text.ts';
import { machineValues } from './machine-values.ts';
import type { CodingOperation } from './operations.ts';

/** What a model and readers each get of one result. */
const maxBytes = 64 * 1024;
const maxLineBytes = 1000;

/** Turns what a machine returned into texts. Throws UPSTREAM_FAILED if it is not what the protocol says. */
export function readResult(name: CodingOperation['name'], value: unknown): ToolResult {
  switch (name) {
    case 'list_files':
    case 'glob':
      return listed(machineValues.list_files(value));
    case 'read_file':
      return isImage(value) ? seen(machineValues.image(value)) : readLines(machineValues.read_file(value));
    case 'search':
      return found(machineValues.search(value));
    case 'write_file':
    case 'edit_file':
    case 'apply_patch':
      return changed(machineValues.change(value));
    case 'run_command':
      return readCommandEnd(machineValues.run_command(value), maxBytes);
    case 'start_process':
    case 'read_process':
    case 'stop_process':
      return readProcess(machineValues.process(value));
  }
}

function listed({ entries, truncated }: ListedFiles): ToolResult {
  const { lines, isCut } = linesWithin(entries.map(entryLine));
  const notes = truncated || isCut ? ['There are more: list a folder of these, or use a pattern.'] : [];
  return {
    status: 'ok',
    content: [...(lines.length > 0 ? lines : ['Nothing was found.']), ...notes].join('\n'),
    result: {
      entries: entries
        .slice(0, lines.length)
        .map(({ path, type, size }) => ({ path, type, ...(size !== undefined && { size }) })),
      truncated: truncated || isCut,
    },
  };
}

function entryLine({ path, type, size }: ListedFiles['entries'][number]): string {
  if (type === 'directory') return `${path}/`;
  if (type === 'file') return size === undefined ? path : `${path} (${size} bytes)`;
  return `${path} (${type})`;
}

function isImage(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'image' in value;
}

function seen({ path, size, image: { media_type: type, data } }: FileImage): ToolResult {
  return {
    status: 'ok',
    content: `${path}, an image (${type}, ${size} bytes). To see it again later, read it again.`,
    result: { path, size, media_type: type },
    images: [new ModelImage(type, data)],
  };
}

function readLines(file: FileText): ToolResult {
  const { text: beginning, cut } = boundText(file.text, maxBytes);
  // Without a line that was cut, unless it is the only one.
  const text = cut ? beginning.slice(0, beginning.lastIndexOf('\n') + 1) || beginning : beginning;
  const end = cut ? file.start_line + text.split('\n').length - 2 : file.end_line;
  const { path, start_line, total_lines, size } = file;
  const read = { path, text, start_line, end_line: end, total_lines, size, truncated: cut || file.truncated };
  return { status: 'ok', content: `${placeOf(read)}\n${text}`, result: read };
}

function placeOf({
  path,
  start_line: start,
  end_line: end,
  total_lines: total,
  truncated,
}: FileText): string {
  if (total === 0) return `${path} is empty.`;
  if (!truncated) return `${path}, lines ${start} to ${end} of ${total}.`;
  if (end < start)
    return `${path}, the beginning of line ${start} of ${total}, which is too long to be shown.`;
  return `${path}, lines ${start} to ${end} of ${total}. This is not all: continue with start_line ${end + 1}.`;
}

function found({ matches, truncated, engine }: SearchMatches): ToolResult {
  const shown = matches.map(({ path, line, text }) => ({
    path,
    line,
    text: boundText(text, maxLineBytes).text,
  }));
  const { lines, isCut } = linesWithin(shown.map(({ path, line, text }) => `${path}:${line}: ${text}`));
  const notes = truncated || isCut ? ['There are more matches: search for something more specific.'] : [];
  return {
    status: 'ok',
    content: [...(lines.length > 0 ? lines : ['Nothing was found.']), ...notes].join('\n'),
    result: { matches: shown.slice(0, lines.length), truncated: truncated || isCut, engine },
  };
}

function changed({ files }: ChangedFiles): ToolResult {
  const { lines, isCut } = linesWithin(
    files.map((file) => `${file.path}: ${file.action} (+${file.added_lines} -${file.removed_lines} lines)`),
  );
  let left = maxBytes;
  const shown = files.slice(0, lines.length).map(({ path, action, added_lines, removed_lines, ...file }) => {
    const { text: diff } = boundText(file.diff, left);
    left -= Buffer.byteLength(diff);
    return { path, action, added_lines, removed_lines, diff };
  });
  return {
    status: 'ok',
    content: [...lines, ...(isCut ? [`${files.length} files in total.`] : [])].join('\n'),
    result: { files: shown },
  };
}

/** As many lines as fit. */
function linesWithin(lines: readonly string[]): { lines: string[]; isCut: boolean } {
  let left = maxBytes;
  const end = lines.findIndex((line) => {
    left -= Buffer.byteLength(line) + 1;
    return left < 0;
  });
  return { lines: lines.slice(0, end === -1 ? lines.length : end), isCut: end !== -1 };
}

/** A command that fails has still run: its exit code is the result, not an error of the tool. */
function readCommandEnd(end: CommandEnd, most: number): ToolResult {
  const output = boundEnds(stripVTControlCharacters(end.output), most);
  const omitted =
    end.omitted_bytes > 0 ? ` Of its ${end.output_bytes} bytes of output, the middle is left out.` : '';
  const isOver = end.exit_code !== null && !end.timed_out;
  return {
    status: isOver ? 'ok' : 'error',
    content: `${howItEnded(end)}${omitted}\n${output || 'It printed nothing.'}`,
    result: {
      command: end.command,
      cwd: end.cwd,
      exit_code: end.exit_code,
      signal: end.signal,
      timed_out: end.timed_out,
      output,
      output_bytes: end.output_bytes,
      omitted_bytes: end.omitted_bytes,
      duration_ms: end.duration_ms,
      sandbox: end.sandbox,
    },
  };
}

function readProcess(state: ProcessState): ToolResult {
  const output = boundEnds(stripVTControlCharacters(state.output), maxBytes);
  const { process_id: id, running, exit_code, signal, omitted_bytes, duration_ms } = state;
  const how = running
    ? `Process ${id} has run for ${(duration_ms / 1000).toFixed(1)} s and still runs.`
    : `Process ${id} is over. ${howItEnded({ exit_code, signal, duration_ms, timed_out: false })}`;
  const { command, cwd } = state;
  return {
    status: 'ok',
    content: `${how}\n${output || 'It printed nothing new.'}`,
    result: { process_id: id, command, cwd, running, exit_code, signal, output, omitted_bytes, duration_ms },
  };
}

function howItEnded({
  exit_code: code,
  signal,
  timed_out: timedOut,
  duration_ms: duration,
}: Pick<CommandEnd, 'exit_code' | 'signal' | 'timed_out' | 'duration_ms'>): string {
  const seconds = (duration / 1000).toFixed(1);
  if (timedOut)
    return `The command was ended after ${seconds} seconds, its time limit. If it needs longer, set time_limit_seconds.`;
  return code === null
    ? `Ended by ${signal ?? 'a signal'} after ${seconds} s.`
    : `Exit code ${code} after ${seconds} s.`;
}
