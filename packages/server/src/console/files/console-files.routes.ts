import { randomBytes } from 'node:crypto';
import { chooseEncoding } from '../../http/choose-encoding.ts';
import type { HttpApp } from '../../http/http-app.ts';
import { notFound } from '../../lib/app-error.ts';
import { svcCommand } from '../../lib/installation.ts';
import { createBuiltConsole } from './built-console.ts';

/** Files and pages for browsers: they are not operations of the API. */
const forBrowsers = { config: { access: { scheme: 'none' } }, schema: { hide: true } } as const;

/** Every address of the console gets the same page, which shows what the address names. */
const pages = ['/', '/w/*', '/sign-in', '/setup', '/invite', '/reset'];

const noncePlaceholder = 'svc-nonce-placeholder';

export function consoleFileRoutes(app: HttpApp): void {
  const built = createBuiltConsole();

  for (const path of pages) {
    app.get(path, forBrowsers, async (request, reply) => {
      const { page } = await built();
      const nonce = randomBytes(16).toString('base64');
      const theme =
        /(?:^|;\s*)svc_theme=(light|dark)(?:;|$)/.exec(request.headers.cookie ?? '')?.[1] ?? 'system';
      return reply
        .type('text/html; charset=utf-8')
        .headers({
          'content-security-policy': policy(nonce),
          'referrer-policy': 'no-referrer',
          'x-frame-options': 'DENY',
          'cross-origin-opener-policy': 'same-origin',
          'cache-control': 'no-store',
        })
        .send(
          page
            .replaceAll(noncePlaceholder, nonce)
            .replace('data-theme="system"', `data-theme="${theme}"`)
            .replace('data-command="svc"', `data-command="${svcCommand}"`),
        );
    });
  }

  app.get<{ Params: { file: string } }>('/console/:file', forBrowsers, async (request, reply) => {
    const file = (await built()).files.get(request.params.file);
    if (!file) throw notFound();
    const isHashed = /-[\w-]{8}\.\w+$/.test(request.params.file);
    reply.headers({
      'cache-control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
      etag: file.etag,
      vary: 'accept-encoding',
      'cross-origin-resource-policy': 'same-origin',
    });
    if (request.headers['if-none-match']?.includes(file.etag)) return reply.code(304).send();
    const encoding = chooseEncoding(request.headers['accept-encoding']);
    const body = encoding && file[encoding];
    if (body) reply.header('content-encoding', encoding);
    return reply.type(file.type).send(body ?? file.plain);
  });
}

/** Only files of the service itself. The nonce is for the style elements that components add. */
function policy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    "media-src 'self'",
    "manifest-src 'self'",
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
