import type { ContentBlock } from '@modelcontextprotocol/sdk/types.js';
import type { ToolResult } from '../../tool-type.ts';
import { boundText } from '../shared/bound-text.ts';
import type { Redactor } from '../shared/redactor.ts';
import type { CallResult } from './read-answers.ts';

const maxBytes = 50_000;

/** What a server answered, as text: a model reads nothing else here. Pictures and files are only mentioned. */
export function toToolResult(answer: CallResult, redactor: Redactor): ToolResult {
  const { isError } = answer;
  // One by one: of what is too large the end is left out, and it must not be the content.
  const content = redactor.json(answer.content) as CallResult['content'];
  const structuredContent = redactor.json(answer.structuredContent) as CallResult['structuredContent'];
  const texts = content.map(describeBlock).filter((text) => text !== '');
  const structure = structuredContent && JSON.stringify(structuredContent);
  const text = bounded(texts.join('\n\n') || structure || 'The tool answered with nothing.');
  return {
    status: isError ? 'error' : 'ok',
    content: text,
    result: {
      text,
      ...(structure && Buffer.byteLength(structure) <= maxBytes && { structured_content: structuredContent }),
    },
  };
}

function describeBlock(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return `[${block.type}, ${block.mimeType}, ${byteLength(block.data)} bytes, not shown]`;
    case 'resource_link':
      return `[link to ${block.title ?? block.name}: ${block.uri}]`;
    case 'resource':
      return 'text' in block.resource
        ? `${block.resource.uri}\n${block.resource.text}`
        : `[file ${block.resource.uri}, ${block.resource.mimeType ?? 'unknown type'}, ${byteLength(block.resource.blob)} bytes, not shown]`;
    default:
      return '';
  }
}

function bounded(whole: string): string {
  const { text, cut } = boundText(whole, maxBytes);
  return cut ? `${text}\n[cut here: the answer is longer]` : text;
}

function byteLength(base64: string): number {
  return Buffer.byteLength(base64, 'base64');
}
