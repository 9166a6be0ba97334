import { expect, it } from 'vitest';
import { withApproval } from './approval.ts';

it.each([
  ['http_request', { url: 'https://x', method: 'POST' }, { approval: 'always' }],
  ['coding', {}, { approval_writes: 'always', approval_commands: 'always', allowed_commands: [] }],
  [
    'coding',
    { workdir: '/srv', approval_writes: 'never', approval_commands: 'never', allowed_commands: ['rm *'] },
    { workdir: '/srv', approval_writes: 'always', approval_commands: 'always', allowed_commands: [] },
  ],
])('a drafted %s asks before it changes anything: %j', (type, configuration, expected) => {
  expect(withApproval(type, configuration)).toEqual({ ...configuration, ...expected });
});

it.each(['mcp', 'send_email', 'web_fetch'])('a model does not decide that a %s runs unasked', (type) => {
  const drafted = {
    host: 'mail.example',
    approval: 'never',
    approval_link_edit: true,
    approval_grants: true,
  };
  expect(withApproval(type, drafted)).toEqual({ host: 'mail.example' });
  expect(withApproval(type, { approval: 'always' })).toEqual({ approval: 'always' });
});

it('leaves drafts alone that only read', () => {
  const configuration = { url: 'https://x', method: 'GET', approval: 'never' };
  expect(withApproval('http_request', configuration)).toEqual(configuration);
  expect(withApproval('calculator', {})).toEqual({});
});
