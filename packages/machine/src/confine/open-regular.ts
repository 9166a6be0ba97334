import { type BigIntStats, closeSync, fstatSync, lstatSync, openSync } from 'node:fs';
import { readFlags } from './platform.ts';
import { codeOf, quote, Refusal } from './refusal.ts';

export interface OpenFile {
  descriptor: number;
  stat: BigIntStats;
}

const attempts = 5;

/** Opens a regular file of the current directory for reading. `shown` is its path as the model knows it. */
export function openRegular(name: string, shown: string): OpenFile {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const listed = lstatSync(name, { bigint: true });
    if (!listed.isFile()) throw new Refusal(`${quote(shown)} is ${describeKind(listed)}, not a file.`);
    const file = openSame(name, listed);
    if (file) return file;
  }
  throw new Refusal(`${quote(shown)} was replaced while it was being opened; try again.`);
}

/** Undefined if the name leads to another file now, for example after an editor has saved it. */
function openSame(name: string, listed: BigIntStats): OpenFile | undefined {
  const descriptor = openOrUndefined(name);
  if (descriptor === undefined) return undefined;
  const stat = fstatSync(descriptor, { bigint: true });
  if (stat.isFile() && stat.ino === listed.ino && stat.dev === listed.dev) return { descriptor, stat };
  closeSync(descriptor);
  return undefined;
}

function openOrUndefined(name: string): number | undefined {
  try {
    return openSync(name, readFlags);
  } catch (error) {
    if (['ELOOP', 'ENXIO', 'EMLINK'].includes(codeOf(error) ?? '')) return undefined;
    throw error;
  }
}

function describeKind(stat: BigIntStats): string {
  if (stat.isDirectory()) return 'a folder';
  if (stat.isSymbolicLink()) return 'a link';
  if (stat.isFIFO()) return 'a named pipe';
  if (stat.isSocket()) return 'a socket';
  if (stat.isBlockDevice() || stat.isCharacterDevice()) return 'a device';
  return 'something else';
}
