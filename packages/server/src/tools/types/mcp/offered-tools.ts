import type { Redactor } from '../shared/redactor.ts';
import type { ListedTool } from './read-answers.ts';
import { unusableSchema } from './unusable-schema.ts';

/** The part of a server's tool that we use, with secrets masked, and the reason when it cannot be offered. */
export interface OfferedTool {
  name: string;
  /** What the server calls it for people. */
  title: string | undefined;
  description: string;
  inputSchema: Record<string, unknown>;
  unusable: string | undefined;
  /** The server says that it changes nothing. */
  isReadOnly: boolean;
}

interface Kept {
  offered: OfferedTool;
  bytes: number;
}

const maxNameLength = 200;
const maxDescriptionLength = 4000;
const maxBytes = 1024 * 1024;
const tooLarge = "the server's tools before it take up 1 MB; allowed_tools can name those that are needed";

/** A session returns the same list for a while and belongs to one authorization, so each tool is cleaned once. */
const known = new WeakMap<ListedTool, Kept>();

/** In the server's order, until together they are larger than any model accepts. */
export async function offeredTools(tools: readonly ListedTool[], redactor: Redactor): Promise<OfferedTool[]> {
  let bytes = 0;
  const offered: OfferedTool[] = [];
  for (const tool of tools) {
    const kept = known.get(tool) ?? (await clean(tool, redactor));
    known.set(tool, kept);
    const fits = bytes + kept.bytes <= maxBytes;
    if (fits) bytes += kept.bytes;
    offered.push(fits ? kept.offered : withoutSchema(kept.offered, tooLarge));
  }
  return offered;
}

async function clean(tool: ListedTool, redactor: Redactor): Promise<Kept> {
  const { name, title, description, inputSchema, isReadOnly } = tool;
  const fault = await unusableSchema(tool);
  const reason = name.length > maxNameLength ? `its name is longer than ${maxNameLength} characters` : fault;
  // Cut after cleaning: half a secret would not be recognized.
  const bare: OfferedTool = {
    name: redactor.text(name).slice(0, maxNameLength),
    title: title === undefined ? undefined : redactor.text(title).slice(0, maxNameLength).toWellFormed(),
    description: redactor
      .text(description ?? title ?? name)
      .slice(0, maxDescriptionLength)
      .toWellFormed(),
    inputSchema: {},
    unusable: undefined,
    isReadOnly,
  };
  if (reason !== null) return { offered: withoutSchema(bare, redactor.text(reason)), bytes: 0 };
  const offered = { ...bare, inputSchema: redactor.json(inputSchema) as Record<string, unknown> };
  return { offered, bytes: Buffer.byteLength(JSON.stringify(offered)) };
}

function withoutSchema(tool: OfferedTool, unusable: string): OfferedTool {
  return { ...tool, inputSchema: { type: 'object' }, unusable: tool.unusable ?? unusable };
}
