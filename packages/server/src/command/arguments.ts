import { type Ability, abilities, isAbility } from '@svc/contract/abilities';
import { InvalidArgumentError } from 'commander';
import { validate as isUuid } from 'uuid';

export function parseId(text: string): string {
  if (!isUuid(text)) throw new InvalidArgumentError('This is not an id.');
  return text;
}

export function parseAbilities(text: string): Ability[] | 'all' {
  if (text === 'all') return 'all';
  const wanted = text.split(',').map((ability) => ability.trim());
  const unknown = wanted.find((ability) => !isAbility(ability));
  if (unknown !== undefined) {
    throw new InvalidArgumentError(`There is no ability "${unknown}". There are: ${abilities.join(', ')}.`);
  }
  return wanted.filter(isAbility);
}

/** A day ends at midnight UTC. */
export function parseExpiry(text: string): Date {
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text);
  const moment = new Date(isDay ? `${text}T23:59:59.999Z` : text);
  if (Number.isNaN(moment.getTime())) throw new InvalidArgumentError('Give a day such as 2027-01-31.');
  if (moment <= new Date()) throw new InvalidArgumentError('This is in the past.');
  return moment;
}
