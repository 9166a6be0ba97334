import {
  createExtractor,
  type Document,
  type ExtractorOptions,
} from '../../src/knowledge/extraction/extract.ts';
import { usualLimits } from '../../src/knowledge/extraction/limits.ts';
import { readDocument as readInProcess } from '../../src/knowledge/extraction/read-document.ts';
import type { ReadText } from '../../src/knowledge/extraction/tasks.ts';

const never = new AbortController().signal;

/** What a person would see of a document: its text, or the reason why there is none. It is read in a process of its own, as in the service. */
export async function readDocument(
  filename: string,
  bytes: Uint8Array,
  options: ExtractorOptions = {},
): Promise<string> {
  const extractor = createExtractor(options);
  try {
    return await textOrReason(extractor.extract({ filename, bytes }, never));
  } finally {
    await extractor.close();
  }
}

/** Reads a document without a process of its own, which takes longer than reading most: not for those that may never end. */
export function readHere(
  { bytes, filename, contentType = null, url }: Omit<Document, 'bytes'> & { bytes: Uint8Array | string },
  limits: Partial<typeof usualLimits> = {},
): Promise<ReadText> {
  // The reader of PDFs detaches the memory of what it is given.
  const copy = Buffer.from(new Uint8Array(Buffer.from(bytes)).buffer);
  return readInProcess({
    bytes: copy,
    filename,
    contentType,
    url: url ?? null,
    limits: { ...usualLimits, ...limits },
  });
}

export async function textOrReason(reading: Promise<ReadText>): Promise<string> {
  try {
    return (await reading).markdown;
  } catch (error) {
    return (error as Error).message;
  }
}
