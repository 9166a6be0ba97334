import type { Ability } from '@svc/contract/abilities';
import { type ErrorCode, errorCodes } from '@svc/contract/errors';
import { type Role, roleFor } from '@svc/contract/roles';
import type { TObject, TSchema } from 'typebox';
import { Type } from 'typebox';
import type { Access } from './access.ts';
import { splitAnswers } from './end-user-answers.ts';
import { withReferences } from './named-schemas.ts';

type Schemas = {
  headers?: TObject;
  params?: TSchema;
  querystring?: TSchema;
  body?: TSchema;
  response: Record<number, TSchema>;
};

export interface OperationOptions<S extends Schemas> {
  /**
   * `machine_key` for operations of paired machines, which need the key of one; `widget_key` and `visitor_token` for those of
   * widgets; `session` for those of the console; `own_page` for those that the console needs before the sign-in; `metrics_token` for
   * the metrics; `none` for operations that need no key.
   */
  ability: Ability | 'session' | (typeof otherSchemes)[number];
  /**
   * The least role of the members who may call it from the console; by default it follows from the ability. Null, with `session`:
   * any person who is signed in, member or not.
   */
  role?: Role | null;
  /** Only account keys may call it, not members who are signed in to the console. */
  noSession?: boolean;
  /** End users may call it too, about themselves. `orForEndUsers` declares what they get. */
  endUsers?: boolean;
  /** Its name in generated clients: a verb and a noun. It never changes. */
  id: string;
  summary: string;
  description?: string;
  schema: S;
  /** Its own error codes, beyond those of every operation of its kind. */
  errors?: ErrorCode[];
  /**
   * Repeats with the same Idempotency-Key get the first answer. Required for every POST of a workspace, by a key or a session.
   */
  idempotent?: boolean;
  bodyLimit?: number;
  /** The error code for bodies that are too large or of another content type, instead of their own. */
  badBody?: 'VALIDATION_FAILED';
  /** The content type of its body, if not JSON. */
  consumes?: string;
  /** The content type of its answer, if not JSON. */
  produces?: string;
  /** Its answer is a WebSocket. */
  webSocket?: boolean;
}

/** The answer of an operation that streams events unless the client asks for JSON. */
export function jsonOrEvents<Json extends TSchema, Events extends TSchema>(json: Json, events: Events) {
  return { content: { 'application/json': { schema: json }, 'text/event-stream': { schema: events } } };
}

/** The largest JSON body of an operation that does not set its own limit. */
export const defaultBodyLimit = 1024 * 1024;

const idempotencyHeader = {
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        'Makes a repeat of this request get the first answer instead of acting twice. Kept 24 hours.',
    }),
  ),
};

/** Declares the operations of one group of the API description. */
export function operationsOf(tag: string) {
  return <S extends Schemas>(options: OperationOptions<S>) => operation({ tag, ...options });
}

/** Everything a route declares, in one place: it validates, types, serializes and documents. */
export function operation<S extends Schemas>(options: OperationOptions<S> & { tag: string }) {
  const access = accessOf(options);
  const { response, headers, ...input } = options.schema;
  const { full, seen } = splitAnswers(response);
  const taken = { ...headers?.properties, ...(options.idempotent && idempotencyHeader) };
  return {
    config: {
      access,
      ...(options.badBody && { badBody: options.badBody }),
      ...(options.idempotent && { idempotent: true }),
      ...(options.webSocket && { webSocket: true }),
    },
    ...(options.bodyLimit !== undefined && { bodyLimit: options.bodyLimit }),
    schema: {
      ...input,
      ...(Object.keys(taken).length > 0 && { headers: Type.Object(taken) }),
      response: { ...errorResponses(errorsOf(options)), ...describeAnswers(full) } as S['response'],
      ...seen,
      ...(options.produces && { produces: [options.produces] }),
      ...(options.consumes && { consumes: [options.consumes] }),
      ...(input.body && { 'x-body-limit-bytes': options.bodyLimit ?? defaultBodyLimit }),
      operationId: options.id,
      tags: [options.tag],
      summary: options.summary,
      description: [options.description, accessSentence(access)].filter(Boolean).join('\n\n'),
      security: securityOf(access),
      ...('role' in access && access.role !== null && { 'x-console-role': access.role }),
    },
  };
}

