import { afterAll, describe, expect, it } from 'vitest';
import { createGuardedLane } from '../../src/egress/guarded-lane.ts';
import type { AppError } from '../../src/lib/app-error.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createToolRegistry } from '../../src/tools/tool-registry.ts';
import type { Configuration } from '../../src/tools/tool-type.ts';
import { createHttpRequestType } from '../../src/tools/types/http-request/http-request-type.ts';

const lane = createGuardedLane({ allow: [] });
afterAll(() => lane.close());
const type = createHttpRequestType({ lane, clock: systemClock });
const registry = createToolRegistry([type]);
const check = (configuration: Configuration) => registry.check(type, configuration);

const faultOf = (configuration: Configuration): string => {
  try {
    check({ url: 'https://api.example/', ...configuration });
  } catch (error) {
    return (error as AppError).message;
  }
  return 'nothing is wrong';
};

describe('the configuration of http_request', () => {
  it('marks its secrets', () => {
    expect(registry.secretFields(type)).toEqual([
      'bearer_token',
      'basic_password',
      'header_value',
      'oauth_client_secret',
    ]);
  });

  it.each(type.presets.map((preset) => [preset.id, preset] as const))(
    'has a valid preset %s',
    (_id, preset) => {
      const secrets = preset.configuration['auth_type'] === 'bearer' ? { bearer_token: 'a-token' } : {};
      expect(() => check({ ...preset.configuration, ...secrets })).not.toThrow();
      for (const field of registry.secretFields(type)) expect(preset.configuration).not.toHaveProperty(field);
    },
  );

  it('has presets with ids of their own', () => {
    expect(new Set(type.presets.map(({ id }) => id)).size).toBe(type.presets.length);
  });

  const ab = { type: 'object', properties: { a: {}, b: {} } };
  it.each<[Configuration, string]>([
    [{ url: 'https://{{a}}/', parameters: ab }, 'url must not have a parameter in its host'],
    [{ url: 'ftp://api.example/' }, 'url must start with http:// or https://'],
    [
      { url: 'https://api.example/{{c}}', parameters: ab },
      'url names {{c}}, which is not one of the parameters: add it there, or remove it here',
    ],
    [{ url: 'https://api.example/{{a.b}}', parameters: ab }, 'url has an invalid placeholder'],
    [{ query: { x: '{{c}}' } }, 'query names {{c}}'],
    [{ headers: { x: '{{c}}' } }, 'headers names {{c}}'],
    [{ method: 'POST', body: { x: ['{{c}}'] } }, 'body names {{c}}'],
    [{ headers: { Host: 'x' } }, 'headers.Host is set by the connection itself'],
    [{ headers: { 'transfer-encoding': 'x' } }, 'is set by the connection itself'],
    [{ headers: { 'a b': 'x' } }, 'headers.a b is not the name of a header'],
    [{ headers: { a: 'x\r\ny: z' } }, 'headers.a must not contain a line break'],
    [{ body: {} }, 'body cannot be sent with GET'],
    [{ method: 'POST', body: '{"a": {{a}}}', parameters: ab }, 'body is not valid JSON'],
    [{ method: 'POST', body_type: 'text', body: {} }, 'body must be a string'],
    [{ method: 'POST', body_type: 'form', body: 'a=b' }, 'body must be an object of fields'],
    [{ parameters: { type: 'array' } }, 'parameters must be a JSON Schema with the type object'],
    [{ parameters: { type: 'object', properties: { a: { pattern: '(' } } } }, 'is not a regular expression'],
    [{ auth_type: 'bearer' }, 'bearer_token is required when auth_type is bearer'],
    [{ auth_type: 'basic' }, 'basic_username is required'],
    [{ auth_type: 'header', header_name: 'host', header_value: 'x' }, 'header_name is set by the connection'],
    [{ auth_type: 'header', header_name: 'x' }, 'header_value is required'],
    [{ auth_type: 'bearer', bearer_token: 'a\r\nb' }, 'bearer_token must not contain a line break'],
    [
      {
        auth_type: 'oauth2_client_credentials',
        oauth_token_url: 'https://id.example/{{a}}',
        oauth_client_id: 'a',
        oauth_client_secret: 'b',
      },
      'oauth_token_url must not have a parameter',
    ],
    [{ response_path: 'a[?(@.b)]' }, 'response_path must look like'],
    [{ timeout_ms: 1_000_000 }, 'timeout_ms must be at most'],
    [{ method: 'CONNECT' }, 'method must be one of'],
    [{ extra: 1 }, 'extra is not a known field'],
  ])('%j: %s', (configuration, words) => {
    expect(faultOf(configuration)).toContain(words);
  });
});
