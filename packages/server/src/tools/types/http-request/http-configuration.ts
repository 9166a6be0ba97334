import type { Configuration, ConfigurationSchema } from '../../tool-type.ts';
import { approvalField, askFirst, grantsField, keypadField, linkEditField } from '../shared/form-groups.ts';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const;
/** Those that only read, by the definition of HTTP. */
const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD']);
/** With these, many servers treat a request as if it had the method that the header names. */
const methodOverrides: ReadonlySet<string> = new Set([
  'x-http-method-override',
  'x-method-override',
  'x-http-method',
]);
const bodyTypes = ['json', 'form', 'text'] as const;
const authTypes = ['none', 'bearer', 'basic', 'header', 'oauth2_client_credentials'] as const;

/** A configuration that fits the schema below. */
export interface HttpRequestConfiguration {
  method: (typeof methods)[number];
  url: string;
  headers: Record<string, string>;
  query: Record<string, string | number | boolean>;
  deep_objects: string[];
  body?: unknown;
  body_type: (typeof bodyTypes)[number];
  parameters: ParameterSchema;
  auth_type: (typeof authTypes)[number];
  bearer_token?: string;
  basic_username?: string;
  basic_password?: string;
  header_name?: string;
  header_value?: string;
  oauth_token_url?: string;
  oauth_client_id?: string;
  oauth_client_secret?: string;
  oauth_scope?: string;
  timeout_ms: number;
  response_path?: string;
  approval: 'never' | 'always';
  approval_title?: string;
}

export interface ParameterSchema {
  type: 'object';
  properties: Record<string, unknown>;
  [keyword: string]: unknown;
}

const text = (title: string, description: string, maxLength = 1000) => ({
  type: 'string',
  title,
  maxLength,
  description,
});
const secret = (title: string, description: string) => ({
  ...text(title, description, 8192),
  'x-secret': true as const,
});

/** Forms show a field of this group only with this kind of authentication. */
const forAuth = (type: (typeof authTypes)[number]) => ({
  'x-group': groups.authentication,
  'x-show-when': { auth_type: [type] },
});
const groups = {
  request: 'Request',
  parameters: 'What the model fills in',
  authentication: 'Authentication',
};
const withBody = { method: ['POST', 'PUT', 'PATCH', 'DELETE'] };

