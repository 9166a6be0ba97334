import type { OperationFrame, Outcome, Preview } from '@svc/contract/machine-protocol';
import { type CodingService, pairMachine } from './coding-bot.ts';
import { createMachinePeer, type MachinePeer } from './machine-peer.ts';

export interface ScriptedMachine extends MachinePeer {
  id: string;
  /** The operations that arrived, by name. */
  operations(name: OperationFrame['name']): OperationFrame[];
}

/** What no response, event or trace may contain. */
export const baseHash = 'ba5eba5eba5e';

const change = { action: 'modified', added_lines: 1, removed_lines: 1 };
const ok = (value: unknown): Outcome => ({ status: 'ok', value });

const ran = { exit_code: 0, signal: null, timed_out: false, duration_ms: 5, sandbox: 'none' };

/** Carries out everything, and reports plausible values. */
export function usualOutcome({ name, workdir, arguments: given }: OperationFrame): Outcome {
  if (name === 'check_workdir') return ok({ workdir });
  if (name === 'preview') return ok(preview(workdir, given as unknown as Preview));
  if (name === 'write_file') return ok({ files: [{ ...change, path: given['path'], diff: '-old\n+new\n' }] });
  if (name !== 'run_command') return { status: 'error', message: `The test does not expect ${name}.` };
  const output = { output: 'fine', output_bytes: 4, omitted_bytes: 0 };
  return ok({ command: given['command'], cwd: workdir, ...ran, ...output });
}

function preview(workdir: string, { operation, arguments: given }: Preview): object {
  if (operation === 'run_command') return { cwd: workdir, basis: { cwd: workdir } };
  const path = String(given['path']);
  const basis = { files: [{ path: `${workdir}/${path}`, hash: baseHash }] };
  const files = [{ path, diff: `--- ${path}\n+++ ${path}\n@@ -1 +1 @@\n-old\n+new\n` }];
  return { files, basis, workdir };
}

/** A machine that is paired with the workspace of the key; it is played by the test. */
export async function pairScripted(service: CodingService, key?: string): Promise<ScriptedMachine> {
  const { id, token } = await pairMachine(service, 'laptop', key);
  const peer = createMachinePeer(token);
  peer.setScript(usualOutcome);
  const operations: ScriptedMachine['operations'] = (name) =>
    peer.received.flatMap((frame) => (frame.type === 'operation' && frame.name === name ? [frame] : []));
  return Object.assign(peer, { id, operations });
}
