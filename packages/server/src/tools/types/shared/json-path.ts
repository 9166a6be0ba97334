import { isObject } from '../../../validation/json-schema/check.ts';

/** `data.items[0].name`, `$.a['b c']`, `items[*].id`, `[-1]`: a path into a response. No filters, no scripts. */
type Step = { key: string } | { index: number } | 'each';

const stepShape = /\.?([A-Za-z_$][\w$-]*)|\[(-?\d{1,9})\]|\[(\*)\]|\['([^'\]]*)'\]|\["([^"\]]*)"\]/;

/** Undefined when it cannot be read. */
export function parseJsonPath(text: string): Step[] | undefined {
  const path = text.trim().replace(/^\$(?=$|[.[])/, '');
  const steps: Step[] = [];
  const shape = new RegExp(stepShape, 'y');
  while (shape.lastIndex < path.length) {
    const isFirst = shape.lastIndex === 0;
    const match = shape.exec(path);
    if (!match) return undefined;
    const [whole, name, index, each, single, double] = match;
    const key = name ?? single ?? double;
    if (name !== undefined && !isFirst && !whole.startsWith('.')) return undefined;
    if (each) steps.push('each');
    else steps.push(key === undefined ? { index: Number(index) } : { key });
  }
  return steps;
}

/**
 * The value at a path, or undefined. After `[*]` it is always a list, without the entries that lack the rest of the path.
 * Every step goes one level deeper, so nothing is visited twice: the work is bounded by the size of the value, not by the
 * path.
 */
export function readJsonPath(value: unknown, steps: readonly Step[]): unknown {
  const firstList = steps.indexOf('each');
  if (firstList === -1) return steps.reduce(child, value);
  const list = steps.slice(0, firstList).reduce(child, value);
  if (!Array.isArray(list)) return undefined;
  let found: unknown[] = list;
  for (const step of steps.slice(firstList + 1)) {
    const entries = step === 'each' ? entriesOf(found) : found.map((entry) => child(entry, step));
    found = entries.filter((entry) => entry !== undefined);
  }
  return found;
}

function child(value: unknown, step: Step): unknown {
  if (step === 'each') return undefined;
  if ('index' in step) return Array.isArray(value) ? (value.at(step.index) as unknown) : undefined;
  return isObject(value) && Object.hasOwn(value, step.key) ? value[step.key] : undefined;
}

function entriesOf(lists: readonly unknown[]): unknown[] {
  return lists.flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : []));
}
