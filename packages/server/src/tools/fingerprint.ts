import { createHash } from 'node:crypto';
import { canonicalJson } from '../idempotency/canonical-json.ts';
import type { ConfiguredTool, ToolFunction } from './tool-type.ts';

/**
 * What decides what a call does, as two hashes: equal ones mean the same effect. The tool's covers its secrets, so it must be
 * encrypted before it is stored, and never be shown.
 */
export interface Fingerprint {
  /** Type and configuration, as they are stored. Names, descriptions and metadata change nothing that runs. */
  tool: string;
  /** The function as the tool offers it: an MCP server may change one without any change on our side. */
  offer: string;
}

export function fingerprintOf(type: string, tool: ConfiguredTool, offered: ToolFunction): Fingerprint {
  return {
    tool: toolFingerprint(type, tool),
    offer: hash([offered.key ?? offered.name, offered.parameters]),
  };
}

export function toolFingerprint(type: string, { id, configuration }: ConfiguredTool): string {
  return hash([type, id ?? null, configuration]);
}

export function isSameFingerprint(one: Fingerprint, other: Fingerprint): boolean {
  return one.tool === other.tool && one.offer === other.offer;
}

function hash(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('base64url');
}
