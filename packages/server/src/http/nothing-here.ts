import type { FastifyReply, FastifyRequest } from 'fastify';

/** Whether a person followed a link or typed an address. Below /api every answer is JSON, whoever asks. */
export function isForPage({ method, url, headers }: FastifyRequest): boolean {
  const isRead = method === 'GET' || method === 'HEAD';
  return isRead && !url.startsWith('/api/') && headers.accept?.includes('text/html') === true;
}

/** For an address that does not exist. Needs no built console, and shows nothing of what was asked for. */
export function sendNothingHere(reply: FastifyReply): FastifyReply {
  return reply
    .code(404)
    .type('text/html; charset=utf-8')
    .headers({
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      vary: 'accept',
    })
    .send(page);
}

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Not found · svc</title>
<style>
body { margin: 0; min-height: 100dvh; display: grid; place-content: center; text-align: center; padding: 0 1rem;
  font: 14px/1.5 system-ui, sans-serif;
  background: light-dark(oklch(.985 .002 240), oklch(.17 .006 240)); color: light-dark(oklch(.42 .016 240), oklch(.8 .01 240)) }
h1 { margin: 0; font-size: 1rem; color: light-dark(oklch(.22 .015 240), oklch(.955 .004 240)) }
p { margin: .25rem 0 }
a { color: light-dark(oklch(.435 .074 210), oklch(.83 .08 210)) }
</style>
</head>
<body>
<main>
<h1>There is nothing at this address</h1>
<p>It may have been deleted, or the link is incomplete.</p>
<p><a href="/">Go to the console</a> · <a href="/docs">Read the docs</a></p>
</main>
</body>
</html>
`;
