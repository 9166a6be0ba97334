import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const isWindows = process.platform === 'win32';

/** Lets a person change a text in their editor. Throws EditorFailed when the editor fails. */
export type EditText = (text: string) => Promise<string>;

/** `command` may have arguments, as in `code --wait`: a shell splits it, as is usual for $EDITOR. */
export function createEditor(command = isWindows ? 'notepad' : 'vi'): EditText {
  return async (text) => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-chat-'));
    const path = join(folder, 'arguments.json');
    try {
      await writeFile(path, text, { mode: 0o600 });
      await open(command, path);
      return await readFile(path, 'utf8');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
}

async function open(command: string, path: string): Promise<void> {
  const child = isWindows
    ? spawn(`${command} "${path}"`, { shell: true, stdio: 'inherit' })
    : spawn('/bin/sh', ['-c', `${command} "$1"`, 'svc', path], { stdio: 'inherit' });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new EditorFailed(`The editor (${command}) failed: set VISUAL or EDITOR.`);
}

export class EditorFailed extends Error {
  override readonly name = 'EditorFailed';
}
