import type { FullEvent } from '@svc/client/conversation';
import { isObject } from '../../validation/json-schema/check.ts';
import { diffLines, firstLines, type StyledLine } from './diff-lines.ts';
import type { Terminal } from './terminal.ts';

type Data<Type extends FullEvent['type']> = Extract<FullEvent, { type: Type }>['data'];

const maxTextLength = 100;
const maxOutputLines = 20;
const maxDiffLines = 40;
const indent = '  │ ';

/** Shows the calls of tools: what they were called with, the lines that they print, and how they ended. */
export function createCallView(terminal: Pick<Terminal, 'say' | 'sayLines'>) {
  /** Of commands that are running: the end of what they printed, which may be half a line. */
  const unfinished = new Map<string, string>();
  /** Commands whose output was shown while they ran. */
  const streamed = new Set<string>();

  function showOutput(lines: readonly string[]): void {
    terminal.sayLines(lines.map((line) => ({ text: `${indent}${line}`, style: 'dim' })));
  }

  return {
    started({ tool_name: name, tool_type: type, tool_call_id: id, arguments: given }: Data<'tool.started'>) {
      if (type === 'coding') unfinished.set(id, '');
      terminal.say(`→ ${name} ${oneLine(typeof given['command'] === 'string' ? given['command'] : given)}`);
    },

    progress({ tool_call_id: id, text }: Data<'tool.progress'>, name: string) {
      const before = unfinished.get(id);
      if (before === undefined) return terminal.say(`  ${name}: ${oneLine(text)}`);
      const lines = `${before}${text}`.split(/\r?\n/);
      unfinished.set(id, lines.pop() ?? '');
      if (lines.length === 0) return undefined;
      streamed.add(id);
      return showOutput(lines);
    },

    completed(
      { tool_call_id: id, status, result, duration_ms: duration }: Data<'tool.completed'>,
      name: string,
    ) {
      const rest = unfinished.get(id);
      if (rest && streamed.has(id)) showOutput([rest]);
      else if (!streamed.has(id)) showOutput(lastLines(outputOf(result)));
      unfinished.delete(id);
      terminal.sayLines(changesOf(result));
      const ended = `← ${name} ${howItEnded(status, result)}, ${(duration / 1_000).toFixed(1)} s`;
      terminal.say(status === 'ok' || result === null ? ended : `${ended}: ${oneLine(result)}`);
    },
  };
}

/** What the spinner says while a call runs. */
export function runningText({ tool_name: name, arguments: given }: Data<'tool.started'>): string {
  const what = given['command'] ?? given['path'] ?? given['query'] ?? given['url'];
  return typeof what === 'string' ? `${name} ${oneLine(what)}` : name;
}

/** A command that fails has run, so its status is ok; what counts is its exit code. */
function howItEnded(status: string, result: unknown): string {
  const code = isObject(result) ? result['exit_code'] : undefined;
  return status === 'ok' && typeof code === 'number' && code !== 0 ? `failed with exit code ${code}` : status;
}

function outputOf(result: unknown): string {
  const output = isObject(result) && 'exit_code' in result ? result['output'] : undefined;
  return typeof output === 'string' ? output.replace(/\n$/, '') : '';
}

function lastLines(output: string): string[] {
  if (output === '') return [];
  const lines = output.split(/\r?\n/);
  if (lines.length <= maxOutputLines) return lines;
  return [`… ${lines.length - maxOutputLines} lines before this`, ...lines.slice(-maxOutputLines)];
}

/** The diffs of a call that changed files, not too long for a screen. */
function changesOf(result: unknown): StyledLine[] {
  return firstLines(diffsIn(result), maxDiffLines, ': /diff shows all of it');
}

/** All diffs in the result of a call. */
export function diffsIn(result: unknown): StyledLine[] {
  const files = isObject(result) ? result['files'] : undefined;
  if (!Array.isArray(files)) return [];
  return files.flatMap((file: unknown) => {
    const diff = isObject(file) ? file['diff'] : undefined;
    return typeof diff === 'string' && diff !== '' ? diffLines(diff, indent) : [];
  });
}

/** On one line, and not too long for it. */
export function oneLine(value: unknown): string {
  const text = (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).replaceAll(/\s+/g, ' ');
  return text.length <= maxTextLength ? text : `${text.slice(0, maxTextLength - 1)}…`;
}
