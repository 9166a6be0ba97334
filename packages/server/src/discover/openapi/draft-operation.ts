import type { DraftedTool } from '@svc/contract/discover';
import { AppError } from '../../lib/app-error.ts';
import { isObject } from '../../validation/json-schema/check.ts';
import type { CheckedDraft, DraftCheck } from '../check-draft.ts';
import { type JsonObject, listOf, type OpenApiDocument, type Resolve, textOf } from './document.ts';
import type { ListedOperation } from './list-operations.ts';
import { addParameters } from './openapi-parameters.ts';
import { addBody } from './request-body.ts';
import { emptyParts, type RequestParts } from './request-parts.ts';

export interface DraftContext {
  document: OpenApiDocument;
  documentUrl: string | undefined;
  resolve: Resolve;
  check: DraftCheck;
}

export type DraftedOperation =
  | { tool: Omit<DraftedTool, 'name'>; notes: string[]; missing: string[] }
  | { refused: string };

/** How deep schemas are followed: one that is too large for a tool is tried again at the next depth. */
const depths = [12, 6, 4, 3, 2, 1];
/** A little below the limit of a tool's `parameters`. */
const maxSchemaBytes = 32_000;

/** Drafts a valid HTTP tool for one operation, or gives the reason why there is none. */
export function draftOperation(listed: ListedOperation, context: DraftContext): DraftedOperation {
  const { document, documentUrl, resolve } = context;
  const { method, operation, pathItem } = listed;
  const server = serverUrlOf([operation, pathItem, document], documentUrl);
  const authentication = authenticationOf(operation, document, resolve, server.url);
  const { parts, refused, isCut } = partsThatFit(listed, resolve, authentication.fields);
  if (refused !== undefined) return { refused };
  const configuration = {
    method,
    url: server.url + parts.path,
    ...ifAny('headers', parts.headers),
    ...ifAny('query', parts.query),
    ...(parts.body !== undefined && { body: parts.body, body_type: parts.bodyType }),
    ...(parts.deepObjects.length > 0 && { deep_objects: parts.deepObjects }),
    parameters: parametersOf(parts),
    ...authentication.fields,
    ...(method === 'GET'
      ? { approval: 'never' }
      : { approval: 'always', approval_title: approvalTitle(listed, parts) }),
  };
  const checked = checkedOrFault(context.check, configuration);
  if (typeof checked === 'string') return { refused: checked };
  const notes = [...server.notes, ...authentication.notes, ...parts.notes];
  const lost = [...parts.losses.keywords];
  if (lost.length > 0)
    notes.push(`Rules of its schema that a tool cannot have are left out: ${lost.join(', ')}.`);
  if (isCut) notes.push('Its schema is large: the deeper parts are left open.');
  return {
    tool: {
      tool_type: 'http_request',
      description: descriptionOf(listed),
      configuration: checked.configuration,
    },
    notes,
    missing: checked.missing,
  };
}

function partsThatFit(
  { operation, pathItem, method, path }: ListedOperation,
  resolve: Resolve,
  authentication: JsonObject,
) {
  for (const maxDepth of depths) {
    const parts = emptyParts(path, authentication);
    addParameters(parts, [pathItem, operation], resolve, maxDepth);
    const refused = addBody(parts, operation, { resolve, maxDepth, method });
    const size = Buffer.byteLength(JSON.stringify(parametersOf(parts)));
    const isLast = maxDepth === depths.at(-1);
    if (size <= maxSchemaBytes || isLast || refused !== undefined) {
      return { parts, refused, isCut: maxDepth !== depths[0] };
    }
  }
  throw new Error('There is always a last depth.');
}

