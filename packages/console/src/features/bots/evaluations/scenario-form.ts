import type { Scenario, ScenarioCreate, StandIn } from '@svc/contract/scenarios';
import type { Faults } from '../../../kit/uncorrected.ts';

/** A line of a list; its number stays the same while others are added and removed. */
export interface Line {
  id: number;
  text: string;
}

export interface StandInLine {
  id: number;
  function: string;
  /** JSON, or empty for every call. */
  arguments: string;
  /** A text, or JSON. */
  result: string;
  isError: boolean;
}

/** A scenario while it is edited: everything is text. */
export interface ScenarioForm {
  name: string;
  turns: Line[];
  facts: Line[];
  mustCall: string;
  mustNotCall: string;
  standIns: StandInLine[];
}

type Content = Omit<Scenario, 'id' | 'bot_id' | 'created_at' | 'updated_at'>;

let lastId = 0;

export function newLine(text = ''): Line {
  lastId += 1;
  return { id: lastId, text };
}

export function newStandIn(): StandInLine {
  return { id: newLine().id, function: '', arguments: '', result: '', isError: false };
}

export const emptyScenario: Content = {
  name: '',
  turns: [''],
  expected_facts: [],
  must_call: [],
  must_not_call: [],
  stand_ins: [],
};

export function toForm(content: Content): ScenarioForm {
  return {
    name: content.name,
    turns: content.turns.map((text) => newLine(text)),
    facts: content.expected_facts.map((text) => newLine(text)),
    mustCall: content.must_call.join(', '),
    mustNotCall: content.must_not_call.join(', '),
    standIns: content.stand_ins.map(toLine),
  };
}

function toLine(standIn: StandIn): StandInLine {
  const { arguments: wanted, result, is_error: isError = false } = standIn;
  return {
    id: newLine().id,
    function: standIn.function,
    arguments: wanted === undefined ? '' : JSON.stringify(wanted, null, 2),
    result: typeof result === 'string' ? result : JSON.stringify(result, null, 2),
    isError,
  };
}

export interface ReadForm {
  body: ScenarioCreate;
  /** What cannot even be sent. The service finds everything else. */
  faults: Faults;
}

/** The body that the service takes. Lines without text are left out. */
export function readForm(form: ScenarioForm): ReadForm {
  const faults = new Map<string, string>();
  const standIns = form.standIns.map((line, index) => {
    const wanted = readArguments(line.arguments);
    if (wanted === null) {
      faults.set(`stand_ins.${index}.arguments`, 'must be a JSON object, or empty');
    }
    return {
      function: line.function.trim(),
      ...(wanted && { arguments: wanted }),
      result: readResult(line.result),
      ...(line.isError && { is_error: true }),
    };
  });
  const body = {
    name: form.name.trim(),
    turns: textsOf(form.turns),
    expected_facts: textsOf(form.facts),
    must_call: namesOf(form.mustCall),
    must_not_call: namesOf(form.mustNotCall),
    stand_ins: standIns,
  };
  return { body, faults };
}

function textsOf(lines: readonly Line[]): string[] {
  return lines.map(({ text }) => text.trim()).filter((text) => text !== '');
}

function namesOf(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter((name) => name !== ''))];
}

/** Undefined if it is empty, null if it is not a JSON object. */
function readArguments(text: string): Record<string, unknown> | undefined | null {
  if (text.trim() === '') return undefined;
  const value = parse(text);
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as Record<string, unknown>) : null;
}

/** Objects and lists become JSON; anything else is the text that a tool would have returned. */
function readResult(text: string): unknown {
  const value = parse(text);
  return typeof value === 'object' && value !== null ? value : text;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * What is wrong at a place of the form. The service numbers the lines that it was sent, and those without text were not.
 */
export function errorOfLine(
  faults: Faults,
  field: 'turns' | 'expected_facts',
  lines: readonly Line[],
  line: Line,
): string | undefined {
  const sent = lines.filter(({ text }) => text.trim() !== '');
  return faults.get(`${field}.${sent.indexOf(line)}`);
}
