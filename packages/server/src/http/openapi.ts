import swagger from '@fastify/swagger';
import { Type } from 'typebox';
import { withEndUserAnswers } from './end-user-answers.ts';
import type { HttpApp } from './http-app.ts';
import { apiDescription, apiTags } from './openapi-texts.ts';
import { operationsOf } from './operation.ts';
import { withParameterTexts } from './parameter-texts.ts';

const operation = operationsOf('Service');

const bearer = { type: 'http', scheme: 'bearer' } as const;

const securitySchemes = {
  account_key: {
    ...bearer,
    description: 'An account key, `svc_sk_…`. Each operation lists the abilities that the key needs.',
  },
  end_user_token: {
    ...bearer,
    description:
      "A token for one person, `svc_ut_…`, from `POST /api/v1/end-user-tokens`. It can send messages and read or stop that person's conversations.",
  },
  machine_key: {
    ...bearer,
    description: 'The key of a paired machine, `svc_mk_…`, which works for the operations of daemons only.',
  },
  metrics_token: { ...bearer, description: 'The token in `SVC_METRICS_TOKEN`.' },
  widget_key: {
    type: 'apiKey',
    in: 'query',
    name: 'key',
    description: 'A public widget key, `svc_…`, which works on the pages of its `allowed_domains`.',
  },
  visitor_token: {
    ...bearer,
    description: "The token of a widget's visitor, `svc_ut_…`, from `POST /api/widget/token`.",
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'svc_session',
    description:
      "A person's session in the console. It works for every operation that takes an account key, too, with the abilities of the person's role in the workspace that the header `X-Svc-Workspace` names, on pages of the service only.",
  },
} as const;

/** The document is generated from the schemas that validate, so it describes exactly what is served. */
export async function registerOpenApi(app: HttpApp, publicUrl: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'svc API',
        version: 'v1',
        description: apiDescription,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      // The reference page uses the first: it may only send requests to its own origin.
      servers: [
        { url: '/', description: 'This service, at the address you opened' },
        { url: publicUrl, description: 'Its public address' },
      ],
      tags: apiTags,
      components: { securitySchemes },
    },
    transformObject: (document) =>
      'openapiObject' in document ? describeFurther(document.openapiObject) : document.swaggerObject,
    refResolver: {
      buildLocalReference: ({ $id }, _base, _fragment, index) =>
        typeof $id === 'string' ? $id : `schema${index}`,
    },
  });

  app.get(
    '/openapi.json',
    operation({
      ability: 'none',
      id: 'getOpenApiDocument',
      summary: 'The OpenAPI 3.1 document of this service',
      schema: { response: { 200: Type.Unknown() } },
    }),
    () => app.swagger(),
  );
}

function describeFurther<Given extends object>(document: Given): Given {
  return withEndUserAnswers(withParameterTexts(withLimitHeaders(withOptionalBodies(document))));
}

interface Document {
  paths?: Record<string, Record<string, OperationObject>>;
  components?: { headers?: Record<string, object> };
}

interface OperationObject {
  requestBody?: { required?: boolean; content: Record<string, { schema?: { type?: unknown } }> };
  security?: object[];
  responses: Record<string, { headers?: Record<string, object> }>;
}

/** A body that may be `null` for the validator is an optional body in OpenAPI. */
function withOptionalBodies<Given extends object>(document: Given): Given {
  for (const { requestBody } of operationsIn(document)) {
    for (const { schema } of Object.values(requestBody?.content ?? {})) {
      if (!requestBody || !schema || !Array.isArray(schema.type) || !schema.type.includes('null')) continue;
      requestBody.required = false;
      schema.type = 'object';
    }
  }
  return document;
}

function operationsIn({ paths = {} }: Document): OperationObject[] {
  return Object.values(paths).flatMap((methods) => Object.values(methods));
}

const whole = { schema: { type: 'integer', minimum: 0 } };

const headers = {
  'RateLimit-Limit': {
    ...whole,
    description: 'How many requests are allowed within a minute. Only while there is a limit.',
  },
  'RateLimit-Remaining': { ...whole, description: 'How many of them are left.' },
  'RateLimit-Reset': { ...whole, description: 'In how many seconds all of them are available again.' },
  'Retry-After': { ...whole, description: 'After how many seconds it is worth trying again.' },
};

/** Adds the rate-limit headers to every operation that needs a key. */
function withLimitHeaders<Given extends object>(document: Given): Given {
  const { components = {} } = document as Document;
  components.headers = { ...components.headers, ...headers };
  (document as Document).components = components;
  for (const described of operationsIn(document)) {
    if (!described.security?.length) continue;
    for (const [status, response] of Object.entries(described.responses)) {
      const names = Object.keys(headers).filter((name) => name !== 'Retry-After' || status === '429');
      const references = names.map((name) => [name, { $ref: `#/components/headers/${name}` }]);
      response.headers = { ...response.headers, ...Object.fromEntries(references) };
    }
  }
  return document;
}