function parametersOf({ properties, required }: RequestParts): JsonObject {
  return {
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

function checkedOrFault(check: DraftCheck, configuration: JsonObject): CheckedDraft | string {
  try {
    return check('http_request', configuration);
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}

function descriptionOf({ operation, pathItem, method, path }: ListedOperation): string {
  const summary = textOf(operation['summary']) || textOf(pathItem['summary']);
  const longer = textOf(operation['description']) || textOf(pathItem['description']);
  const text = [summary, longer === summary ? '' : longer].filter(Boolean).join('\n\n');
  return (text || `${method} ${path}`).slice(0, 2000).toWellFormed();
}

const maxTitleLength = 200;
const maxTitleParameters = 2;

/** What a call would do, told apart from others by what it has to have: `Refund an order: {{order_id}}, {{amount}}`. */
function approvalTitle(
  { operation, pathItem, method, path }: ListedOperation,
  { properties, required }: RequestParts,
): string {
  const summary = textOf(operation['summary']) || textOf(pathItem['summary']) || `${method} ${path}`;
  // What looks like a placeholder here is not one.
  const sentence = summary.replaceAll(/[{}]/g, '').replace(/[\s.]+$/, '');
  const telling = required
    .filter((name) => /^[\w-]{1,40}$/.test(name) && !isComposite(properties[name]))
    .slice(0, maxTitleParameters)
    .map((name) => `{{${name}}}`);
  const room = maxTitleLength - telling.join(', ').length - 2;
  return [sentence.slice(0, room).toWellFormed(), telling.join(', ')].filter(Boolean).join(': ');
}

function isComposite(schema: unknown): boolean {
  return !isObject(schema) || schema['type'] === 'object' || schema['type'] === 'array';
}

function ifAny(field: string, entries: Record<string, string>): JsonObject {
  return Object.keys(entries).length > 0 ? { [field]: entries } : {};
}

/** A reserved name, so that nothing is sent before the address is filled in. */
const unknownServer = 'https://server.invalid';

interface ServerUrl {
  url: string;
  notes: string[];
}

/** The first complete address in the nearest list of servers. */
function serverUrlOf(levels: readonly JsonObject[], documentUrl: string | undefined): ServerUrl {
  const servers = levels.map((level) => listOf(level['servers'])).find((list) => list.length > 0) ?? [];
  const urls = servers.filter(isObject).map((server) => fillVariables(server));
  const complete = (urls.length > 0 ? urls : ['/']).flatMap((url) => completed(url, documentUrl));
  const [first, ...others] = [...new Set(complete)];
  if (first === undefined) {
    const note = `The document names no complete server address: put it in the place of ${unknownServer}.`;
    return { url: unknownServer + (urls[0]?.startsWith('/') ? trimmed(urls[0]) : ''), notes: [note] };
  }
  const rest = others.filter((other) => other !== first);
  return {
    url: first,
    notes: rest.length > 0 ? [`Other servers can be used as well: ${rest.join(', ')}.`] : [],
  };
}

function fillVariables(server: JsonObject): string {
  const variables = isObject(server['variables']) ? server['variables'] : {};
  return textOf(server['url']).replaceAll(/\{([^{}]+)\}/g, (whole, name: string) => {
    const variable = Object.hasOwn(variables, name) ? variables[name] : undefined;
    const value = isObject(variable) ? (variable['default'] ?? listOf(variable['enum'])[0]) : undefined;
    return typeof value === 'string' || typeof value === 'number' ? String(value) : whole;
  });
}

function completed(url: string, documentUrl: string | undefined): string[] {
  if (url.includes('{')) return [];
  // `//host/path` takes the scheme of the document; one that was pasted has none.
  const found = URL.parse(
    url.startsWith('//') && documentUrl === undefined ? `https:${url}` : url,
    documentUrl,
  );
  if (!found || (found.protocol !== 'http:' && found.protocol !== 'https:')) return [];
  return [trimmed(found.origin + found.pathname)];
}

const trimmed = (url: string) => url.replace(/\/+$/, '');

interface Authentication {
  /** Fields of an `http_request`, without secrets, which its owner fills in. */
  fields: JsonObject;
  notes: string[];
}

interface Scheme {
  name: string;
  authentication: Authentication | undefined;
}

/** The first of the document's authentication schemes that a tool supports. */
function authenticationOf(
  operation: JsonObject,
  document: JsonObject,
  resolve: Resolve,
  serverUrl: string,
): Authentication {
  const components = resolve(document['components']) ?? {};
  const schemes = resolve(components['securitySchemes']) ?? {};
  const alternatives = listOf(operation['security'] ?? document['security'])
    .filter(isObject)
    .map((alternative) =>
      Object.entries(alternative).map(([name, scopes]): Scheme => {
        const scheme = Object.hasOwn(schemes, name) ? resolve(schemes[name]) : undefined;
        return { name, authentication: scheme && ofScheme(scheme, listOf(scopes), serverUrl) };
      }),
    );
  const whole = alternatives.find(([first, ...more]) => first?.authentication && more.length === 0);
  if (whole?.[0]?.authentication) return whole[0].authentication;
  if (alternatives.length === 0 || alternatives.some((alternative) => alternative.length === 0)) return none;
  const partly = alternatives.find((alternative) => alternative.some((scheme) => scheme.authentication));
  const used = partly?.find((scheme) => scheme.authentication);
  const left = (partly ?? alternatives[0] ?? []).filter((scheme) => scheme !== used).map(({ name }) => name);
  return {
    fields: used?.authentication?.fields ?? {},
    notes: [
      ...(used?.authentication?.notes ?? []),
      `The authentication ${left.join(' and ')} cannot be drafted: add it by hand.`,
    ],
  };
}

const none: Authentication = { fields: {}, notes: [] };

function ofScheme(scheme: JsonObject, scopes: unknown[], serverUrl: string): Authentication | undefined {
  switch (scheme['type']) {
    case 'http': {
      const kind = textOf(scheme['scheme']).toLowerCase();
      return kind === 'bearer' || kind === 'basic' ? { fields: { auth_type: kind }, notes: [] } : undefined;
    }
    case 'apiKey':
      return scheme['in'] === 'header' && textOf(scheme['name'])
        ? { fields: { auth_type: 'header', header_name: textOf(scheme['name']) }, notes: [] }
        : undefined;
    case 'oauth2':
      return ofOAuth(scheme, scopes, serverUrl);
    case 'openIdConnect':
      return asBearer('OpenID Connect');
    default:
      return undefined;
  }
}

function ofOAuth({ flows }: JsonObject, scopes: unknown[], serverUrl: string): Authentication {
  const flow = isObject(flows) ? flows['clientCredentials'] : undefined;
  const tokenUrl = isObject(flow) ? URL.parse(textOf(flow['tokenUrl']), `${serverUrl}/`) : null;
  if (!tokenUrl) return asBearer('OAuth 2 with a person who signs in');
  const scope = scopes.filter((one) => typeof one === 'string').join(' ');
  const fields = { auth_type: 'oauth2_client_credentials', oauth_token_url: tokenUrl.href };
  return { fields: { ...fields, ...(scope && { oauth_scope: scope }) }, notes: [] };
}

/** A tool can send such a token but cannot obtain it. */
function asBearer(what: string): Authentication {
  const note = `The API uses ${what}: get an access token and fill it in as bearer_token.`;
  return { fields: { auth_type: 'bearer' }, notes: [note] };
}
