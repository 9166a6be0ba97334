const colors = [
  'Amber Azure Blue Bronze Coral Copper Cream Crimson',
  'Cyan Emerald Golden Green Indigo Ivory Jade Lilac',
  'Lime Maroon Mint Navy Olive Orange Pearl Pink',
  'Plum Purple Ruby Silver Tan Teal Violet White',
].flatMap((line) => line.split(' '));

const animals = [
  'Badger Bear Beaver Bison Camel Cat Crane Deer',
  'Dolphin Dove Duck Eagle Falcon Ferret Finch Fox',
  'Gecko Goose Hare Hawk Heron Horse Ibex Jackdaw',
  'Kestrel Koala Lark Lemur Lion Llama Lynx Magpie',
  'Marten Mole Moose Newt Otter Owl Panda Parrot',
  'Pelican Penguin Plover Puffin Quail Rabbit Raven Robin',
  'Salmon Seal Sparrow Squirrel Stork Swan Swift Tapir',
  'Thrush Tiger Toad Turtle Vole Walrus Wombat Wren',
].flatMap((line) => line.split(' '));

/**
 * How people of the team call an end user. Visitors of a website have an id that is hard to read, so they get a name from it until they
 * give one, which stands in quotation marks: anybody can call themselves anything. It never takes the place of an id that a site gave.
 */
export function personName(id: string, given?: string | null): string {
  const own = ownName(id);
  if (!given) return own;
  return own === id ? `${id} · ${given}` : `“${given}”`;
}

/** Made up from the id, because they have given none. */
export function isMadeUp(id: string, given?: string | null): boolean {
  return !given && ownName(id) !== id;
}

export const madeUpHint = 'This name is made up from their id until they give one.';

function ownName(id: string): string {
  const digits = /^visitor_([0-9a-f]{8})-([0-9a-f]{4})-[0-9a-f-]{22}$/.exec(id);
  if (!digits) return id;
  const pick = (from: string[], hex = '') => from[Number.parseInt(hex, 16) % from.length];
  return `${pick(colors, digits[1])} ${pick(animals, digits[2])}`;
}
