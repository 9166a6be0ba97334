import { type DiscoveredTools, type DraftedTool, maxDraftedTools } from '@svc/contract/discover';
import { invalid } from '../../lib/app-error.ts';
import { clip } from '../../validation/clip.ts';
import type { DraftCheck } from '../check-draft.ts';
import { createNotes, type Notes } from '../notes.ts';
import { chooseOperations } from './choose-operations.ts';
import { createResolve, type OpenApiDocument, textOf } from './document.ts';
import { type DraftContext, draftOperation } from './draft-operation.ts';
import { addressOf, type ListedOperation, listOperations, nameOperation } from './list-operations.ts';

export interface OpenApiSource {
  document: OpenApiDocument;
  /** Brings an operation that is drafted into the form of OpenAPI 3; undefined if all have it. */
  convert?: (listed: ListedOperation) => ListedOperation;
  /** Undefined for a document from the request. */
  url: string | undefined;
  /** The field of the request that it came from. */
  field: string;
  goal: string | undefined;
  operations: readonly string[] | undefined;
}

/** Of all drafts together, as JSON. */
const maxCharacters = 2_000_000;
/** Includes operations that no tool can be made of. */
const maxTried = 200;
const maxListed = 5_000;
const maxLengths = { path: 500, id: 200, summary: 200 };

/** Drafts one tool for each chosen operation, with a note on everything that was left out. */
export function draftFromOpenApi(
  { document, convert = (listed) => listed, url, field, goal, operations: named }: OpenApiSource,
  check: DraftCheck,
  onListed: (operations: number) => void,
): DiscoveredTools {
  const resolve = createResolve(document);
  const all = listOperations(document, resolve);
  if (all.length === 0) throw invalid(field, 'is an OpenAPI document without operations.');
  onListed(all.length);
  const { chosen, note, isOpen } = chooseOperations(all, { goal, named });
  const notes = createNotes();
  const context = { document, convert, documentUrl: url, resolve, check };
  const { tools, left } = draftThose(chosen, context, notes);
  if (left.length > 0)
    notes.addFirst('Not drafted, as there are enough tools: name them in operations.', left);
  const written = [...(note ? [note] : []), ...notes.list(tools.length)];
  if (!isOpen) return { tools, notes: written };
  const rest = all.length - maxListed;
  const more = rest > 0 ? [`${rest} more operations of the document are not listed.`] : [];
  return { tools, notes: [...more, ...written], operations: all.slice(0, maxListed).map(describe) };
}

function draftThose(
  chosen: readonly ListedOperation[],
  context: DraftContext & Required<Pick<OpenApiSource, 'convert'>>,
  notes: Notes,
): { tools: DraftedTool[]; left: string[] } {
  const tools: DraftedTool[] = [];
  const left: string[] = [];
  const taken = new Set<string>();
  let charactersLeft = maxCharacters;
  for (const [index, operation] of chosen.entries()) {
    const address = addressOf(operation);
    if (tools.length === maxDraftedTools || index >= maxTried || charactersLeft < 0) {
      left.push(address);
      continue;
    }
    const drafted = draftOperation(context.convert(operation), context);
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
  return { tools, left };
}

function describe({ method, path, operation, pathItem }: ListedOperation) {
  const id = textOf(operation['operationId']);
  const summary = textOf(operation['summary']) || textOf(pathItem['summary']);
  return {
    method,
    path: clip(path, maxLengths.path),
    operation_id: id ? clip(id, maxLengths.id) : null,
    summary: clip(summary, maxLengths.summary),
  };
}
