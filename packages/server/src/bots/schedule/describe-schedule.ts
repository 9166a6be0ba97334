import type { Schedule } from './schedule.ts';

const options = { use24HourTimeFormat: true, verbose: true };
/** What a field is described as when `*` is one of several values: cronstrue says `undefined` for it. */
const everyValue = ['*', '*', '1-31', '*', '0-6'];

/** In plain English: `At 09:00, Monday through Friday (Europe/Berlin)`. */
export async function describeSchedule({ expression, zone }: Schedule): Promise<string> {
  // Loaded when a description is first asked for, because it would add to every start.
  const { default: cronstrue } = await import('cronstrue');
  const fields = expression
    .toUpperCase()
    .split(' ')
    .map((field, index) => (/,\*|\*,/.test(field) ? everyValue[index] : field));
  return `${cronstrue.toString(fields.join(' '), options)} (${zone.name})`;
}
