import { isWebSocket } from '../http/operation-traits.ts';
import { ownPageHeaders, withWidgetKey } from '../http/own-page.ts';
import { consoleOptions } from '../http/session.ts';
import { fillPath, isEventStream, type Operation, pathResources } from '../support/operations.ts';
import { markOf } from './fill.ts';
import { type MarkedWorkspace, shared } from './marked-workspace.ts';

/** A way to call an operation, with the credential of one workspace. */
export interface Caller {
  as: 'key' | 'session' | 'end user' | 'visitor' | 'page' | 'machine' | 'anybody';
  key: string | null;
  headers: Record<string, string>;
}

export interface WalkRequest {
  operation: Operation;
  address: string;
  caller: Caller;
}

/** Everybody in a workspace who can call an operation. */
export function callersOf(
  operation: Operation,
  url: string,
  { key, owner, endUserToken, machineKey, page }: MarkedWorkspace,
): Caller[] {
  const { security, role } = operation;
  const session = consoleOptions({ ...operation, scheme: 'session' }, url, owner);
  if (security.includes('visitor_token'))
    return [{ as: 'visitor', key: page.visitorToken, headers: ownPageHeaders }];
  if (security.includes('widget_key')) return [{ as: 'page', key: null, headers: ownPageHeaders }];
  if (security.includes('machine_key')) return [{ as: 'machine', key: machineKey, headers: {} }];
  if (security.length === 0) return [{ as: 'anybody', ...session }];
  return [
    ...(security.includes('account_key') ? [{ as: 'key' as const, key, headers: {} }] : []),
    ...(security.includes('session') || role ? [{ as: 'session' as const, ...session }] : []),
    ...(security.includes('end_user_token')
      ? [{ as: 'end user' as const, key: endUserToken, headers: {} }]
      : []),
  ];
}

/** The resource that a parameter of a query names. */
const resourcesOfParameters: Record<string, string> = {
  conversation_id: 'conversations',
  bot_id: 'bots',
  branch_id: 'branches',
  machine_id: 'machines',
  message_id: 'messages',
  tool_id: 'tools',
  turn_id: 'turns',
  api_key_id: 'widget-keys',
  session_token: 'voice-sessions',
};

type Values = (own: MarkedWorkspace, other: MarkedWorkspace | undefined) => (string | undefined)[];

/** What is tried for the parameters whose schema does not say it. A new one fails until it is added here. */
const values: Record<string, Values> = {
  id: (own, other) => [own, other].flatMap((one) => Object.values(one?.ids ?? {}).map(([id]) => id)),
  workspace: (own, other) => [own.id, other?.id],
  actor: (own, other) => [own.owner.id, other?.owner.id, ...(other?.ids['keys'] ?? [])],
  object: (own, other) => [own.ids['bots']?.[0], other?.ids['bots']?.[0]],
  action: () => ['bot', 'bot.updated', 'key.created'],
  external_user_id: (own, other) => [
    shared.userId,
    ...marked('conversations', 'external_user_id')(own, other),
  ],
  q: (own, other) => [
    'mark-of',
    'Goods',
    ...marked('conversations', 'title')(own, other),
    ...marked('messages', 'content')(own, other),
    ...marked('knowledge', 'title')(own, other),
    own.ids['conversations']?.[0],
    other?.ids['conversations']?.[0],
    other?.ids['messages']?.[0],
    other?.ids['turns']?.[0],
  ],
  tool: (own, other) => marked('approvals', 'tool_name')(own, other),
  passage: (own, other) => ['Goods', ...marked('knowledge_chunks', 'content')(own, other)],
  before: (_own, other) => ['ffffffff-ffff-7fff-bfff-ffffffffffff', other?.ids['conversations']?.[0], '1'],
  by: () => ['day', 'bot', 'model', 'channel', 'external_user_id', 'day,bot,model,channel,external_user_id'],
  month: () => [new Date().toISOString().slice(0, 7)],
  time_zone: () => ['Europe/Berlin'],
  language: () => ['de'],
  assignee: (own, other) => [own.owner.id, other?.owner.id, 'none'],
  label: (own, other) => marked('conversations', 'labels')(own, other),
  version: () => ['1'],
  voice: () => ['local/slt'],
  from: () => ['2026-01-01T00:00:00.000Z', '0'],
  to: () => ['2099-01-01T00:00:00.000Z'],
};

function marked(table: string, column: string): Values {
  return (own, other) => [own, other].map((one) => one && markOf(one.name, table, column));
}

type Parameter = Operation['parameters'][number] & {
  schema?: { enum?: string[]; type?: string; maximum?: number };
};

