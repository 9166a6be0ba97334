import { withWidgetKey } from '../http/own-page.ts';
import type { Operation } from '../support/operations.ts';
import { markOf } from './fill.ts';
import type { MarkedWorkspace } from './marked-workspace.ts';
import { addressesOf, callersOf, idsOf, type WalkRequest } from './requests.ts';
import { type Send, textOf } from './walk.ts';

export interface WriteRequest extends WalkRequest {
  body: unknown;
}

/** The resource that a field of a body names. */
const resourcesOfFields: Record<string, string> = {
  bot_id: 'bots',
  conversation_id: 'conversations',
  message_id: 'messages',
  tool_id: 'tools',
  tool_configuration_id: 'tools',
  code_machine_id: 'machines',
  scenario_ids: 'scenarios',
  attachments: 'attachments',
};

/** Lists of a bot's tools. */
const toolLists = ['assignments', 'tools'];

type Body = Record<string, unknown>;

function withId(field: string, workspace: MarkedWorkspace): Body {
  const [id] = idsOf(workspace, resourcesOfFields[field] ?? '');
  return { [field]: field.endsWith('s') ? [id] : id };
}

/** The example of an operation, about what is the caller's own. */
function ownBody({ name, body }: Operation, own: MarkedWorkspace, other: MarkedWorkspace): unknown {
  if (body === undefined) return undefined;
  const example = body.example as Body;
  const ids = Object.keys(example).filter((field) => field in resourcesOfFields);
  const asked = `Can goods be returned? ${markOf(other.name, 'knowledge_chunks', 'content')}`;
  return {
    ...example,
    ...Object.assign({}, ...ids.map((field) => withId(field, own))),
    ...(name.endsWith('knowledge/search') && { query: asked }),
  };
}

/** The same, with one id of the other workspace in each field that takes one. */
function foreignBodies(operation: Operation, own: MarkedWorkspace, other: MarkedWorkspace): unknown[] {
  const usual = ownBody(operation, own, other) as Body;
  const fields = Object.entries(operation.body?.schema.properties ?? {}).filter(
    ([, one]) => !one['readOnly'],
  );
  return fields.flatMap(([field]) => {
    if (field in resourcesOfFields) return [{ ...usual, ...withId(field, other) }];
    if (!toolLists.includes(field)) return [];
    return [
      { ...usual, [field]: [{ tool_type: 'http_request', ...withId('tool_configuration_id', other) }] },
    ];
  });
}

/** What each operation that is not read with GET is sent by everybody in a workspace. */
export function writesOf(
  operations: readonly Operation[],
  url: string,
  own: MarkedWorkspace,
  other: MarkedWorkspace,
): { own: WriteRequest[]; foreign: WriteRequest[] } {
  const found: { own: WriteRequest[]; foreign: WriteRequest[] } = { own: [], foreign: [] };
  for (const operation of operations.filter(({ method }) => method !== 'GET')) {
    const addresses = addressesOf(operation, own, undefined);
    const [first = ''] = addresses;
    const place = (address: string) =>
      operation.security.includes('widget_key') ? withWidgetKey(address, own.page.widgetKey) : address;
    const foreign = addressesOf(operation, own, other).filter((address) => !addresses.includes(address));
    for (const caller of callersOf(operation, url, own)) {
      const body = ownBody(operation, own, other);
      found.own.push({ operation, caller, body, address: place(first) });
      for (const address of foreign) found.foreign.push({ operation, caller, body, address: place(address) });
      for (const named of foreignBodies(operation, own, other))
        found.foreign.push({ operation, caller, body: named, address: place(first) });
    }
  }
  // What is deleted is needed until then, and what belongs to something goes before it.
  const rank = ({ operation: { method, path } }: WriteRequest) =>
    method === 'DELETE' ? 100 - path.split('/').length : 0;
  return { ...found, own: found.own.toSorted((one, next) => rank(one) - rank(next)) };
}

/** Sends a request and reads all of its answer, headers included. */
export async function write(
  send: Send,
  { operation, address, caller, body }: WriteRequest,
): Promise<{ status: number; text: string }> {
  const answer = await send(address, {
    method: operation.method,
    headers: {
      ...(caller.key && { authorization: `Bearer ${caller.key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...caller.headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return {
    status: answer.statusCode ?? 0,
    text: `${JSON.stringify(answer.headers)}\n${await textOf(answer)}`,
  };
}
