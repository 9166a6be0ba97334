import { resealFingerprints } from '../approvals/approvals.service.ts';
import { lockEncryptionKeyForChange } from '../database/key-lock.ts';
import { resealRecords } from '../idempotency/idempotency.service.ts';
import { createSecretBox, UnknownKeyError } from '../secrets/secret-box.ts';
import { rotateToolSecrets } from '../tools/tools.service.ts';
import { resealIdentitySecrets } from '../widgets/widgets.service.ts';
import type { CommandServices } from './with-services.ts';

/** Encrypts every stored secret with the current key, or with a new one. */
export async function rotateSecrets(
  { database, keyRing, keyFiles }: CommandServices,
  generate: boolean,
): Promise<{ secrets: number; answers: number }> {
  if (generate && !keyFiles) {
    throw new Error(
      'The key comes from SVC_ENCRYPTION_KEY: set a new one there, the old one in SVC_ENCRYPTION_KEY_PREVIOUS, restart, and rotate without --generate.',
    );
  }
  const box = createSecretBox(keyRing);
  const done = await explaining(() =>
    database.acrossWorkspaces.transaction(async (tx) => {
      // Concurrent encryption waits for this transaction, and then uses the new key.
      await lockEncryptionKeyForChange(tx);
      if (generate) await keyFiles?.generate();
      // What was approved must stay readable with the new key, for turns that wait for an approval.
      await resealFingerprints(tx, box);
      await resealIdentitySecrets(tx, box);
      return { secrets: await rotateToolSecrets(tx, box), answers: await resealRecords(tx, box) };
    }),
  );
  await keyFiles?.forgetPrevious();
  return done;
}

async function explaining<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UnknownKeyError)) throw error;
    throw new Error('Nothing was changed: add the missing key to SVC_ENCRYPTION_KEY_PREVIOUS.', {
      cause: error,
    });
  }
}
