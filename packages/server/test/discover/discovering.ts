import type { DiscoveredTools } from '@svc/contract/discover';
import { expect } from 'vitest';
import { createDraftCheck } from '../../src/discover/check-draft.ts';
import {
  type DocumentMessage,
  type DocumentSource,
  draftDocument,
} from '../../src/discover/openapi/draft-document.ts';
import { createToolRegistry } from '../../src/tools/tool-registry.ts';
import { httpRequestDescription } from '../../src/tools/types/http-request/http-request-description.ts';
import type { TestApp } from '../support/test-app.ts';

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

interface Drafted {
  tools: DraftedTool[];
  notes: string[];
}

interface ListedOperation {
  method: string;
  path: string;
  operation_id: string | null;
  summary: string;
}

const ownersFields: Record<string, object> = {
  bearer: { bearer_token: 'token' },
  basic: { basic_username: 'me', basic_password: 'password' },
  header: { header_value: 'key' },
  oauth2_client_credentials: { oauth_client_id: 'me', oauth_client_secret: 'secret' },
};

const check = createDraftCheck(
  createToolRegistry([{ ...httpRequestDescription, functions: async () => [] }]),
);

/** What the thread that reads a document would send last, in this process: starting it takes longer than reading most documents. */
export function readHere(
  documentation: string | Uint8Array,
  options: Partial<Pick<DocumentSource, 'url' | 'goal' | 'operations'>> = {},
): DocumentMessage | undefined {
  const sent: DocumentMessage[] = [];
  const chosen = { url: undefined, goal: undefined, operations: undefined, ...options };
  const source = {
    bytes: Buffer.from(documentation),
    charset: 'utf-8',
    field: 'documentation',
    ...chosen,
  } as const;
  draftDocument(source, check, (message) => sent.push(message));
  return sent.at(-1);
}

export function draftHere(...read: Parameters<typeof readHere>): DiscoveredTools {
  const last = readHere(...read);
  if (last?.kind !== 'drafted') throw new Error(JSON.stringify(last));
  return last.drafted;
}

/** Drafts up to `limit` operations in this process, in batches of the size that one request drafts. */
export function draftAllHere(documentation: string, limit = Number.POSITIVE_INFINITY, url?: string) {
  const { tools, notes, operations = [] } = draftHere(documentation, { url });
  for (let start = 0; start < Math.min(limit, operations.length); start += 20) {
    const names = operations.slice(start, start + 20).map(({ method, path }) => `${method} ${path}`);
    const more = draftHere(documentation, { url, operations: names });
    tools.push(...more.tools);
    notes.push(...more.notes);
  }
  return { tools: tools as DraftedTool[], notes };
}

/** Requests drafts, and creates tools from them. */
export function discovering(service: () => Pick<TestApp, 'call'>) {
  const discover = (body: object) =>
    service().call('POST /api/v1/tools/discover', { body, headers: { accept: 'application/json' } });

  async function ask(body: object): Promise<Drafted & { operations?: ListedOperation[] }> {
    const answer = await discover(body);
    expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 200 });
    return answer.body;
  }

  /** Drafts up to `limit` operations of a large document, in batches of the size that one request drafts. */
  async function draftAll(body: object, limit: number): Promise<Drafted> {
    const { tools, notes, operations = [] } = await ask(body);
    for (let start = 0; start < Math.min(limit, operations.length); start += 20) {
      const chosen = operations.slice(start, start + 20);
      const names = chosen.map(({ method, path }) => `${method} ${path}`);
      const more = await ask({ ...body, operations: names });
      tools.push(...more.tools);
      notes.push(...more.notes);
    }
    return { tools, notes };
  }

  async function draft(
    body: object,
    limit = Number.POSITIVE_INFINITY,
  ): Promise<Drafted & { named(name: string): DraftedTool }> {
    const { tools, notes } = await draftAll(body, limit);
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

  /** Creates the tool as its owner would, with the secrets filled in. */
  async function create(tool: DraftedTool): Promise<string> {
    const secrets = ownersFields[String(tool.configuration['auth_type'])] ?? {};
    const body = { ...tool, configuration: { ...tool.configuration, ...secrets } };
    const answer = await service().call('POST /api/v1/tools', { body });
    expect(answer.status, `${tool.name}: ${JSON.stringify(answer.body)}`).toBe(201);
    return answer.body.id;
  }
  return { discover, ask, draft, create };
}
