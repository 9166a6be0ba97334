import { expect, it } from 'vitest';
import { fieldName, fieldWords } from './field-names.ts';

it.each([
  ['system_prompt', 'Prompt'],
  ['enable_agent_tracing', 'Tracing'],
  ['allowed_domains', 'Allowed domains'],
  ['allowed_domains.1', 'Allowed domains 2'],
  ['configuration.api_key', 'Api key'],
  ['output_config.webhook_url', 'Output webhook'],
])('calls %s what people call it', (path, name) => {
  expect(fieldName(path)).toBe(name);
});

it('says it within a sentence', () => {
  expect(fieldWords('agent_goal')).toBe('goal');
});
