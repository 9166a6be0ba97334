import { escapeHtml } from '../../lib/escape-html.ts';
import type { AssetLinks } from './assets.ts';
import type { Group, Shelf } from './guides.ts';
import type { Guide } from './render-guide.ts';

export function landingPage(links: AssetLinks, { index, groups }: Shelf): string {
  return page({
    links,
    title: 'Documentation',
    description: 'Guides and API reference of svc, a self-hosted platform for AI agents.',
    path: '/docs',
    content: withNavigation(
      '/docs',
      groups,
      `<h1>Documentation</h1>
<p class="lead">svc hosts bots and agents that people reach on websites, by telephone and over an HTTP API. These pages belong to
the version that serves them.</p>
<p class="actions"><a class="primary" href="/docs/reference">Open the API reference</a> <a href="/openapi.json">OpenAPI document</a></p>
${index.body}`,
    ),
  });
}

export function guidePage(links: AssetLinks, { groups }: Shelf, guide: Guide): string {
  const guides = groups.flatMap((group) => group.guides);
  const isGuide = guides.includes(guide);
  const sections = guide.sections.map(
    ({ id, title }) => `<li><a href="#${id}">${escapeHtml(title)}</a></li>`,
  );
  const contents =
    sections.length > 1
      ? `<nav class="contents" aria-labelledby="contents"><h2 id="contents">On this page</h2><ul>${sections.join('')}</ul></nav>`
      : '';
  return page({
    links,
    title: guide.title,
    description: guide.description,
    path: guide.url,
    content: withNavigation(
      isGuide ? guide.url : '/docs/decisions',
      groups,
      `<h1>${escapeHtml(guide.title)}</h1>\n${guide.body}${isGuide ? neighbours(guides, guide) : ''}`,
      contents,
    ),
  });
}

export function decisionsPage(links: AssetLinks, { groups }: Shelf, { index }: Shelf): string {
  return page({
    links,
    title: 'Decisions',
    description: 'What was chosen while building svc, why, and what was measured.',
    path: '/docs/decisions',
    content: withNavigation('/docs/decisions', groups, `<h1>${escapeHtml(index.title)}</h1>\n${index.body}`),
  });
}

/** The reference renders its own landmarks and headings. */
export function referencePage(links: AssetLinks, script: string): string {
  return page({
    links,
    title: 'API reference',
    description: 'Every operation of the API, to read and to try.',
    path: '/docs/reference',
    scripts: [links.referenceStart, script],
    content: `<div id="main" class="reference" tabindex="-1">
<noscript><p class="notice">The reference needs JavaScript. The document itself is at <a href="/openapi.json">/openapi.json</a>.</p></noscript>
<div id="reference"></div>
</div>`,
  });
}

interface Page {
  links: AssetLinks;
  title: string;
  description: string;
  path: string;
  content: string;
  scripts?: string[];
}

function page({ links, title, description, path, content, scripts = [] }: Page): string {
  const current = (url: string, isHere: boolean) => `href="${url}"${isHere ? ' aria-current="page"' : ''}`;
  const isReference = path === '/docs/reference';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · svc</title>
<meta name="description" content="${escapeHtml(description)}">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${links.style}">
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="bar">
<a class="name" href="/docs">svc <span>docs</span></a>
<nav aria-label="Main"><a ${current('/docs', !isReference)}>Guides</a><a ${current('/docs/reference', isReference)}>API reference</a></nav>
</header>
${content}
<script src="${links.script}" defer></script>
${scripts.map((url) => `<script src="${url}" defer></script>`).join('\n')}
</body>
</html>
`;
}

function withNavigation(path: string, groups: Group[], content: string, contents = ''): string {
  const links = navigation(path, groups);
  return `<div class="layout">
<details class="menu"><summary>All pages</summary>${links}</details>
<aside class="side">${links}</aside>
<main id="main" tabindex="-1"><article>${content}</article></main>
${contents}
</div>`;
}

function navigation(path: string, groups: Group[]): string {
  const entry = (url: string, title: string) =>
    `<li><a href="${url}"${url === path ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a></li>`;
  return `<nav aria-label="Documentation"><ul>${entry('/docs', 'Overview')}${entry('/docs/reference', 'API reference')}</ul>
${groups.map(({ title, guides }) => `<p>${escapeHtml(title)}</p><ul>${guides.map((guide) => entry(guide.url, guide.title)).join('')}</ul>`).join('\n')}
<p>Background</p><ul>${entry('/docs/decisions', 'Decisions')}</ul></nav>`;
}

function neighbours(guides: Guide[], guide: Guide): string {
  const index = guides.indexOf(guide);
  const link = (rel: string, word: string, one: Guide | undefined) =>
    one ? `<a rel="${rel}" href="${one.url}"><span>${word}</span> ${escapeHtml(one.title)}</a>` : '';
  return `<nav class="neighbours" aria-label="Other guides">${link('prev', 'Previous', guides[index - 1])}${link('next', 'Next', guides[index + 1])}</nav>`;
}
