import { fieldWords } from '../../../format/field-names.ts';
import { type BotForm, isOnByDefault, isSame } from './bot-form.ts';

export interface FormChange {
  field: string;
  label: string;
  /** `.7 → .2`, where both are short. */
  detail: string | undefined;
}

/** What a form would change, in words. */
export function changesIn(form: BotForm, saved: BotForm): FormChange[] {
  const [before, after] = [flat(saved), flat(form)];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names
    .filter((name) => !isSame(before[name] ?? null, after[name] ?? null))
    .map((field) => ({
      field,
      label: fieldWords(field),
      detail: detailOf(field, before[field], after[field]),
    }));
}

/** `prompt, temperature .7 → .2`. */
export function describeChanges(changes: readonly FormChange[]): string {
  return changes.map(({ label, detail }) => (detail ? `${label} ${detail}` : label)).join(', ');
}

function flat({ settings, ...fields }: BotForm): Record<string, unknown> {
  return { ...fields, ...settings };
}

const maxDetailLength = 40;

function detailOf(field: string, before: unknown, after: unknown): string | undefined {
  if (typeof before === 'boolean' || typeof after === 'boolean') {
    return (after ?? isOnByDefault(field)) ? 'on' : 'off';
  }
  const [one, other] = [short(before), short(after)];
  if (one === undefined || other === undefined) return undefined;
  return `${one} → ${other}`;
}

function short(value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return 'none';
  if (typeof value === 'number') return String(value).replace(/^0\./, '.');
  return typeof value === 'string' && value.length <= maxDetailLength && !value.includes('\n')
    ? value
    : undefined;
}
