import type { DiscoveredTools } from '@svc/contract/discover';
import { describe, expect, it } from 'vitest';
import { readGithubDocument } from '../support/github-openapi.ts';
import { draftHere } from './discovering.ts';

const draft = (document: object, url?: string, goal?: string) =>
  draftHere(JSON.stringify(document), { url, goal });

const openApi = (paths: object, more: object = {}) => ({
  openapi: '3.0.0',
  servers: [{ url: 'https://api.example.com' }],
  paths,
  ...more,
});

function only({ tools, notes }: DiscoveredTools) {
  expect(tools, notes.join(' ')).toHaveLength(1);
  return { configuration: tools[0]?.configuration as Record<string, never>, notes };
}

const addressSchema = {
  type: 'object',
  properties: { city: { type: 'string' }, lines: { type: 'array', items: { type: 'string' } } },
};

describe('values that are written with brackets', () => {
  it('in the query, where they may be deep', () => {
    const created = {
      anyOf: [{ type: 'object', properties: { gte: { type: 'integer' } } }, { type: 'integer' }],
    };
    const parameters = [
      { name: 'created', in: 'query', style: 'deepObject', explode: true, schema: created },
      { name: 'where', in: 'query', style: 'deepObject', schema: addressSchema },
      {
        name: 'flat',
        in: 'query',
        style: 'deepObject',
        schema: { type: 'object', properties: { a: { type: 'string' } } },
      },
    ];
    const { configuration } = only(
      draft(openApi({ '/charges': { get: { operationId: 'list', parameters } } })),
    );
    expect(configuration).toMatchObject({
      query: { created: '{{created}}', where: '{{where}}', 'flat[a]': '{{flat_a}}' },
      deep_objects: ['created', 'where'],
      parameters: { properties: { where: { type: 'object', properties: { city: { type: 'string' } } } } },
    });
  });

  it('in a form, as its encoding says', () => {
    const schema = {
      type: 'object',
      properties: {
        name: { type: 'string' },
        address: addressSchema,
        ids: { type: 'array', items: { type: 'string' } },
        tags: { type: 'array', items: { type: 'string' } },
        meta: { type: 'object', properties: {} },
      },
    };
    const encoding = {
      address: { style: 'deepObject', explode: true },
      ids: { explode: false },
      tags: { style: 'pipeDelimited' },
    };
    const content = { 'application/x-www-form-urlencoded': { schema, encoding } };
    const post = { operationId: 'create', requestBody: { content } };
    const { configuration } = only(draft(openApi({ '/customers': { post } })));
    expect(configuration).toMatchObject({
      body_type: 'form',
      deep_objects: ['address'],
      parameters: {
        properties: {
          address: { type: 'object' },
          ids: { type: 'string', description: expect.stringContaining('","') },
          tags: { type: 'string', description: expect.stringContaining('"|"') },
          meta: { type: 'object' },
        },
      },
    });
  });
});

it.each([
  ['//api.example.com/v2', undefined, 'https://api.example.com/v2/a'],
  ['//api.example.com/v2', 'http://docs.example.com/openapi.json', 'http://api.example.com/v2/a'],
  ['/v2', 'https://docs.example.com/openapi.json', 'https://docs.example.com/v2/a'],
])('the server %s of a document from %s is %s', (url, from, expected) => {
  const document = { ...openApi({ '/a': { get: { operationId: 'a' } } }), servers: [{ url }] };
  expect(only(draft(document, from)).configuration).toMatchObject({ url: expected });
});

it('a body without fields is not mentioned, and others of GET are', () => {
  const empty = {
    content: { 'application/x-www-form-urlencoded': { schema: { type: 'object', properties: {} } } },
  };
  const query = { content: { 'application/json': { schema: { type: 'object', properties: { q: {} } } } } };
  expect(only(draft(openApi({ '/a': { get: { operationId: 'a', requestBody: empty } } }))).notes).toEqual([]);
  const { configuration, notes } = only(
    draft(openApi({ '/a': { post: { operationId: 'a', requestBody: empty } } })),
  );
  expect([configuration['body'], notes]).toEqual([undefined, []]);
  expect(only(draft(openApi({ '/a': { get: { operationId: 'a', requestBody: query } } }))).notes).toEqual([
    expect.stringContaining('A body cannot be sent with GET.'),
  ]);
});