function valuesOf(
  { name, schema }: Parameter,
  own: MarkedWorkspace,
  other: MarkedWorkspace | undefined,
): string[] {
  const resource = resourcesOfParameters[name];
  if (resource)
    return [...idsOf(own, resource), ...(other ? idsOf(other, resource).slice(0, maxForeign) : [])];
  if (schema?.enum) return schema.enum;
  if (schema?.type === 'boolean') return ['true', 'false'];
  const known = values[name]?.(own, other).filter((value) => value !== undefined);
  if (known) return known;
  if (schema?.type === 'integer') return ['1', String(schema.maximum ?? 0)];
  throw new Error(`Say in values what is tried for the parameter "${name}".`);
}

/** Of the other workspace a few of each kind are enough: operations.test.ts sends one to every operation. */
const maxForeign = 3;

export function idsOf({ ids }: MarkedWorkspace, resource: string): string[] {
  const found = ids[resource];
  if (!found) throw new Error(`Say in marked-workspace.ts which ids /${resource}/{…} takes.`);
  return found;
}

/** Links that answer an approval are credentials: whoever has one may see the approval. */
const credentials = ['a'];

/** The paths of an operation: with every own id, and with every id of the other workspace in each place. */
function pathsOf(path: string, own: MarkedWorkspace, other: MarkedWorkspace | undefined): string[] {
  const resources = pathResources(path);
  const combinations = resources.reduce<string[][]>(
    (found, resource) => found.flatMap((ids) => idsOf(own, resource).map((id) => [...ids, id])),
    [[]],
  );
  const [first = []] = combinations;
  const foreign = resources.flatMap((resource, index) =>
    other && !credentials.includes(resource)
      ? idsOf(other, resource)
          .slice(0, maxForeign)
          .map((id) => first.with(index, id))
      : [],
  );
  return [...combinations, ...foreign].map((ids) => fillPath(path, ids));
}

/**
 * The addresses of an operation that reads: every path with what is required, and the first path with every value of every
 * parameter. Without another workspace, only what is the caller's own is named.
 */
export function addressesOf(
  operation: Operation,
  own: MarkedWorkspace,
  other: MarkedWorkspace | undefined,
): string[] {
  const parameters = (operation.parameters as Parameter[]).filter(
    (one) => one.in === 'query' && one.name !== 'key',
  );
  const required = parameters.filter((one) => one.required);
  const usual = required.map((one) => [one.name, valuesOf(one, own, undefined)[0] ?? ''] as const);
  const isStream = operation.method === 'GET' && isEventStream(operation);
  // Streams never end by themselves, so all that is stored is read.
  if (isStream) usual.push(['after', '0']);
  const [first = '', ...others] = pathsOf(operation.path, own, other).map((path) => withQuery(path, usual));
  const varied = parameters.flatMap((one) =>
    one.name === 'metadata.<key>'
      ? metadataFilters(first, own, other)
      : isStream && one.name === 'after'
        ? []
        : valuesOf(one, own, other).map((value) => withQuery(first, [[one.name, value]])),
  );
  return [...new Set([first, ...others, ...varied])];
}

function metadataFilters(
  address: string,
  own: MarkedWorkspace,
  other: MarkedWorkspace | undefined,
): string[] {
  const notes = [own, other].flatMap((one) =>
    one
      ? ['bots', 'tools', 'knowledge', 'conversations', 'voice_numbers'].map((table) =>
          markOf(one.name, table, 'metadata'),
        )
      : [],
  );
  return [
    withQuery(address, [[`metadata.${shared.metadata}`, shared.team]]),
    ...notes.map((note) => withQuery(address, [['metadata.note', note]])),
  ];
}

function withQuery(address: string, changes: readonly (readonly [string, string])[]): string {
  const [path = '', query = ''] = address.split('?');
  const parameters = new URLSearchParams(query);
  for (const [name, value] of changes) parameters.set(name, value);
  const text = parameters.toString();
  return text ? `${path}?${text}` : path;
}

/** Every request of every operation that reads with GET, as everybody in the workspace. */
export function readsOf(
  operations: readonly Operation[],
  url: string,
  own: MarkedWorkspace,
  other: MarkedWorkspace | undefined,
): WalkRequest[] {
  return operations
    .filter((operation) => operation.method === 'GET' && !isWebSocket(operation))
    .flatMap((operation) =>
      callersOf(operation, url, own).flatMap((caller) =>
        addressesOf(operation, own, other)
          // What a key is sent with every value of every parameter, a session is sent with the usual ones.
          .slice(0, caller.as === 'session' && operation.scheme === 'account_key' ? 1 : undefined)
          .map((address) => ({ operation, caller, address })),
      ),
    )
    .map((request) =>
      request.operation.security.includes('widget_key')
        ? { ...request, address: withWidgetKey(request.address, own.page.widgetKey) }
        : request,
    );
}
