import { createHash } from 'node:crypto';
import { escapeHtml } from '../../lib/escape-html.ts';

const style = `
:root { color-scheme: light dark; font: 16px/1.6 system-ui, sans-serif }
[data-theme=light] { color-scheme: light }
[data-theme=dark] { color-scheme: dark }
body { max-width: 36rem; margin: 15vh auto; padding: 0 1.5rem }
code { font-size: .9em; overflow-wrap: anywhere }
`;
const styleHash = createHash('sha256').update(style).digest('base64');

/** As strict as the policies of the pages that the widget has to work on. */
export const previewPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data: blob:",
  `style-src 'sha256-${styleHash}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

export interface PreviewOptions {
  key: string;
  theme: 'light' | 'dark' | undefined;
}

/** A page of the service itself, on which a key can be tried before there is a site for it. */
export function previewPage({ key, theme }: PreviewOptions): string {
  const isKey = /^svc_[\w-]{1,96}$/.test(key);
  const content = isKey
    ? `<p>This page has the widget of the key <code>${escapeHtml(key)}</code>. Keys without allowed domains, such as test keys, work on this page only.</p>`
    : '<p>Add a widget key to the address: <code>/widget/preview?key=svc_…</code></p>';
  const script = isKey
    ? `<script src="../widget/preview.js"></script>
<script src="../widget.js" data-key="${escapeHtml(key)}"${theme ? ` data-theme="${theme}"` : ''} data-open async></script>\n`
    : '';
  return `<!doctype html>
<html lang="en"${theme ? ` data-theme="${theme}"` : ''}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Widget preview · svc</title>
<link rel="icon" href="data:,">
<style>${style}</style>
${script}</head>
<body>
<main aria-label="Page with the widget">
<h1>Widget preview</h1>
${content}
</main>
</body>
</html>
`;
}
