import type { DraftedTool, ToolDraft } from '@svc/contract/discover';
import { invalid } from '../../app-error.ts';
import type { DraftCheck } from '../check-draft.ts';
import { createNotes } from '../notes.ts';
import { createResolve, type OpenApiDocument } from './document.ts';
import { draftOperation } from './draft-operation.ts';
import { listOperations, nameOperation, rankOperations } from './list-operations.ts';

export interface OpenApiSource {
  document: OpenApiDocument;
  /** Where it was fetched. */
  url: string | undefined;
  /** The field of the request that it came from. */
  field: string;
  goal: string | undefined;
}

const mostTools = 100;
/** Of all drafts together, as JSON. */
const mostCharacters = 2_000_000;
/** Those that no tool can be made of count here. */
const mostTried = 1_000;

/** Reads an OpenAPI document exactly: one tool for each operation, and a note on everything that is not in one. */
export function draftFromOpenApi(
  { document, url, field, goal }: OpenApiSource,
  check: DraftCheck,
  onListed: (operations: number) => void,
): ToolDraft {
  const resolve = createResolve(document);
  const listed = rankOperations(listOperations(document, resolve), goal);
  if (listed.length === 0) throw invalid(field, 'is an OpenAPI document without operations.');
  onListed(listed.length);
  const context = { document, documentUrl: url, resolve, check };
  const tools: DraftedTool[] = [];
  const taken = new Set<string>();
  const notes = createNotes();
  const left: string[] = [];
  let charactersLeft = mostCharacters;
  for (const [index, operation] of listed.entries()) {
    const address = `${operation.method} ${operation.path}`;
    if (tools.length === mostTools || index >= mostTried || charactersLeft < 0) {
      left.push(address);
      continue;
    }
    const drafted = draftOperation(operation, context);
    if ('refused' in drafted) {
      notes.add(`Not drafted: ${drafted.refused}`, address);
      continue;
    }
    charactersLeft -= JSON.stringify(drafted.tool).length;
    if (charactersLeft < 0) {
      left.push(address);
      continue;
    }
    const name = nameOperation(operation, taken);
    tools.push({ ...drafted.tool, name });
    for (const note of drafted.notes) notes.add(note, name);
    for (const secret of drafted.missing) notes.add(`Fill in ${secret} before the tool is created.`, name);
  }
  if (left.length > 0) {
    notes.addFirst(
      `Only the first ${tools.length} operations are drafted: name a goal to choose others.`,
      left,
    );
  }
  return { tools, notes: notes.list(tools.length) };
}