export const configurationSchema = {
  type: 'object',
  properties: {
    method: {
      type: 'string',
      title: 'Method',
      enum: [...methods],
      default: 'GET',
      'x-group': groups.request,
    },
    url: {
      ...text(
        'URL',
        'Where to send it. {{parameter}} may be used in the path and the query, never in the host.',
        4000,
      ),
      minLength: 1,
      'x-group': groups.request,
      'x-editor': 'template',
    },
    body: {
      title: 'Body',
      'x-max-json-bytes': 65_536,
      description: 'JSON, form fields or text, as the body type says. Values may contain {{parameter}}.',
      'x-group': groups.request,
      'x-editor': 'json',
      'x-show-when': withBody,
    },
    body_type: {
      type: 'string',
      title: 'Body type',
      enum: [...bodyTypes],
      default: 'json',
      'x-group': groups.request,
      'x-show-when': withBody,
    },
    parameters: {
      type: 'object',
      title: 'Parameters',
      'x-max-json-bytes': 32_768,
      description: 'A JSON Schema of an object: what the model fills in.',
      'x-group': groups.parameters,
      'x-editor': 'schema',
    },
    auth_type: {
      type: 'string',
      title: 'Kind',
      enum: [...authTypes],
      default: 'none',
      'x-group': groups.authentication,
    },
    bearer_token: { ...secret('Token', 'Sent as Authorization: Bearer.'), ...forAuth('bearer') },
    basic_username: {
      ...text('User name', 'The user name of basic authentication.'),
      ...forAuth('basic'),
    },
    basic_password: { ...secret('Password', 'The password of basic authentication.'), ...forAuth('basic') },
    header_name: {
      ...text('Header', 'The header that carries the key, for example X-Api-Key.', 200),
      ...forAuth('header'),
    },
    header_value: { ...secret('Key', 'The key in that header.'), ...forAuth('header') },
    oauth_token_url: {
      ...text('Token URL', 'Where an access token is fetched with the client credentials.', 2000),
      ...forAuth('oauth2_client_credentials'),
    },
    oauth_client_id: { ...text('Client id', 'The client id.'), ...forAuth('oauth2_client_credentials') },
    oauth_client_secret: {
      ...secret('Client secret', 'The client secret.'),
      ...forAuth('oauth2_client_credentials'),
    },
    oauth_scope: {
      ...text('Scopes', 'The scopes, separated by spaces.'),
      ...forAuth('oauth2_client_credentials'),
    },
    approval: approvalField({
      description:
        'Whether a person is asked before each call. Left out: never for GET and HEAD, always for other methods and with a header that replaces the method, such as X-HTTP-Method-Override.',
    }),
    approval_title: {
      ...text(
        'What it would do, in a sentence',
        'The heading of the approval, such as: Refund {{amount}} on order {{order_id}}. Without it, the name of the tool.',
        200,
      ),
      'x-group': askFirst,
      'x-editor': 'template',
    },
    headers: {
      type: 'object',
      title: 'Headers',
      maxProperties: 50,
      additionalProperties: { type: 'string', maxLength: 8192 },
      description: 'Values may contain {{parameter}}. Keys and tokens belong in the authentication fields.',
      'x-rare': true,
      'x-editor': 'map',
    },
    query: {
      type: 'object',
      title: 'Query',
      maxProperties: 100,
      additionalProperties: { type: ['string', 'number', 'boolean'], maxLength: 8192 },
      description: 'Added to the URL. An entry that is only a {{parameter}} which was not given is left out.',
      'x-rare': true,
      'x-editor': 'map',
    },
    deep_objects: {
      type: 'array',
      title: 'Fields with brackets',
      maxItems: 100,
      items: { type: 'string', minLength: 1, maxLength: 200 },
      description:
        'Names of entries of the query or of a form whose objects and lists are written with brackets, such as address[city]=Cologne and tags[]=new. Objects elsewhere are written as JSON.',
      'x-rare': true,
    },
    ...keypadField,
    timeout_ms: {
      type: 'integer',
      title: 'Time limit in milliseconds',
      minimum: 100,
      maximum: 120_000,
      default: 30_000,
      'x-rare': true,
    },
    response_path: {
      ...text(
        'Part of the answer',
        'The part of a JSON answer that the model gets, for example data.items[*].name.',
        500,
      ),
      'x-rare': true,
    },
    ...grantsField,
    ...linkEditField,
  },
  required: ['url'],
  additionalProperties: false,
} satisfies ConfigurationSchema;

/** Whether its calls change nothing. Servers may read `_` in the name of a header as `-`. */
export function onlyReads({
  method = defaults.method,
  headers = {},
  header_name: authentication = '',
}: Partial<HttpRequestConfiguration>): boolean {
  const names = [...Object.keys(headers), authentication];
  return (
    safeMethods.has(method) &&
    !names.some((name) => methodOverrides.has(name.toLowerCase().replaceAll('_', '-')))
  );
}

/** Fills in the defaults. The configuration was checked when it was stored. */
export function readConfiguration(configuration: Configuration): HttpRequestConfiguration {
  const given = Object.fromEntries(
    Object.entries(configuration).filter(([, value]) => value !== null),
  ) as Partial<HttpRequestConfiguration> & Pick<HttpRequestConfiguration, 'url'>;
  return { ...defaults, approval: onlyReads(given) ? 'never' : 'always', ...given };
}

const defaults = {
  method: 'GET',
  headers: {},
  query: {},
  deep_objects: [],
  body_type: 'json',
  parameters: { type: 'object', properties: {}, additionalProperties: false },
  auth_type: 'none',
  timeout_ms: 30_000,
} as const satisfies Partial<HttpRequestConfiguration>;
