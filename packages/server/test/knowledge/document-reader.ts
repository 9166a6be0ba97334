import { createExtractor, type ExtractorOptions } from '../../src/knowledge/extraction/extract.ts';

const never = new AbortController().signal;

/** What a person would see of a document: its text, or the reason why there is none. */
export async function readDocument(
  filename: string,
  bytes: Uint8Array,
  options: ExtractorOptions = {},
): Promise<string> {
  const extractor = createExtractor(options);
  try {
    return (await extractor.extract({ filename, bytes }, never)).markdown;
  } catch (error) {
    return (error as Error).message;
  } finally {
    await extractor.close();
  }
}
