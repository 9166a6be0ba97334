import { readdirSync, readFileSync } from 'node:fs';

/** Files with higher numbers are not looked for: a command would be started with a list of that length. */
const maxNumber = 1024;

/**
 * The numbers of open files that the daemon inherited from the program that started it, and would pass on to every command:
 * Node closes only its own files in children.
 */
export function inheritedFiles(): number[] {
  if (process.platform !== 'linux') return [];
  const closeOnExec = 0o2000000;
  const numbers = readdirSync('/proc/self/fdinfo').map(Number);
  return numbers.filter((number) => number > 2 && number < maxNumber && isInherited(number));

  function isInherited(number: number): boolean {
    try {
      const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${number}`, 'utf8'))?.[1];
      return flags !== undefined && (Number.parseInt(flags, 8) & closeOnExec) === 0;
    } catch {
      // Closed since the folder was listed.
      return false;
    }
  }
}
