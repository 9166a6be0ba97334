import type pg from 'pg';
import { type KeyRing, keyIdBytes } from '../../secrets/key-ring.ts';
import type { Table } from './database-tables.ts';

interface SealedValue {
  table: string;
  column: string;
  condition?: string;
}

/** What is sealed with the installation's encryption key: everything that `svc secrets rotate` moves to another one. */
const sealedValues: readonly SealedValue[] = [
  { table: 'public.tool_secrets', column: 'wrapped_key' },
  { table: 'public.widget_keys', column: 'identity_secret' },
  { table: 'public.idempotency_records', column: 'request_hash' },
  { table: 'public.idempotency_records', column: 'answer' },
  {
    table: 'public.approvals',
    column: 'fingerprint',
    // Those of other turns keep their key for ever, and are not read again.
    condition: `turn_id in (select id from turns where status in ('running', 'paused'))`,
  },
];

/** The ids of the keys that open everything in these tables. Throws if the key ring lacks one of them. */
export async function findEncryptionKeys(
  client: pg.Client,
  tables: readonly Table[],
  keyRing: KeyRing,
): Promise<string[]> {
  // The database of an earlier release may lack some.
  const present = sealedValues.filter(({ table, column }) =>
    tables.some(({ name, columns }) => name === table && columns.includes(column)),
  );
  if (present.length === 0) return [];
  const parts = present.map(
    ({ table, column, condition = 'true' }) =>
      `select '${table}' as "table", encode(substr(${column}, 1, ${keyIdBytes}), 'hex') as id
       from ${table} where ${column} is not null and ${condition}`,
  );
  // Without `all`, each is returned once.
  const { rows } = await client.query<{ table: string; id: string }>(parts.join(' union '));
  const locked = rows.filter(({ id }) => !keyRing.find(Buffer.from(id, 'hex')));
  if (locked.length === 0) return [...new Set(rows.map(({ id }) => id))].toSorted();
  const names = new Set(locked.map(({ table }) => table.replace('public.', '')));
  throw new Error(
    `The encryption key does not open what is stored in ${[...names].join(', ')}: set SVC_ENCRYPTION_KEY as for the service, and SVC_ENCRYPTION_KEY_PREVIOUS to the keys before it until \`svc secrets rotate\` has run.`,
  );
}
