import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { createFlags } from '../../confine/platform.ts';

/** Writes a new file of the state folder so that it survives a crash. */
export function writeNew(file: string, content: Uint8Array | string): void {
  const descriptor = openSync(file, createFlags, 0o600);
  try {
    writeFileSync(descriptor, content);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** The file appears whole or not at all. */
export function writeWhole(file: string, content: string): void {
  const temporary = `${file}.${process.pid}.${Date.now()}.tmp`;
  writeNew(temporary, content);
  renameSync(temporary, file);
  syncFolder(dirname(file));
}

/** Makes new names in a folder survive a crash. Windows has nothing like it for folders. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
