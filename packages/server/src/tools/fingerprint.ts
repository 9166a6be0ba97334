import { createHash } from 'node:crypto';
import { canonicalJson } from '../idempotency/canonical-json.ts';
import type { ConfiguredTool, ToolFunction } from './tool-type.ts';

/**
 * Two hashes of everything that determines what a call does: equal fingerprints mean the same effect. The tool's covers its
 * secrets, so it must be encrypted before it is stored, and never shown.
 */
export type Fingerprint = ReturnType<typeof fingerprintOf>;

export function fingerprintOf(type: string, tool: ConfiguredTool, offered: ToolFunction) {
  return {
    /** Of the stored type and configuration. Names, descriptions and metadata do not affect what runs. */
    tool: toolFingerprint(type, tool),
    offer: offerFingerprint(offered),
  };
}

/** Of the function as the tool offers it: an MCP server may change it without any change on our side. */
export function offerFingerprint({ key, name, parameters }: ToolFunction): string {
  return hash([key ?? name, parameters]);
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
