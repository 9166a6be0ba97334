import { quote, Refusal } from './refusal.ts';

const maxNameBytes = 255;

/** Every name in a path that is used must pass this, whether or not it exists. */
export function requireUsableName(name: string, platform: NodeJS.Platform = process.platform): void {
  const problem = nameProblem(name, platform);
  if (problem) throw new Refusal(`${quote(name.slice(0, 300))} is not a name that can be used: ${problem}.`);
}

function nameProblem(name: string, platform: NodeJS.Platform): string | undefined {
  if (name.includes('\0')) return 'it contains a NUL character';
  if (!name.isWellFormed()) return 'it is not valid Unicode';
  if (Buffer.byteLength(name) > maxNameBytes) return `it is longer than ${maxNameBytes} bytes`;
  return platform === 'win32' ? windowsNameProblem(name) : undefined;
}

/**
 * A short form of a name, such as `ENV~1`, names a file as well on some file systems: only what the folder lists under that name is
 * used, because the name decides what may be read. `list` returns the names in the folder.
 */
export function requireListedName(name: string, list: () => readonly string[]): void {
  if (!isMaybeShort(name)) return;
  const folded = name.toLowerCase();
  if (!list().some((listed) => listed.toLowerCase() === folded))
    throw new Refusal(
      `${quote(name)} is the short form of another name: use the name that list_files shows.`,
    );
}

export function isMaybeShort(name: string): boolean {
  return /~\d/.test(name);
}

/** Code points that macOS ignores in names. */
const ignored = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** Whether some file system takes this name for `.git`; the same spellings that git itself refuses. */
export function isGitName(name: string): boolean {
  const folded = name.replace(ignored, '').normalize('NFKC').toLowerCase();
  const stem = folded.replace(/:.*$/s, '').replace(/[. ]+$/, '');
  return stem === '.git' || /^git~\d+$/.test(stem);
}

const devices = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?$/i;

/** Why Windows would not take the name literally. */
function windowsNameProblem(name: string): string | undefined {
  if (name.includes(':')) return 'a colon names a stream or a drive';
  // oxlint-disable-next-line no-control-regex -- Windows refuses these characters in names
  if (/[<>"|?*\u0001-\u001f]/.test(name)) return 'Windows does not allow one of its characters';
  if (/[. ]$/.test(name)) return 'Windows drops dots and spaces at its end';
  if (devices.test(name.replace(/ +(?=\.|$)/g, ''))) return 'Windows reserves it for a device';
  return undefined;
}
