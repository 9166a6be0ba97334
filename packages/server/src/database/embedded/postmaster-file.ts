import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ifPresent } from './if-present.ts';

/** What a running server tells about itself in `postmaster.pid`. It fills in the address some time after the rest. */
export interface PostmasterFile {
  processId: number;
  port: number;
  socketDirectory: string;
  host: string;
}

export function postmasterFilePath(cluster: string): string {
  return join(cluster, 'postmaster.pid');
}

export async function readPostmasterFile(cluster: string): Promise<PostmasterFile | undefined> {
  const text = await ifPresent(readFile(postmasterFilePath(cluster), 'utf8'));
  return text === undefined ? undefined : parsePostmasterFile(text);
}

/** Undefined for a file that is empty or torn, as a crash of the machine may leave it. */
function parsePostmasterFile(text: string): PostmasterFile | undefined {
  const [processId, , , port, socketDirectory = '', host = ''] = text.split('\n').map((line) => line.trim());
  const numbers = { processId: Number(processId), port: Number(port) };
  if (!(numbers.processId > 0 && numbers.port > 0)) return undefined;
  return { ...numbers, socketDirectory, host };
}
