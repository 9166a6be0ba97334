import { expect, it } from 'vitest';
import type { BoundFunction } from '../../tools/tools.service.ts';
import { proposeToolCall } from './propose-tool-call.ts';

const command: BoundFunction = {
  name: 'run_command',
  description: '',
  parameters: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
  approval: 'always',
  approvalOf: ({ command: line }) => (line === 'npm test' ? 'never' : 'always'),
  toolType: 'coding',
  toolId: undefined,
  repeatable: true,
  inOrder: true,
  hasEffects: true,
  isPure: false,
  hidesErrors: false,
  fingerprint: () => ({ tool: '', offer: '' }),
  run: () => Promise.reject(new Error('not reached')),
};

async function propose(given: Record<string, unknown>, offered = command) {
  const part = { type: 'tool-call' as const, id: '1', name: offered.name, arguments: given };
  const proposing = { messageId: 'm', workspaceId: 'w', functions: [offered] };
  const { open } = await proposeToolCall(part, 0, { ...proposing, signal: new AbortController().signal });
  return open;
}

it('a call needs approval as its function decides for its arguments', async () => {
  expect(await propose({ command: 'npm test' })).toMatchObject({ needsApproval: false, repeatable: true });
  expect(await propose({ command: 'rm -rf /' })).toMatchObject({ needsApproval: true });
  const { approvalOf: _decides, ...plain } = command;
  expect(await propose({ command: 'npm test' }, plain)).toMatchObject({ needsApproval: true });
});

it('a call that cannot run needs no approval, and has no effects', async () => {
  const open = await propose({});
  const fault = expect.stringContaining('command');
  expect(open).toMatchObject({ needsApproval: false, hasEffects: false, fault });
});
