import type { GuardedResponse } from '../../../egress/guarded-lane.ts';
import type { ToolResult } from '../../tool-type.ts';
import { boundText } from '../shared/bound-text.ts';
import { parseJsonPath, readJsonPath } from '../shared/json-path.ts';
import type { Redactor } from '../shared/redactor.ts';
import { mediaTypeOf, textOf } from '../shared/response-text.ts';

const maxBytes = 64 * 1024;
const maxErrorBytes = 4 * 1024;

/** What the model and the trace get of a response: bounded, and without secrets that a server may echo. */
export function readAnswer(
  answer: GuardedResponse,
  responsePath: string | undefined,
  redactor: Redactor,
): ToolResult {
  const { status } = answer;
  const isFine = status >= 200 && status < 300;
  const { value, note } = valueOf(answer, isFine ? responsePath : undefined);
  const clean = redactor.json(value);
  const whole = typeof clean === 'string' ? clean : JSON.stringify(clean);
  const { text, cut } = boundText(whole, isFine ? maxBytes : maxErrorBytes);
  const notes = [
    note,
    cut || answer.truncated ? 'The answer is longer than this: the rest is left out.' : '',
  ];
  const parts = [isFine ? `Status: ${status}` : `The server answered with status ${status}.`, text, ...notes];
  return {
    status: isFine ? 'ok' : 'error',
    content: parts.filter(Boolean).join('\n\n'),
    result: {
      status,
      body: cut ? text : (clean ?? null),
      ...((cut || answer.truncated) && { truncated: true }),
    },
  };
}

function valueOf({ body, headers, truncated }: GuardedResponse, responsePath: string | undefined) {
  if (body.length === 0) return { value: '', note: 'The answer has no body.' };
  const contentType = headers['content-type'];
  const text = textOf(body, contentType);
  if (text === undefined) {
    const size = `${body.length}${truncated ? ' or more' : ''} bytes`;
    return {
      value: '',
      note: `The answer is ${mediaTypeOf(contentType)} (${size}), not text: it is not shown.`,
    };
  }
  const json = parseJson(text);
  if (json === undefined) {
    return {
      value: text,
      ...(responsePath && { note: 'The answer is not JSON, so it is shown as it came.' }),
    };
  }
  const steps = responsePath === undefined ? [] : (parseJsonPath(responsePath) ?? []);
  const found = readJsonPath(json.value, steps);
  if (found !== undefined) return { value: found };
  return { value: json.value, note: `The answer has nothing at ${responsePath}, so all of it is shown.` };
}

function parseJson(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    // Many servers declare JSON and send something else, which is shown as text.
    return undefined;
  }
}
