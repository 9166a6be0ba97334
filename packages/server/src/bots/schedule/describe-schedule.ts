import type { Schedule } from './schedule.ts';

const options = { use24HourTimeFormat: true, verbose: true };
/** For fields that name every value: cronstrue says `undefined` for lists with a `*`, and ignores a day field of `*\/1`. */
const everyValue = ['*', '*', '1-31', '*', '0-6'];
const ofMonth = /#|^(?:\d|[A-Z]{3})?L$/;

/** In plain English: `At 09:00, Monday through Friday (Europe/Berlin)`. */
export async function describeSchedule({ expression, zone }: Schedule): Promise<string> {
  // Loaded when a description is first asked for, because it would add to every start.
  const { default: cronstrue } = await import('cronstrue');
  const fields = expression.toUpperCase().split(' ').map(simplify);
  return `${cronstrue.toString(fields.join(' '), options)} (${zone.name})`;
}

function simplify(field: string, index: number): string {
  // cronstrue knows Sunday as 0 and 7, but not as 07.
  const parts = field.replaceAll(/\b0+(?=\d)/g, '').split(',');
  if (field !== '*' && parts.some((part) => part === '*' || part === '*/1')) return everyValue[index] ?? '*';
  // `1#1,2` would read as the first Monday and the first Tuesday.
  return parts.toSorted((one, other) => Number(ofMonth.test(one)) - Number(ofMonth.test(other))).join(',');
}
