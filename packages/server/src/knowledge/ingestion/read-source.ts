import type { Services } from '../../services.ts';
import { storable } from '../../validation/storable.ts';
import { maxHeadingTextLength, plainHeading } from '../chunks/plain-heading.ts';
import type { Extractor } from '../extraction/extract.ts';
import { knowledgeStore, type SourceRow } from '../knowledge.store.ts';
import { SourceFailure } from '../source-failure.ts';
import type { FetchedPage } from '../web/fetch-source-page.ts';

export interface ReadText {
  markdown: string;
  /** The source's own title. */
  title: string | null;
  /** The address after redirects. */
  url: string | null;
}

interface ReadSourceDependencies extends Pick<Services, 'database'> {
  extractor: Pick<Extractor, 'extract'>;
  files: Pick<Services['files'], 'read'>;
}

const maxTitleLength = 500;

/** The whole text of a source, whether it is a page, a file or a text. */
export async function readSource(
  source: SourceRow,
  page: FetchedPage | undefined,
  dependencies: ReadSourceDependencies,
  signal: AbortSignal,
): Promise<ReadText> {
  const { markdown, title, url } = await readRaw(source, page, dependencies, signal);
  const text = storable(markdown);
  if (text.trim() === '') throw new SourceFailure('There is no text in it.');
  // A title that was given takes precedence over the source's own.
  const own = source.hasOwnTitle ? '' : plainTitle(title ?? firstHeading(text));
  return { markdown: text, title: own || null, url };
}

async function readRaw(
  { contentType, content, workspaceId, id, sourceFilename, fileKey }: SourceRow,
  page: FetchedPage | undefined,
  { database, extractor, files }: ReadSourceDependencies,
  signal: AbortSignal,
): Promise<ReadText> {
  if (page) {
    const document = { bytes: page.bytes, filename: null, url: page.url, workspaceId };
    const { markdown, title } = await extractor.extract(
      { ...document, contentType: page.contentType ?? null },
      signal,
    );
    return { markdown, title, url: page.url };
  }
  if (contentType !== 'uploaded_file') return { markdown: content, title: null, url: null };
  const bytes =
    fileKey === null
      ? await knowledgeStore.findFile(database.within(workspaceId), workspaceId, id)
      : await files.read(fileKey, signal);
  if (!bytes) throw new SourceFailure('Its file is gone: upload it again.');
  const { markdown, title } = await extractor.extract(
    { bytes, filename: sourceFilename, workspaceId },
    signal,
  );
  return { markdown, title, url: null };
}

const headingLine = new RegExp(`^\\s*#{1,6}[ \\t]+([^\\n]{1,${maxHeadingTextLength}})`);

/** The heading at the beginning of a text, if there is one. */
function firstHeading(markdown: string): string {
  return plainHeading(headingLine.exec(markdown)?.[1] ?? '');
}

function plainTitle(title: string): string {
  return storable(title).replaceAll(/\s+/g, ' ').trim().slice(0, maxTitleLength).toWellFormed();
}
