import type { OperationFrame, Outcome } from '@svc/contract/machine-protocol';
import { expect } from 'vitest';
import { type ScriptStep, text } from '../scripted-model/script.ts';
import type { ScriptedModel } from '../scripted-model/server.ts';
import { giveTools } from './agents.ts';
import { askedBy, chatWith } from './chat.ts';
import { createMachinePeer, type MachinePeer } from './machine-peer.ts';
import type { Call } from './test-app.ts';

export interface ScriptedMachine extends MachinePeer {
  id: string;
  /** The operations that arrived, by name. */
  operations(name: OperationFrame['name']): OperationFrame[];
}

interface Node {
  url: string;
  key: string;
  call: Call;
}

/** What no response, event or trace may contain. */
export const baseHash = 'ba5eba5eba5e';

const change = { action: 'modified', added_lines: 1, removed_lines: 1 };
const ok = (value: unknown): Outcome => ({ status: 'ok', value });

/** Carries out everything, and reports plausible values. */
export function usualOutcome({ name, workdir, arguments: given }: OperationFrame): Outcome {
  switch (name) {
    case 'check_workdir':
      return ok({ workdir });
    case 'preview': {
      const { operation, arguments: wanted } = given as { operation: string; arguments: { path?: string } };
      if (operation === 'run_command') return ok({ cwd: workdir, basis: { cwd: workdir } });
      const path = wanted.path ?? 'a.txt';
      const basis = { files: [{ path: `${workdir}/${path}`, hash: baseHash }] };
      return ok({ files: [{ path, diff: `--- ${path}\n+++ ${path}\n@@ -1 +1 @@\n-old\n+new\n` }], basis });
    }
    case 'write_file':
      return ok({ files: [{ ...change, path: given['path'], diff: '-old\n+new\n' }] });
    case 'run_command':
      return ok({
        ...{ command: given['command'], cwd: workdir, exit_code: 0, signal: null, timed_out: false },
        ...{ output: 'fine', output_bytes: 4, omitted_bytes: 0, duration_ms: 5, sandbox: 'none' },
      });
    default:
      return { status: 'error', message: `The test does not expect ${name}.` };
  }
}

/** A machine that is paired with the workspace of the node's key; it is played by the test. */
export async function pairScripted(node: Node, key?: string): Promise<ScriptedMachine> {
  const paired = await node.call('POST /api/v1/machines', { body: { name: 'laptop' }, ...(key && { key }) });
  expect(paired).toMatchObject({ status: 201 });
  const peer = createMachinePeer(paired.body.token);
  peer.setScript(usualOutcome);
  const operations: ScriptedMachine['operations'] = (name) =>
    peer.received.flatMap((frame) => (frame.type === 'operation' && frame.name === name ? [frame] : []));
  return Object.assign(peer, { id: paired.body.id as string, operations });
}

/** A bot with one coding tool. */
export async function codingBot(node: Node, configuration: object, fields: object = {}): Promise<string> {
  const botId = await chatWith(() => node).bot(fields);
  await giveTools(node, botId, [{ tool_type: 'coding', name: 'Project', configuration }]);
  return botId;
}

/** The replies of the model, one after another in each conversation. */
export function playReplies(scripted: ScriptedModel, ...replies: ScriptStep[][]): void {
  scripted.respondWith((request) => {
    const given = askedBy(request).filter(({ role }) => role === 'assistant').length;
    return replies[given] ?? [text('Done.')];
  });
}
