import { expect } from 'vitest';
import type { TestApp } from './test-app.ts';

export interface DraftedTool {
  tool_type: string;
  name: string;
  description: string;
  configuration: {
    method: string;
    url: string;
    parameters: { properties: Record<string, unknown>; required?: string[] };
    [field: string]: unknown;
  };
}

const ownersFields: Record<string, object> = {
  bearer: { bearer_token: 'token' },
  basic: { basic_username: 'me', basic_password: 'password' },
  header: { header_value: 'key' },
  oauth2_client_credentials: { oauth_client_id: 'me', oauth_client_secret: 'secret' },
};

/** Asks for drafts, and makes tools of them. */
export function discovering(service: () => Pick<TestApp, 'call'>) {
  const discover = (body: object) =>
    service().call('POST /api/v1/tools/discover', { body, headers: { accept: 'application/json' } });

  async function draft(
    body: object,
  ): Promise<{ tools: DraftedTool[]; notes: string[]; named(name: string): DraftedTool }> {
    const answer = await discover(body);
    expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 200 });
    const { tools, notes } = answer.body.draft as { tools: DraftedTool[]; notes: string[] };
    return {
      tools,
      notes,
      named(name) {
        const found = tools.find((tool) => tool.name === name);
        if (!found) throw new Error(`no tool ${name} among ${tools.map((tool) => tool.name).join(', ')}`);
        return found;
      },
    };
  }

  /** As its owner would, with the secrets filled in. */
  async function create(tool: DraftedTool): Promise<string> {
    const secrets = ownersFields[String(tool.configuration['auth_type'])] ?? {};
    const body = { ...tool, configuration: { ...tool.configuration, ...secrets } };
    const answer = await service().call('POST /api/v1/tools', { body });
    expect(answer.status, `${tool.name}: ${JSON.stringify(answer.body)}`).toBe(201);
    return answer.body.id;
  }
  return { discover, draft, create };
}
