import type { FieldError } from '@svc/contract/errors';
import { AppError } from '../lib/app-error.ts';
import { clip } from '../validation/clip.ts';

/** The fields of a call that a template can name. */
export const callFields = [
  'call_id',
  'direction',
  'from_number',
  'to_number',
  'status',
  'end_reason',
  'duration_seconds',
  'cost_usd',
  'answered_at',
  'ended_at',
  'bot_id',
] as const;
export type CallField = (typeof callFields)[number];

const placeholderNames: readonly string[] = [
  ...callFields.map((field) => `call.${field}`),
  // All of them, as an object.
  'call.*',
  'transcript',
  'summary',
  'conversation_id',
];

/** Chooses among the functions of a tool that offers several; not an argument, and nothing is filled in. */
export const functionKey = '$function';

export const maxDepth = 32;

/** Neither brace can be part of a name, so that a search takes linear time. */
export const placeholder = /\{\{([^{}]*)\}\}/g;
/** The whole text is one placeholder. */
export const lonePlaceholder = /^\{\{([^{}]*)\}\}$/;

const known = new Set(placeholderNames);
const maxFaults = 20;
const maxPathLength = 200;
const maxNameLength = 60;

/** Throws VALIDATION_FAILED with every string that contains a placeholder that is never filled in. */
export function checkTemplate(template: Record<string, unknown>): void {
  const faults = [...faultsOf(template, 'params_template', 0)];
  const own = template[functionKey];
  if (own !== undefined && typeof own !== 'string')
    faults.unshift({ path: `params_template.${functionKey}`, message: 'must be a string' });
  const first = faults[0];
  if (!first) return;
  throw new AppError('VALIDATION_FAILED', {
    message: `${first.path} ${first.message}.`,
    details: faults.slice(0, maxFaults),
  });
}

function* faultsOf(value: unknown, path: string, depth: number): Generator<FieldError> {
  if (typeof value === 'string') {
    const unknown = [...value.matchAll(placeholder)].find(([, name = '']) => !known.has(name.trim()));
    if (!unknown) return;
    const shown = clip(unknown[0], maxNameLength);
    const names = placeholderNames.map((name) => `{{${name}}}`).join(', ');
    yield { path: clip(path, maxPathLength), message: `contains ${shown}; it can use ${names}` };
  } else if (typeof value === 'object' && value !== null) {
    if (depth === maxDepth)
      return yield {
        path: clip(path, maxPathLength),
        message: `is nested more than ${maxDepth} levels deep`,
      };
    for (const [key, entry] of Object.entries(value)) yield* faultsOf(entry, `${path}.${key}`, depth + 1);
  }
}
