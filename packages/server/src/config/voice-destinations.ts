import { isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/max';

/**
 * Where calls may go besides the country that they come from: countries such as `DE`, `premium`, `satellite`, `all` for every
 * country, and single numbers in digits, such as extensions of the own telephone system.
 */
export type Destinations = readonly string[];

/** Ranges that cost more than a call to the country that they belong to. */
const premiumTypes = ['PREMIUM_RATE', 'SHARED_COST', 'PERSONAL_NUMBER', 'PAGER', 'UAN'];
/** Satellite phones among the numbers of a country: Canada, Australia, Indonesia, Russia and China. */
const nationalSatellite = /^(?:1600|6114|62868|7954|861349|861740)/;
const words = ['premium', 'satellite', 'all'];

/** Why a number may not be dialed, as the rest of a sentence; undefined if it may. */
export function refusalOf(to: string, from: string, allowed: Destinations): string | undefined {
  const digits = to.replace(/^\+/, '');
  if (isListed(digits, allowed)) return undefined;
  const number = parsePhoneNumberFromString(`+${digits}`);
  // What is dialed is what was checked: the library leaves out a zero after the country code, networks may not.
  if (!number?.isValid() || number.number !== `+${digits}`)
    return 'is not a complete number in international form; emergency numbers and short codes cannot be called';
  if (premiumTypes.includes(number.getType() ?? '') && !allowed.includes('premium'))
    return `is a premium-rate number. ${howTo('premium')}`;
  const isWorldwide = number.isNonGeographic();
  if ((isWorldwide || nationalSatellite.test(digits)) && !allowed.includes('satellite'))
    return `belongs to a satellite or worldwide network. ${howTo('satellite')}`;
  if (isWorldwide) return undefined;
  const country = number.country ?? '';
  const own = parsePhoneNumberFromString(`+${from.replace(/^\+/, '')}`)?.country;
  if (country === own || allowed.includes('all') || allowed.includes(country)) return undefined;
  return `is in ${nameOf(country)}, where this workspace may not call. ${howTo(country)}`;
}

/** What is dialed of a number that may be: networks read it as it was checked, with its country code, unless it is listed. */
export function dialedForm(to: string, allowed: Destinations): string {
  const digits = to.replace(/^\+/, '');
  return isListed(digits, allowed) ? to : `+${digits}`;
}

/** Words and countries are no numbers. */
function isListed(digits: string, allowed: Destinations): boolean {
  return /^\d+$/.test(digits) && allowed.includes(digits);
}

/** As an operator enters them, separated by commas; undefined if one is not known. */
export function parseDestinations(text: string): string[] | undefined {
  const entries = text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean)
    .map((entry) => (words.includes(entry.toLowerCase()) ? entry.toLowerCase() : entry.toUpperCase()));
  return entries.every(isKnown) ? entries : undefined;
}

function isKnown(entry: string): boolean {
  return words.includes(entry) || isSupportedCountry(entry) || /^\d{2,20}$/.test(entry);
}

function howTo(entry: string): string {
  return `The operator of the service allows it with svc workspaces update --destinations, or SVC_VOICE_DESTINATIONS: ${entry}`;
}

function nameOf(country: string): string {
  if (country === '') return 'an unknown country';
  // Loading the names takes 20 ms, so they are loaded only when one is needed.
  return new Intl.DisplayNames(['en'], { type: 'region' }).of(country) ?? country;
}
