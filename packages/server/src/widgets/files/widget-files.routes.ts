import type { FastifyReply, FastifyRequest } from 'fastify';
import { chooseEncoding } from '../../http/choose-encoding.ts';
import type { HttpApp } from '../../http/http-app.ts';
import { notFound } from '../../lib/app-error.ts';
import { type BuiltFile, createBuiltFiles } from './built-files.ts';
import { type PreviewOptions, previewPage, previewPolicy } from './preview-page.ts';
import { previewScript } from './preview-script.ts';

/** Files and pages for browsers: they are not operations of the API. */
const forBrowsers = { config: { access: { scheme: 'none' } }, schema: { hide: true } } as const;
const builtName = /^(panel|voice)-[0-9a-f]{16}\.js$/;

const shortLived = 'public, max-age=300';
const immutable = 'public, max-age=31536000, immutable';

/** What the pages of other sites load. */
export function widgetFileRoutes(app: HttpApp): void {
  const builtFiles = createBuiltFiles();

  app.get('/widget.js', forBrowsers, async (request, reply) =>
    sendScript(request, reply, (await builtFiles()).loader, shortLived),
  );

  app.get<{ Params: { file: string } }>('/widget/:file', forBrowsers, async (request, reply) => {
    const { file } = request.params;
    const [, kind] = builtName.exec(file) ?? [];
    if (kind === undefined) throw notFound();
    const built = (await builtFiles())[kind as 'panel' | 'voice'];
    // During a deploy, pages ask for the files of the release before or after this one.
    return sendScript(request, reply, built, file === built.name ? immutable : 'no-cache');
  });

  app.get('/widget/preview.js', forBrowsers, async (_request, reply) =>
    reply
      .type('text/javascript; charset=utf-8')
      .headers({ 'cache-control': 'no-cache', 'cross-origin-resource-policy': 'same-origin' })
      .send(previewScript),
  );

  app.get<{ Querystring: { key?: string | string[]; theme?: string | string[] } }>(
    '/widget/preview',
    forBrowsers,
    async (request, reply) =>
      reply
        .type('text/html; charset=utf-8')
        .headers({ 'content-security-policy': previewPolicy, 'referrer-policy': 'no-referrer' })
        .send(previewPage(readPreview(request.query))),
  );
}

function readPreview({ key, theme }: { key?: unknown; theme?: unknown }): PreviewOptions {
  return {
    key: typeof key === 'string' ? key : '',
    theme: theme === 'light' || theme === 'dark' ? theme : undefined,
  };
}

function sendScript(
  request: FastifyRequest,
  reply: FastifyReply,
  file: BuiltFile,
  cacheControl: string,
): FastifyReply {
  reply.headers({
    'cache-control': cacheControl,
    etag: file.etag,
    vary: 'accept-encoding',
    // Modules and scripts with `crossorigin` are only run with this.
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
  });
  if (request.headers['if-none-match']?.includes(file.etag)) return reply.code(304).send();
  const encoding = chooseEncoding(request.headers['accept-encoding']);
  if (encoding) reply.header('content-encoding', encoding);
  return reply.type('text/javascript; charset=utf-8').send(file[encoding ?? 'plain']);
}
