import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, constants, openSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { systemPath } from '../environment/system-path.ts';

export interface OutputPipe {
  /** For the command's standard output and standard error. */
  writeEnd: number;
  output: Socket;
  /** To be called when the command has its own copy, or could not be started. */
  closeWriteEnd(): void;
}

/**
 * A pipe for both streams, which keeps their order. Node itself gives its children sockets instead of pipes, and a socket
 * cannot be opened again: `echo x > /dev/stderr` would fail.
 */
export async function openOutputPipe(folder: string): Promise<OutputPipe> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, randomUUID());
  await promisify(execFile)('mkfifo', ['-m', '600', path], { env: { PATH: systemPath } });
  let readEnd: number | undefined;
  let writeEnd: number;
  try {
    readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    writeEnd = openSync(path, constants.O_WRONLY);
  } catch (error) {
    if (readEnd !== undefined) closeSync(readEnd);
    throw error;
  } finally {
    await rm(path, { force: true });
  }
  const output = new Socket({ fd: readEnd, readable: true, writable: false });
  return { writeEnd, output, closeWriteEnd: () => closeSync(writeEnd) };
}
