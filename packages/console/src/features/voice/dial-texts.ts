import type { VoiceReport } from '@svc/contract/console-voice';

type Dialing = VoiceReport['dialing'];

const countryNames = new Intl.DisplayNames(['en'], { type: 'region' });
const list = new Intl.ListFormat('en', { type: 'conjunction' });

/** Where calls and transfers may go, and where not. */
export function describeDestinations({ destinations }: Pick<Dialing, 'destinations'>): string {
  const countries = destinations
    .filter((one) => /^[A-Z]{2}$/.test(one))
    .map((one) => countryNames.of(one) ?? one);
  const numbers = destinations.filter((one) => /^\d+$/.test(one));
  const others = [...countries, ...(numbers.length > 0 ? [`the numbers ${list.format(numbers)}`] : [])];
  const where = destinations.includes('all')
    ? 'Calls can go to every country.'
    : `Calls can go to the country of the number that the bot calls from${others.length > 0 ? `, and to ${list.format(others)}` : ''}.`;
  const special = [
    { word: 'premium', name: 'premium-rate numbers' },
    { word: 'satellite', name: 'satellite phones' },
  ];
  const refused = special.filter(({ word }) => !destinations.includes(word)).map(({ name }) => name);
  return `${where} They cannot go to ${list.format([...refused, 'emergency numbers', 'short codes'])}.`;
}

/** How often numbers may be dialed. */
export function describePace({ calls_per_hour: hour, calls_per_day: day }: Dialing): string {
  const limits = [
    ...(hour === null ? [] : [`${hour} calls an hour`]),
    ...(day === null ? [] : [`${day} a day`]),
  ];
  if (limits.length === 0) return 'Bots may call as often as they like.';
  return `Bots of this workspace may place ${list.format(limits)}, transfers included.`;
}

/** Which numbers can be added. */
export function describeFreeNumbers(free: VoiceReport['free_numbers']): string {
  if (free === null) return 'A number of your telephone account, with the country code.';
  if (free.length > 0) return `Assigned to this workspace and not in use: ${list.format(free)}.`;
  return 'No free number is assigned to this workspace. Ask whoever runs the service to assign one: svc numbers assign.';
}
