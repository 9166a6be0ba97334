import { isObject } from '../../../validation/json-schema/check.ts';

/** `data.items[0].name`, `$.a['b c']`, `items[*].id`, `[-1]`: where to look in an answer. Nothing is computed. */
type Step = { key: string } | { index: number } | 'each';

const stepShape = /\.?([A-Za-z_$][\w$-]*)|\[(-?\d{1,9})\]|\[(\*)\]|\['([^'\]]*)'\]|\["([^"\]]*)"\]/;

/** Undefined when it can not be read. */
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

/** What is there; undefined when nothing is. After `[*]` it is always a list, without what some entries do not have. */
export function readJsonPath(value: unknown, steps: readonly Step[]): unknown {
  const [step, ...rest] = steps;
  if (step === undefined) return value;
  if (step === 'each') {
    if (!Array.isArray(value)) return undefined;
    const found = value.map((entry) => readJsonPath(entry, rest)).filter((entry) => entry !== undefined);
    return rest.includes('each') ? found.flat(1) : found;
  }
  if ('index' in step) return Array.isArray(value) ? readJsonPath(value.at(step.index), rest) : undefined;
  if (!isObject(value) || !Object.hasOwn(value, step.key)) return undefined;
  return readJsonPath(value[step.key], rest);
}
