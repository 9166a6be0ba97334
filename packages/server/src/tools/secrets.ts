import type { Transaction } from '../database/database.ts';
import { lockEncryptionKey } from '../database/key-lock.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import type { Configuration } from './tool-type.ts';
import { type SecretRow, toolStore } from './tools.store.ts';

/** Changes of secrets in a configuration: new values, not yet checked, and fields to clear. */
export interface SecretChanges {
  set: Configuration;
  cleared: string[];
}

/** Splits the secret fields off a configuration; the rest may be stored in the open and shown. */
export function splitSecrets(configuration: Configuration, secretFields: readonly string[]) {
  const open: Configuration = {};
  const secrets: SecretChanges = { set: {}, cleared: [] };
  for (const [field, value] of Object.entries(configuration)) {
    if (!secretFields.includes(field)) open[field] = value;
    else if (value === null) secrets.cleared.push(field);
    else secrets.set[field] = value;
  }
  return { open, secrets };
}

export type ToolSecrets = ReturnType<typeof createToolSecrets>;

/** Writes and reads the secrets of tools, each encrypted with its own key and bound to workspace, tool and field. */
export function createToolSecrets(box: SecretBox) {
  return {
    async write(tx: Transaction, workspaceId: string, toolId: string, changes: SecretChanges): Promise<void> {
      if (changes.cleared.length === 0 && Object.keys(changes.set).length === 0) return;
      await lockEncryptionKey(tx);
      for (const field of changes.cleared) await toolStore.deleteSecret(tx, workspaceId, toolId, field);
      for (const [field, value] of Object.entries(changes.set)) {
        const wrapped = box.wrap(String(value), contextOf({ workspaceId, toolId, field }));
        await toolStore.putSecret(tx, workspaceId, { toolId, field }, wrapped);
      }
    },

    open(rows: readonly SecretRow[]): Configuration {
      return Object.fromEntries(rows.map((row) => [row.field, box.unwrap(row, contextOf(row))]));
    },
  };
}

/** The secrets of a configuration; for one such as `Bearer token` also the token alone, which servers may echo. */
export function secretParts(opened: Configuration): string[] {
  return Object.values(opened).flatMap((secret) => {
    const token = /^(?:basic|bearer|token|apikey)\s+(\S+)$/i.exec(String(secret))?.[1];
    return [String(secret), ...(token ? [token] : [])];
  });
}

/** Rewraps every secret's key with the installation's current key. Returns the number of secrets. */
export async function rotateToolSecrets(tx: Transaction, box: SecretBox): Promise<number> {
  const rows = await toolStore.lockSecretsAcrossWorkspaces(tx);
  for (const row of rows) {
    const wrappedKey = box.reseal(row.wrappedKey, contextOf(row));
    if (wrappedKey === row.wrappedKey) continue;
    await toolStore.putSecret(tx, row.workspaceId, row, { wrappedKey, sealed: row.sealed });
  }
  return rows.length;
}

function contextOf({
  workspaceId,
  toolId,
  field,
}: Pick<SecretRow, 'workspaceId' | 'toolId' | 'field'>): string {
  return `tool secret ${workspaceId} ${toolId} ${field}`;
}
