import type { CatalogEntry, Tool } from '@svc/contract/tools';
import { expect, it } from 'vitest';
import { draftOfTool, sentConfiguration, unusedSecrets } from './tool-draft.ts';

const entry = {
  configuration_schema: {
    type: 'object',
    properties: {
      url: { type: 'string' },
      auth_type: { type: 'string', enum: ['none', 'bearer'], default: 'none' },
      bearer_token: { type: 'string', 'x-secret': true, 'x-show-when': { auth_type: ['bearer'] } },
    },
  },
} as unknown as CatalogEntry;
const tool = {
  name: 'orders',
  description: '',
  is_active: true,
  configuration: { url: 'https://a.example.com', auth_type: 'bearer' },
  secrets_set: ['bearer_token'],
} as unknown as Tool;

it('keeps a stored secret, and removes it when it no longer applies: nobody could remove it otherwise', () => {
  const draft = draftOfTool(tool);
  expect(sentConfiguration(entry, draft, tool)).toEqual(draft.configuration);
  const other = { ...draft, configuration: { url: 'https://b.example.com', bearer_token: 'typed before' } };
  expect(unusedSecrets(entry, other, tool)).toEqual(['bearer_token']);
  expect(sentConfiguration(entry, other, tool)).toEqual({ url: 'https://b.example.com', bearer_token: null });
  expect(sentConfiguration(entry, other, undefined)).toEqual({ url: 'https://b.example.com' });
});
