import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';
import { until } from './faults/until.ts';

export interface BucketServer {
  /** For a service with its large files in the bucket. */
  environment: Record<string, string>;
  /** The keys of all objects, without the prefix. */
  keys(): Promise<string[]>;
  content(key: string): Promise<Buffer>;
  /** Nothing answers any more; the objects stay. */
  goDown(): Promise<void>;
  comeBack(): Promise<void>;
  remove(): Promise<void>;
}

const bucket = 'files';
const prefix = 'of/svc';
const suffix = '._S3rver_object';

/** A real server with S3's protocol on a free port of this machine. */
export async function startBucketServer(): Promise<BucketServer> {
  const directory = await mkdtemp(join(tmpdir(), 'svc-bucket-'));
  let server: S3rver | undefined;
  let port = 0;

  async function start(): Promise<void> {
    const address = '127.0.0.1';
    const configureBuckets = [{ name: bucket }];
    server = new S3rver({ address, port, silent: true, directory, vhostBuckets: false, configureBuckets });
    storeBeforeAnswering(server);
    ({ port } = await server.run());
  }

  async function stop(): Promise<void> {
    const closed = server?.close();
    server?.httpServer.closeAllConnections();
    await closed;
    server = undefined;
  }

  await start();
  const root = join(directory, bucket, prefix);
  return {
    environment: {
      SVC_FILES: `s3://${bucket}/${prefix}`,
      AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}`,
      AWS_ACCESS_KEY_ID: 'S3RVER',
      AWS_SECRET_ACCESS_KEY: 'S3RVER',
    },
    async keys() {
      const files = await readdir(root, { recursive: true }).catch(() => []);
      return files.flatMap((file) => (file.endsWith(suffix) ? [file.slice(0, -suffix.length)] : []));
    },
    content: (key) => readFile(join(root, key + suffix)),
    goDown: stop,
    comeBack: start,
    async remove() {
      if (server) await stop();
      await rm(directory, { recursive: true });
    },
  };
}

/** It would answer before all of an object is on the disk, and S3 does not. */
function storeBeforeAnswering({ store }: S3rver): void {
  const put = store.putObject.bind(store);
  store.putObject = async (object) => {
    const stored = await put(object);
    const path = store.getResourcePath(object.bucket, object.key, 'object');
    await until('an object is stored', async () => (await stat(path)).size === stored.size, { interval: 1 });
    return stored;
  };
}
