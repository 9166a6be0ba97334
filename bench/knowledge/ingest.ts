import { setTimeout as delay } from 'node:timers/promises';
import { PDFDocument, StandardFonts } from 'pdf-lib';
import { startScriptedModel } from '../../packages/server/test/scripted-model/server.ts';
import type { Result } from '../support/compare.ts';
import { percentile } from '../support/numbers.ts';
import { type MeasuredService, startService } from '../support/start-service.ts';
import { readQuestions } from './questions.ts';
import type { Section } from './section.ts';

const linesPerPage = 48;
const charactersPerLine = 62;
const pollMs = 50;

/** From an upload to `completed`: PDF pages of about 3,000 characters, read, split, embedded and indexed. */
export const ingest: Section = async ({ cleanUp, quick, say }) => {
  const model = await startScriptedModel({ record: false });
  await cleanUp.add(() => model.close());
  const provider = await startService(cleanUp, {
    OPENAI_API_KEY: 'none',
    OPENAI_BASE_URL: model.url('openai'),
    SVC_EMBEDDING_MODEL: 'openai/text-embedding-3-small',
  });
  const withProvider = await measure(provider, quick ? [5] : [25, 25, 25, 25]);
  say('Ingest: with a provider that answers at once');
  const builtin = await measure(await startService(cleanUp), quick ? [2] : [10]);
  say('Ingest: with the built-in embeddings');
  return [
    { title: 'Ingest, with a provider that embeds at once', results: withProvider },
    { title: 'Ingest, with the built-in embeddings', results: builtin },
  ];
};

async function measure(service: MeasuredService, documents: number[]): Promise<Result[]> {
  const files = await Promise.all(documents.map((pages, number) => makePdf(pages, number)));
  const waits: number[] = [];
  const watching = new AbortController();
  const watch = watchHealth(service, waits, watching.signal);
  const started = performance.now();
  const ids = await upload(service, files);
  for (const id of ids) await completed(service, id);
  const seconds = (performance.now() - started) / 1000;
  watching.abort();
  await watch;
  const pages = documents.reduce((sum, count) => sum + count, 0);
  const sorted = waits.toSorted((one, other) => one - other);
  return [
    { label: 'pages/s', digits: 1, ours: pages / seconds },
    { label: 'p50 ms of another request meanwhile', digits: 1, ours: percentile(sorted, 0.5) },
    { label: 'p99 ms of another request meanwhile', digits: 1, ours: percentile(sorted, 0.99) },
  ];
}

/** The text of the passages over and over, differently in each document: nothing is the same as before. */
async function makePdf(pages: number, number: number): Promise<Uint8Array<ArrayBuffer>> {
  const text = readQuestions()
    .passages.map(({ title, content }, place) => `${title} ${number}.${place}. ${content}`)
    .join(' ')
    .replaceAll(/[^\x20-\x7e]/g, ' ');
  const document = await PDFDocument.create();
  const font = await document.embedFont(StandardFonts.Helvetica);
  for (let at = 0; at < pages; at += 1) {
    const page = document.addPage();
    for (let line = 0; line < linesPerPage; line += 1) {
      const start =
        ((at * linesPerPage + line) * charactersPerLine + number * 977) % (text.length - charactersPerLine);
      const shown = text.slice(start, start + charactersPerLine);
      page.drawText(shown, { x: 40, y: 800 - line * 16, size: 11, font });
    }
  }
  return new Uint8Array(await document.save());
}

async function upload({ url, key }: MeasuredService, files: Uint8Array<ArrayBuffer>[]): Promise<string[]> {
  const form = new FormData();
  for (const [number, file] of files.entries())
    form.append('files', new Blob([file]), `document-${number}.pdf`);
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(`${url}/api/v1/knowledge`, { method: 'POST', headers, body: form });
  if (answer.status !== 201) throw new Error(`Nothing was uploaded: ${await answer.text()}`);
  const { created } = (await answer.json()) as { created: { id: string }[] };
  return created.map(({ id }) => id);
}

async function completed({ url, key }: MeasuredService, id: string): Promise<void> {
  for (;;) {
    const answer = await fetch(`${url}/api/v1/knowledge/${id}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const source = (await answer.json()) as { processing_status: string; error: string | null };
    if (source.processing_status === 'completed') return;
    if (source.processing_status === 'failed') throw new Error(`A document failed: ${source.error}`);
    await delay(pollMs);
  }
}

/** How long others wait while documents are read: a thread that is busy answers no request. */
async function watchHealth({ url }: MeasuredService, waits: number[], signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const started = performance.now();
    await (await fetch(`${url}/healthz`)).text();
    waits.push(performance.now() - started);
    await delay(10);
  }
}