describe('a credential that the document also describes as a parameter', () => {
  const token = {
    description: 'Authentication token. Requires scope: `chat:write`',
    schema: { type: 'string' },
  };
  const parameters = [
    { name: 'token', in: 'query', required: true, ...token },
    { name: 'X-Key', in: 'header', required: true, schema: { type: 'string' } },
    {
      name: 'token',
      in: 'header',
      required: true,
      description: 'The token of the next page.',
      schema: { type: 'string' },
    },
  ];
  const schemes = {
    person: { type: 'oauth2', flows: { authorizationCode: {} } },
    key: { type: 'apiKey', in: 'header', name: 'x-key' },
  };
  const document = (security: object[]) =>
    openApi(
      { '/post': { get: { operationId: 'post', parameters, security } } },
      { components: { securitySchemes: schemes } },
    );

  it('is not asked of the model when the tool has a secret for it', () => {
    const { configuration: bearer, notes } = only(draft(document([{ person: [] }])));
    expect(notes.join(' ')).toContain('token is left out, because the tool sends its own credential');
    expect(bearer).toMatchObject({ auth_type: 'bearer', parameters: { required: ['X-Key', 'token'] } });
    expect(bearer).not.toHaveProperty('query');
    const { configuration: header, notes: ofHeader } = only(draft(document([{ key: [] }])));
    expect(ofHeader.join(' ')).toContain('X-Key is left out');
    expect(header).toMatchObject({
      auth_type: 'header',
      header_name: 'x-key',
      headers: { token: '{{token}}' },
    });
  });

  it('is asked where there is no other', () => {
    expect(only(draft(document([]))).configuration).toMatchObject({ query: { token: '{{token}}' } });
  });

  it.each(['login', 'machine'])('is asked if the tool sends something else: %s', (scheme) => {
    const properties = { access_token: { type: 'string', description: 'The OAuth token to revoke.' } };
    const schema = { type: 'object', properties, required: ['access_token'] };
    const requestBody = { required: true, content: { 'application/json': { schema } } };
    const paths = { '/revoke': { post: { requestBody, security: [{ [scheme]: [] }] } } };
    const flows = { clientCredentials: { tokenUrl: 'https://api.example.com/token' } };
    const securitySchemes = {
      login: { type: 'http', scheme: 'basic' },
      machine: { type: 'oauth2', flows },
    };
    expect(only(draft(openApi(paths, { components: { securitySchemes } }))).configuration).toMatchObject({
      body: { access_token: '{{access_token}}' },
      parameters: { required: ['access_token'] },
    });
  });
});

it("finds GitHub's operation for a file among a thousand, although its title has another word", () => {
  const document = JSON.parse(readGithubDocument().toString()) as object;
  const { tools } = draft(document, undefined, 'read a file from a repository');
  expect(tools.slice(0, 3).map(({ configuration }) => configuration)).toContainEqual(
    expect.objectContaining({
      method: 'GET',
      url: 'https://api.github.com/repos/{{owner}}/{{repo}}/contents/{{path}}',
    }),
  );
});

