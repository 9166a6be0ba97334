import type { FastifyReply, FastifyRequest } from 'fastify';
import { chooseEncoding } from '../../http/choose-encoding.ts';
import type { HttpApp } from '../../http/http-app.ts';
import { notFound } from '../../lib/app-error.ts';
import { type BuiltFile, createBuiltFiles } from './built-files.ts';
import { type PreviewOptions, previewPage, previewPolicy } from './preview-page.ts';

/** Files and pages for browsers: they are not operations of the API. */
const forBrowsers = { config: { access: { scheme: 'none' } }, schema: { hide: true } } as const;
/** Those of the previous release have 16 digits. */
const builtName = /^([a-z]+)-[0-9a-f]{8,16}\.js$/;

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
    const built = kind === undefined ? undefined : (await builtFiles()).others.get(kind);
    if (!built) throw notFound();
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

function sendScript(request: FastifyRequest, reply: FastifyReply, file: BuiltFile, cacheControl: string) {
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

/**
 * Runs on the preview page before the widget. The console, which shows the page in a frame, sends it a look that is not saved
 * yet, and the widget gets it as the answer to its own request. The widget requests its look again after a while by this clock, so
 * the clock is moved, and what the browser has kept is not asked. Until a person uses the widget, it does not take the focus from the console. Nothing here works on other pages: only a parent of the same origin is heard.
 */
const previewScript = `const request = window.fetch.bind(window);
const now = performance.now.bind(performance);
let draft;
let later = 0;
performance.now = () => now() + later;
window.fetch = async (address, options) => {
  if (!String(address).includes('/api/widget/look')) return request(address, options);
  const answer = await request(address, { ...options, cache: 'no-cache' });
  if (!draft || !answer.ok) return answer;
  return Response.json({ ...(await answer.json()), ...draft });
};
addEventListener('message', ({ origin, source, data }) => {
  if (origin !== location.origin || source !== parent || data?.type !== 'svc.look') return;
  draft = data.look;
  later += 60000;
  document.dispatchEvent(new Event('visibilitychange'));
});
if (parent !== window) {
  const { focus } = HTMLElement.prototype;
  let isUsed = false;
  for (const name of ['pointerdown', 'keydown']) addEventListener(name, () => { isUsed = true; }, true);
  HTMLElement.prototype.focus = function (options) {
    if (isUsed) focus.call(this, options);
  };
  parent.postMessage({ type: 'svc.preview' }, location.origin);
}
`;
