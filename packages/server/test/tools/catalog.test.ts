import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSchemaCompiler } from '../../src/validation/compile-schema.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service.stop());

const mail = {
  tool_type: 'send_email',
  name: 'Mail',
  description: 'Writes to the team.',
  configuration: {
    host: 'mail.example.com',
    username: 'bot',
    password: 'first secret',
    from: 'Bot <bot@example.com>',
  },
};
const create = (change: object = {}) => service.call('POST /api/v1/tools', { body: { ...mail, ...change } });

describe('the catalog', () => {
  interface Entry {
    tool_type: string;
    read_only: boolean;
    configuration_schema: {
      type: string;
      properties: Record<string, { 'x-secret'?: boolean }>;
      additionalProperties: boolean;
    };
    presets: { id: string; name: string; configuration: Record<string, unknown> }[];
  }
  const catalog = async (): Promise<Entry[]> => (await service.call('GET /api/v1/tools/catalog')).body;

  it('lists every type once, with a readable name and description', async () => {
    const entries = await catalog();
    const types = entries.map((entry) => entry.tool_type);
    expect(new Set(types).size).toBe(types.length);
    expect(types).toEqual(
      expect.arrayContaining([
        'calculator',
        'coding',
        'current_time',
        'end_call',
        'handoff',
        'knowledge_search',
        'mcp',
        'send_email',
        'transfer_call',
      ]),
    );
    for (const entry of entries) {
      expect(entry).toEqual({
        tool_type: expect.stringMatching(/^[a-z_]+$/),
        name: expect.stringMatching(/\S/),
        description: expect.stringMatching(/\S/),
        configuration_schema: expect.any(Object),
        read_only: expect.any(Boolean),
        presets: expect.any(Array),
      });
    }
  });

  it('shows which types are read-only', async () => {
    const readOnly = ['calculator', 'current_time', 'knowledge_search', 'web_fetch'];
    for (const { tool_type: type, read_only: flag } of await catalog())
      expect.soft(flag, type).toBe(readOnly.includes(type));
  });

  it('has a strict, flat schema for each, which its presets match', async () => {
    for (const { tool_type: type, configuration_schema: schema, presets } of await catalog()) {
      expect(schema, type).toMatchObject({ type: 'object', additionalProperties: false });
      const validate = createSchemaCompiler({ coerce: false })(schema);
      expect(new Set(presets.map((preset) => preset.id)).size).toBe(presets.length);
      for (const preset of presets) {
        expect
          .soft(validate(preset.configuration), `${type} ${preset.id}: ${JSON.stringify(validate.errors)}`)
          .toBe(true);
        const secret = Object.keys(preset.configuration).filter((field) => isSecret(schema, field));
        expect(secret, `${type} ${preset.id}`).toEqual([]);
      }
    }
  });

  it('creates a tool from every preset, with the secrets that it requires', async () => {
    for (const { tool_type, presets, configuration_schema: schema } of await catalog()) {
      for (const { id: preset_id, configuration } of presets) {
        const first = await create({ tool_type, configuration, preset_id });
        const missing = (first.body.details ?? []).map(
          ({ path }: { path: string }) => path.split('.')[1] ?? '',
        );
        expect(missing.filter((field: string) => !isSecret(schema, field))).toEqual([]);
        const secrets = Object.fromEntries(missing.map((field: string) => [field, 'secret']));
        const second = await create({
          tool_type,
          configuration: { ...configuration, ...secrets },
          preset_id,
        });
        expect.soft(second, `${tool_type} ${preset_id}`).toMatchObject({ status: 201 });
      }
    }
  });

  it('marks what is secret', async () => {
    const secrets: Record<string, string[]> = {};
    for (const { tool_type: type, configuration_schema: schema } of await catalog())
      secrets[type] = Object.keys(schema.properties).filter((field) => isSecret(schema, field));
    expect(secrets).toMatchObject({
      mcp: ['authorization'],
      send_email: ['password'],
      calculator: [],
      coding: [],
    });
  });

  function isSecret(schema: Entry['configuration_schema'], field: string): boolean {
    return schema.properties[field]?.['x-secret'] === true;
  }
});
