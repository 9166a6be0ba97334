import type { Ability } from '@svc/contract/abilities';
import type { Command } from 'commander';
import type { AccountKey } from '../keys/keys.service.ts';
import { toDocument } from '../keys/keys.wire.ts';
import { parseAbilities, parseExpiry, parseId } from './arguments.ts';
import { print, table } from './command-output.ts';
import { withServices } from './lazily.ts';

interface CreateOptions {
  name: string;
  abilities: Ability[] | 'all';
  workspace?: string;
  expires?: Date;
  json: boolean;
}

export function keyCommands(program: Command): void {
  const keys = program.command('keys').description('make, list and revoke account keys');

  keys
    .command('create')
    .description('make an account key; it is shown this one time')
    .requiredOption('--name <name>', 'what it is for')
    .requiredOption('--abilities <list>', '"all", or abilities separated by commas', parseAbilities)
    .option('--workspace <id>', 'whose key it is (default: the default workspace)', parseId)
    .option('--expires <day>', 'the last day it works, for example 2027-01-31', parseExpiry)
    .option('--json', 'print one JSON document', false)
    .action(async ({ name, abilities, workspace, expires, json }: CreateOptions) => {
      const { key, accountKey } = await withServices(async (services) => {
        const workspaceId = workspace
          ? (await services.workspaces.get(workspace)).id
          : await services.defaultWorkspaceId();
        const wanted = { workspaceId, name, abilities, expiresAt: expires ?? null };
        return services.database.within(workspaceId).transaction((tx) => services.keys.create(tx, wanted));
      });
      print(
        json,
        { ...toDocument(accountKey), key },
        `Made the key ${name} (${accountKey.id}).\nShown this one time:\n\n  ${key}`,
      );
    });

  keys
    .command('list')
    .description('list every key; the keys themselves cannot be shown again')
    .option('--json', 'print one JSON document', false)
    .action(async ({ json }: { json: boolean }) => {
      const found = await withServices((services) => services.keys.list());
      const rows = found.map((key) => [
        key.id,
        key.name,
        `…${key.hint}`,
        state(key),
        key.abilities.join(','),
      ]);
      const documents = found.map((key) => ({
        ...toDocument(key),
        hint: key.hint,
        revoked_at: key.revokedAt?.toISOString() ?? null,
        created_at: key.createdAt.toISOString(),
      }));
      print(json, documents, table(['ID', 'NAME', 'KEY', 'STATE', 'ABILITIES'], rows));
    });

  keys
    .command('revoke')
    .description('stop a key from working, immediately and on every node')
    .argument('<id>', 'the key', parseId)
    .option('--json', 'print one JSON document', false)
    .action(async (id: string, { json }: { json: boolean }) => {
      const key = await withServices((services) => services.keys.revoke(id));
      print(
        json,
        { id: key.id, revoked_at: key.revokedAt?.toISOString() ?? null },
        `Revoked the key ${key.name}.`,
      );
    });
}

function state(key: AccountKey): string {
  if (key.revokedAt) return 'revoked';
  if (!key.expiresAt) return 'active';
  return key.expiresAt <= new Date() ? 'expired' : `until ${key.expiresAt.toISOString().slice(0, 10)}`;
}
