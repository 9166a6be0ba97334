import { parentPort, workerData } from 'node:worker_threads';
import { createDraftCheck } from '../discover/check-draft.ts';
import { type DocumentSource, draftDocument } from '../discover/openapi/draft-document.ts';
import { createToolRegistry } from '../tools/tool-registry.ts';
import { httpRequestDescription } from '../tools/types/http-request/http-request-description.ts';

/** The only tool type that is drafted from documents; it never runs here. */
const registry = createToolRegistry([{ ...httpRequestDescription, functions: async () => [] }]);

draftDocument(workerData as DocumentSource, createDraftCheck(registry), (word) =>
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows
  parentPort?.postMessage(word),
);
