import { createReadStream } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import swagger from '@fastify/swagger';
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { withLimitHeaders } from './limit-headers.ts';
import { operation } from './operation.ts';
import { withOptionalBodies } from './optional-bodies.ts';
import type { HttpApp } from './server.ts';

const description = `Hosts conversational and autonomous AI agents for a workspace.

Send an account key as \`Authorization: Bearer svc_sk_…\`. Every error has one shape; quote its \`request_id\` when you
ask for help.`;

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>svc API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<noscript>This page needs JavaScript. The document itself is at <a href="/openapi.json">/openapi.json</a>.</noscript>
<main id="docs"></main>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

const startScript = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#docs', deepLinking: true, docExpansion: 'list',
  persistAuthorization: false, tryItOutEnabled: true, validatorUrl: null });
`;

/** The interface files carry their own styles and draw small images. */
const pagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'";

const tag = 'Service';

/** The document is made from the schemas that validate, so it says what is served and nothing else. */
export async function registerOpenApi(app: HttpApp, publicUrl: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'svc',
        version: 'v1',
        description,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      // The first is what the page uses: it may only talk to its own origin, by whatever name it was reached.
      servers: [
        { url: '/', description: 'Here' },
        { url: publicUrl, description: 'From outside' },
      ],
      components: {
        securitySchemes: {
          account_key: {
            type: 'http',
            scheme: 'bearer',
            description: 'An account key, svc_sk_…; the scopes are its abilities.',
          },
        },
      },
    },
    transformObject: (document) =>
      'openapiObject' in document
        ? withLimitHeaders(withOptionalBodies(document.openapiObject))
        : document.swaggerObject,
    refResolver: {
      buildLocalReference: ({ $id }, _base, _fragment, index) =>
        typeof $id === 'string' ? $id : `schema${index}`,
    },
  });

  app.get(
    '/openapi.json',
    operation({
      ability: 'none',
      tag,
      summary: 'The OpenAPI 3.1 document of everything served here',
      schema: { response: { 200: Type.Unknown() } },
    }),
    () => app.swagger(),
  );
  servePart(app, '/docs', 'text/html', 'This reference as a page', (reply) =>
    reply.header('content-security-policy', pagePolicy).send(page),
  );
  servePart(app, '/docs/start.js', 'text/javascript', 'The script that starts the page', (reply) =>
    reply.send(startScript),
  );
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  const sendFile = (reply: FastifyReply, name: string) =>
    reply.header('cache-control', 'public, max-age=3600').send(createReadStream(join(folder, name)));
  servePart(app, '/docs/swagger-ui-bundle.js', 'text/javascript', 'The script of the page', (reply) =>
    sendFile(reply, 'swagger-ui-bundle.js'),
  );
  servePart(app, '/docs/swagger-ui.css', 'text/css', 'The look of the page', (reply) =>
    sendFile(reply, 'swagger-ui.css'),
  );
}

function servePart(
  app: HttpApp,
  url: string,
  contentType: string,
  summary: string,
  send: (reply: FastifyReply) => FastifyReply,
): void {
  const declared = operation({
    ability: 'none',
    tag,
    summary,
    produces: contentType,
    schema: { response: { 200: Type.String() } },
  });
  app.get(url, declared, (_request, reply) => {
    send(reply.type(`${contentType}; charset=utf-8`));
  });
}
