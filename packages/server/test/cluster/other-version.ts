import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const project = resolve(import.meta.dirname, '../../../..');

export interface OtherVersion {
  /** The folder of its bundled service. */
  bundle: string;
  commit: string;
}

/**
 * Checks another version out into a new folder, installs what its own lock file asks for, and bundles it with its own code.
 * Nothing of ours is used, so that it is what was released.
 */
export async function bundleOtherVersion(ref: string, folder: string): Promise<OtherVersion> {
  const { stdout } = await execute('git', ['rev-parse', '--verify', `${ref}^{commit}`], { cwd: project });
  const commit = stdout.trim();
  const checkout = join(folder, 'svc');
  const archive = join(folder, 'svc.tar');
  await mkdir(checkout, { recursive: true });
  await execute('git', ['archive', '--output', archive, commit], { cwd: project });
  await execute('tar', ['-xf', archive, '-C', checkout]);
  const printBundle = resolve(import.meta.dirname, 'print-bundle.ts');
  const output = await runIn(checkout, ['scripts/run.mjs', printBundle, checkout]);
  const bundle = output.trim().split('\n').at(-1) ?? '';
  return { bundle, commit };
}

/** Runs the checkout's own script, which installs first where needed. */
async function runIn(checkout: string, args: string[]): Promise<string> {
  const child = spawn(process.execPath, args, { cwd: checkout, stdio: ['ignore', 'pipe', 'inherit'] });
  const kill = () => void child.kill('SIGTERM');
  process.once('exit', kill);
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const [code] = (await once(child, 'close')) as [number | null];
  process.off('exit', kill);
  if (code !== 0) throw new Error(`The older version cannot be bundled:\n${output}`);
  return output;
}
