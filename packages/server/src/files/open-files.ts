import { ConfigError } from '../config/config-error.ts';
import type { FilesConfig } from '../config/files-config.ts';
import type { Log } from '../lib/log.ts';
import { newId } from '../lib/new-id.ts';
import type { Feature, Services } from '../services.ts';
import { type Bucket, openBucket } from './bucket.ts';
import { toBucketError } from './bucket-error.ts';
import { createFileService } from './files.service.ts';

/** Large files in a bucket, if there is one. */
export async function openFiles(
  services: Pick<Services, 'config' | 'database' | 'log'>,
): Promise<Feature<Pick<Services, 'files'>>> {
  const { files: config } = services.config;
  const bucket = config && (await openChecked(config, services.log));
  const files = createFileService(services, bucket);
  return {
    services: { files },
    // Without a bucket nothing can be deleted from it.
    rounds: bucket ? [{ name: 'deleted files', everyMilliseconds: 20_000, work: files.deleteDue }] : [],
    async close() {
      bucket?.close();
    },
  };
}

/**
 * A bucket that refuses us is a mistake in the configuration, which ends the start. One that cannot be reached may be back soon:
 * only files need it, so the service starts.
 */
async function openChecked(config: FilesConfig, log: Log): Promise<Bucket> {
  const bucket = await openBucket(config);
  try {
    await check(bucket);
  } catch (error) {
    const { kind, message } = toBucketError(error);
    if (kind !== 'unreached') {
      bucket.close();
      throw new ConfigError(
        `SVC_FILES names the bucket ${config.bucket}, which cannot be used: ${message.replace(/\.?$/, '.')}`,
      );
    }
    log.warn({ reason: message }, 'The bucket in SVC_FILES cannot be reached; until it can, files fail.');
  }
  return bucket;
}

async function check(bucket: Bucket): Promise<void> {
  const key = `check-${newId()}`;
  await bucket.write(key, Buffer.from('svc can write here.'));
  for await (const _ of await bucket.read(key));
  await bucket.delete(key);
}