const otherSchemes = [
  'machine_key',
  'widget_key',
  'visitor_token',
  'metrics_token',
  'own_page',
  'none',
] as const;

function accessOf(options: OperationOptions<Schemas>): Access {
  const { ability, role, noSession = false, endUsers = false } = options;
  if (ability === 'session') return { scheme: 'session', role: role === undefined ? 'viewer' : role };
  const scheme = otherSchemes.find((name) => name === ability);
  if (scheme) return { scheme };
  const needed = ability as Ability;
  return {
    scheme: 'account_key',
    ability: needed,
    endUsers,
    role: noSession ? null : (role ?? roleFor(needed)),
  };
}

function accessSentence(access: Access): string {
  switch (access.scheme) {
    case 'none':
      return '';
    case 'own_page':
      return 'For pages of the service itself.';
    case 'machine_key':
      return 'Needs the key of a paired machine.';
    case 'metrics_token':
      return 'Needs the token in `SVC_METRICS_TOKEN`.';
    case 'widget_key':
      return 'Needs a widget key, on a page that may use it.';
    case 'visitor_token':
      return 'Needs a widget key, on a page that may use it, and a visitor token that the key issued.';
    case 'session':
      return access.role === null
        ? 'For people who are signed in to the console.'
        : `For members who are signed in to the console, with the role \`${access.role}\` or a higher one.`;
    case 'account_key':
      return `Needs the ability \`${access.ability}\`${access.endUsers ? ', or an end-user token' : ''}.`;
  }
}

function securityOf(access: Access): Record<string, string[]>[] {
  switch (access.scheme) {
    case 'none':
    case 'own_page':
      return [];
    case 'visitor_token':
      return [{ widget_key: [], visitor_token: [] }];
    case 'account_key':
      return [{ account_key: [access.ability] }, ...(access.endUsers ? [{ end_user_token: [] }] : [])];
    case 'session':
      return [{ session: [] }];
    case 'machine_key':
    case 'metrics_token':
    case 'widget_key':
      return [{ [access.scheme]: [] }];
  }
}

function errorsOf(options: OperationOptions<Schemas>): ErrorCode[] {
  const { params, querystring, body } = options.schema;
  const { scheme } = accessOf(options);
  const codes: ErrorCode[] = ['INTERNAL', 'NOT_READY'];
  if (!['none', 'own_page'].includes(scheme)) codes.push('UNAUTHORIZED', 'RATE_LIMITED');
  if (options.webSocket || !['none', 'machine_key', 'metrics_token'].includes(scheme))
    codes.push('FORBIDDEN');
  if (options.webSocket) codes.push('UPGRADE_REQUIRED');
  if (params) codes.push('NOT_FOUND');
  if (querystring || body) codes.push('VALIDATION_FAILED');
  if (body && !options.badBody) codes.push('PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE');
  if (options.idempotent) codes.push('IDEMPOTENCY_MISMATCH', 'IDEMPOTENCY_IN_PROGRESS');
  return [...new Set([...codes, ...(options.errors ?? [])])];
}

function errorResponses(codes: ErrorCode[]): Record<number, object> {
  const byStatus = Object.groupBy(codes, (code) => errorCodes[code].status);
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, group]) => [
      status,
      {
        description: group.map((code) => `\`${code}\`: ${errorCodes[code].message}`).join('\n\n'),
        $ref: 'Error#',
      },
    ]),
  );
}

const answerDescriptions: Record<string, string> = {
  101: 'The connection is a WebSocket from now on.',
  200: 'Success.',
  201: 'Created.',
  202: 'Accepted.',
};

function describeAnswers(response: Record<number, object>): Record<string, object> {
  return Object.fromEntries(
    Object.entries(response).map(([status, schema]) => [
      status,
      { description: answerDescriptions[status] ?? 'Answer.', ...withReferences(schema) },
    ]),
  );
}
