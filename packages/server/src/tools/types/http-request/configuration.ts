import type { Configuration, ConfigurationSchema } from '../../tool-type.ts';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const;
const bodyTypes = ['json', 'form', 'text'] as const;
const authTypes = ['none', 'bearer', 'basic', 'header', 'oauth2_client_credentials'] as const;

/** A configuration that fits the schema below. */
export interface HttpRequestConfiguration {
  method: (typeof methods)[number];
  url: string;
  headers: Record<string, string>;
  query: Record<string, string | number | boolean>;
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
}

export interface ParameterSchema {
  type: 'object';
  properties: Record<string, unknown>;
  [keyword: string]: unknown;
}

const text = (description: string, maxLength = 1000) => ({ type: 'string', maxLength, description });
const secret = (description: string) => ({ ...text(description, 8192), 'x-secret': true as const });

export const configurationSchema = {
  type: 'object',
  properties: {
    method: { type: 'string', enum: [...methods], default: 'GET' },
    url: {
      ...text(
        'Where to send it. {{parameter}} may be used in the path and the query, never in the host.',
        4000,
      ),
      minLength: 1,
    },
    headers: {
      type: 'object',
      maxProperties: 50,
      additionalProperties: { type: 'string', maxLength: 8192 },
      description: 'Values may contain {{parameter}}. Keys and tokens belong in the authentication fields.',
    },
    query: {
      type: 'object',
      maxProperties: 100,
      additionalProperties: { type: ['string', 'number', 'boolean'], maxLength: 8192 },
      description: 'Added to the URL. An entry that is only a {{parameter}} which was not given is left out.',
    },
    body: {
      'x-max-json-bytes': 65_536,
      description: 'JSON or, by body_type, form fields or text. Values may contain {{parameter}}.',
    },
    body_type: { type: 'string', enum: [...bodyTypes], default: 'json' },
    parameters: {
      type: 'object',
      'x-max-json-bytes': 32_768,
      description: 'A JSON Schema of an object: what the model fills in.',
    },
    auth_type: { type: 'string', enum: [...authTypes], default: 'none' },
    bearer_token: secret('Sent as Authorization: Bearer.'),
    basic_username: text('The user name of basic authentication.'),
    basic_password: secret('The password of basic authentication.'),
    header_name: text('The header that carries the key, for example X-Api-Key.', 200),
    header_value: secret('The key in that header.'),
    oauth_token_url: text('Where an access token is fetched with the client credentials.', 2000),
    oauth_client_id: text('The client id.'),
    oauth_client_secret: secret('The client secret.'),
    oauth_scope: text('The scopes, separated by spaces.'),
    timeout_ms: { type: 'integer', minimum: 100, maximum: 120_000, default: 30_000 },
    response_path: text(
      'The part of a JSON answer that the model gets, for example data.items[*].name.',
      500,
    ),
    approval: { type: 'string', enum: ['never', 'always'], default: 'never' },
  },
  required: ['url'],
  additionalProperties: false,
} satisfies ConfigurationSchema;

/** Fills in the defaults. The configuration was checked when it was stored. */
export function readConfiguration(configuration: Configuration): HttpRequestConfiguration {
  const given = Object.fromEntries(Object.entries(configuration).filter(([, value]) => value !== null));
  return {
    ...defaults,
    ...(given as Partial<HttpRequestConfiguration> & Pick<HttpRequestConfiguration, 'url'>),
  };
}

const defaults = {
  method: 'GET',
  headers: {},
  query: {},
  body_type: 'json',
  parameters: { type: 'object', properties: {}, additionalProperties: false },
  auth_type: 'none',
  timeout_ms: 30_000,
  approval: 'never',
} as const satisfies Partial<HttpRequestConfiguration>;
