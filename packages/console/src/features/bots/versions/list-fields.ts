import { fieldName, fieldWords } from '../../../format/field-names.ts';

/** `Prompt, temperature and tools`. */
export function listFields(fields: readonly string[]): string {
  const [first, ...others] = inOrder(fields);
  if (first === undefined) return 'Nothing';
  const [rest, last] = [others.slice(0, -1), others.at(-1)];
  const start = [fieldName(first), ...rest.map(fieldWords)].join(', ');
  return last === undefined ? start : `${start} and ${fieldWords(last)}`;
}

const important = ['system_prompt', 'prompt_builder', 'agent_goal', 'model', 'tools'];

/** The prompt first, then what changes answers most, then the others by name. */
export function inOrder(fields: readonly string[]): string[] {
  const rank = (field: string) => (important.includes(field) ? important.indexOf(field) : important.length);
  return fields.toSorted((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1));
}
