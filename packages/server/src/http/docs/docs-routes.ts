import type { FastifyReply } from 'fastify';
import { notFound } from '../../lib/app-error.ts';
import type { HttpApp } from '../http-app.ts';
import { createAssets } from './assets.ts';
import { type Collection, createGuides } from './guides.ts';
import { decisionsPage, guidePage, landingPage, referencePage } from './pages.ts';

/** The pages load only their own files. */
const guidePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/** The reference also writes inline styles and sends requests, but only to this service. */
const referencePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Pages and their files are for people: they are not operations of the API. */
const forPeople = { config: { access: { scheme: 'none' } }, schema: { hide: true } } as const;

/** The documentation of this version: the API reference, the guides and the decisions. */
export function docsRoutes(app: HttpApp): void {
  const assets = createAssets();
  const open = createGuides(assets);

  app.get('/docs', forPeople, async (_request, reply) =>
    sendPage(reply, guidePolicy, landingPage(await assets.links(), await open('guides'))),
  );
  app.get('/docs/', forPeople, (_request, reply) => reply.redirect('/docs', 308));
  app.get('/docs/reference', forPeople, async (_request, reply) => {
    const [links, script] = await Promise.all([assets.links(), assets.referenceScript()]);
    return sendPage(reply, referencePolicy, referencePage(links, script.url));
  });
  app.get('/docs/decisions', forPeople, async (_request, reply) =>
    sendPage(
      reply,
      guidePolicy,
      decisionsPage(await assets.links(), await open('guides'), await open('decisions')),
    ),
  );
  for (const collection of ['guides', 'decisions'] as const) pageOf(collection);

  app.get<{ Params: { file: string } }>('/docs/assets/:file', forPeople, async (request, reply) => {
    const asset = await assets.find(request.params.file);
    if (!asset) throw notFound();
    reply.headers({ 'cache-control': 'public, max-age=31536000, immutable', vary: 'accept-encoding' });
    if (asset.encoding && acceptsGzip(request.headers['accept-encoding'])) {
      return reply.type(asset.type).header('content-encoding', asset.encoding).send(asset.body);
    }
    return reply.type(asset.type).send(asset.encoding ? asset.decoded() : asset.body);
  });

  function pageOf(collection: Collection): void {
    app.get<{ Params: { name: string } }>(`/docs/${collection}/:name`, forPeople, async (request, reply) => {
      const guide = (await open(collection)).find(request.params.name);
      if (!guide) throw notFound();
      return sendPage(reply, guidePolicy, guidePage(await assets.links(), await open('guides'), guide));
    });
  }
}

function acceptsGzip(header: string | string[] | undefined): boolean {
  return /\bgzip\b/.test(String(header));
}

function sendPage(reply: FastifyReply, policy: string, page: string): FastifyReply {
  return reply
    .type('text/html; charset=utf-8')
    .headers({
      'content-security-policy': policy,
      'cache-control': 'no-cache',
      'referrer-policy': 'no-referrer',
    })
    .send(page);
}
