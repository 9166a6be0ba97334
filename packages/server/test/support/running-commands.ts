import { readdir, readFile } from 'node:fs/promises';

/** How many processes of this machine have a command line that starts with these words. */
export async function runningCommands(...words: string[]): Promise<number> {
  const numbers = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(
    // A process may end while the list is read.
    numbers.map((number) => readFile(`/proc/${number}/cmdline`, 'utf8').catch(() => '')),
  );
  return lines.filter((line) => line.startsWith(words.join('\0'))).length;
}
