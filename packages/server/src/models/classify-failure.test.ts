import { describe, expect, test } from 'vitest';
import { classifyFailure } from './classify-failure.ts';

const identity = { provider: 'openai', modelName: 'gpt-x', secrets: [] };

describe('what a failure means', () => {
  test.each([
    [400, '{"error":{"code":"context_length_exceeded"}}', 'CONTEXT_TOO_LONG'],
    [400, "This model's maximum context length is 8192 tokens", 'CONTEXT_TOO_LONG'],
    [400, 'The input token count (2000000) exceeds the maximum number of tokens allowed', 'CONTEXT_TOO_LONG'],
    [413, '{"error":{"type":"request_too_large"}}', 'CONTEXT_TOO_LONG'],
    [undefined, '{"code":"context_length_exceeded"}', 'CONTEXT_TOO_LONG'],
    [429, '{"error":{"code":"insufficient_quota"}}', 'MODEL_REJECTED'],
    [429, '', 'MODEL_RATE_LIMITED'],
    [undefined, '{"type":"rate_limit_error"}', 'MODEL_RATE_LIMITED'],
    [400, '{"error":{"code":"content_policy_violation"}}', 'MODEL_REJECTED'],
    [401, '', 'MODEL_REJECTED'],
    [403, '', 'MODEL_REJECTED'],
    [404, '', 'MODEL_REJECTED'],
    [302, '', 'MODEL_REJECTED'],
    [408, '', 'MODEL_UNAVAILABLE'],
    [500, 'context window service crashed', 'MODEL_UNAVAILABLE'],
    [503, '', 'MODEL_UNAVAILABLE'],
    [undefined, '{"type":"server_error"}', 'MODEL_UNAVAILABLE'],
    [undefined, '{"type":"invalid_request_error"}', 'MODEL_REJECTED'],
  ])('%s %s → %s', (status, body, code) => {
    expect(classifyFailure(identity, { status, body }).code).toBe(code);
  });

  test.each([
    [400, 'Invalid parameter: response_format', true],
    [422, '', true],
    [400, '{"error":{"code":"content_policy_violation"}}', false],
    [400, '{"error":{"code":"context_length_exceeded"}}', false],
    [400, 'Your credit balance is too low', false],
    [401, '', false],
    [404, '', false],
  ])('%s %s: is it the request itself? %s', (status, body, expected) => {
    expect(classifyFailure(identity, { status, body }).isBadRequest ?? false).toBe(expected);
  });

  test('the sentence is ours: it repeats nothing that the provider said', () => {
    for (const status of [undefined, 302, 400, 401, 404, 429, 500]) {
      const { sentence } = classifyFailure(identity, { status, body: 'the-providers-own-words' });
      expect(sentence).not.toContain('own-words');
      expect(sentence).toMatch(/^The .*\.$/);
    }
  });
});