describe('Swagger 2.0', () => {
  /** In the manner of Slack's document. */
  const swagger = {
    swagger: '2.0',
    host: 'slack.example.com',
    basePath: '/api',
    schemes: ['http', 'https'],
    securityDefinitions: {
      slackAuth: { type: 'oauth2', flow: 'accessCode', tokenUrl: 'https://slack.example.com/token' },
      machine: { type: 'oauth2', flow: 'application', tokenUrl: 'https://slack.example.com/token' },
      login: { type: 'basic' },
    },
    definitions: { Pet: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } } },
    parameters: { limit: { name: 'limit', in: 'query', type: 'integer', minimum: 1 } },
    paths: {
      '/chat.postMessage': {
        post: {
          operationId: 'chat_postMessage',
          consumes: ['application/x-www-form-urlencoded', 'application/json'],
          security: [{ slackAuth: ['chat:write:bot'] }],
          parameters: [
            {
              name: 'token',
              in: 'header',
              required: true,
              type: 'string',
              description: 'Authentication token.',
            },
            { name: 'channel', in: 'formData', required: true, type: 'string', description: 'Where to.' },
            { name: 'users', in: 'formData', type: 'array', items: { type: 'string' } },
          ],
        },
      },
      '/pets/{id}': {
        parameters: [{ name: 'id', in: 'path', required: true, type: 'string' }],
        get: {
          operationId: 'pets',
          security: [{ login: [] }],
          parameters: [
            { $ref: '#/parameters/limit' },
            {
              name: 'tags',
              in: 'query',
              type: 'array',
              items: { type: 'string' },
              collectionFormat: 'pipes',
            },
          ],
        },
        put: {
          operationId: 'change',
          security: [{ machine: ['pets'] }],
          parameters: [{ name: 'pet', in: 'body', required: true, schema: { $ref: '#/definitions/Pet' } }],
        },
      },
      '/upload': {
        post: {
          operationId: 'upload',
          parameters: [{ name: 'file', in: 'formData', required: true, type: 'file' }],
        },
      },
    },
  };

  it('is drafted exactly, as OpenAPI 3 is', () => {
    const { tools, notes } = draft(swagger);
    const named = (name: string) => tools.find((tool) => tool.name === name)?.configuration;
    expect(tools.map(({ name }) => name)).toEqual(['chat_postMessage', 'pets', 'change']);
    expect(named('chat_postMessage')).toMatchObject({
      method: 'POST',
      url: 'https://slack.example.com/api/chat.postMessage',
      auth_type: 'bearer',
      body_type: 'form',
      body: { channel: '{{channel}}', users: '{{users}}' },
      parameters: {
        required: ['channel'],
        properties: { channel: { type: 'string', description: 'Where to.' } },
      },
    });
    expect(named('chat_postMessage')).not.toHaveProperty('headers');
    expect(named('pets')).toMatchObject({
      url: 'https://slack.example.com/api/pets/{{id}}',
      auth_type: 'basic',
      query: { limit: '{{limit}}', tags: '{{tags}}' },
      parameters: { properties: { limit: { type: 'integer', minimum: 1 }, tags: { type: 'string' } } },
    });
    expect(named('change')).toMatchObject({
      auth_type: 'oauth2_client_credentials',
      oauth_token_url: 'https://slack.example.com/token',
      oauth_scope: 'pets',
      body: { name: '{{name}}' },
      parameters: { required: ['id', 'name'] },
    });
    expect(notes.join(' ')).toContain('multipart/form-data');
  });

  it.each([
    ['v1', 'https://slack.example.com/v1/a'],
    ['/v1/', 'https://slack.example.com/v1/a'],
    ['/', 'https://slack.example.com/a'],
    [undefined, 'https://slack.example.com/a'],
  ])('has the base path %j below its host', (basePath, url) => {
    const document = { swagger: '2.0', host: 'slack.example.com', basePath, paths: { '/a': { get: {} } } };
    expect(only(draft(document)).configuration).toMatchObject({ url });
  });

  it('is not a document of OpenAPI 3 that only has a field of this name', () => {
    const paths = {
      '/a': { get: { parameters: [{ name: 'q', in: 'query', schema: { type: 'integer' } }] } },
    };
    for (const field of [null, false, '3.0'])
      expect(only(draft(openApi(paths, { swagger: field }))).configuration).toMatchObject({
        url: 'https://api.example.com/a',
        parameters: { properties: { q: { type: 'integer' } } },
      });
  });
});
