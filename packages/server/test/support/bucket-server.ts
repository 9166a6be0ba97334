import { createHash, createHmac } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';
import { startTcpProxy } from './faults/tcp-proxy.ts';
import { until } from './faults/until.ts';

export interface BucketServer {
  /** For a service with its large files in the bucket. */
  environment: Record<string, string>;
  /** The keys of all objects, without the prefix. */
  keys(): Promise<string[]>;
  content(key: string): Promise<Buffer>;
  /** All connections break, and so does every new one; the objects stay. */
  goDown(): void;
  comeBack(): void;
  remove(): Promise<void>;
}

const [keyId, secret] = ['S3RVER', 'S3RVER'];
const bucket = 'files';
const prefix = 'of/svc';
const suffix = '._S3rver_object';

/** A real server with S3's protocol, on free ports of this machine. */
export async function startBucketServer(): Promise<BucketServer> {
  const directory = await mkdtemp(join(tmpdir(), 'svc-bucket-'));
  const address = '127.0.0.1';
  const configureBuckets = [{ name: bucket }];
  const options = { address, port: 0, silent: true, directory, vhostBuckets: false, configureBuckets };
  const server = new S3rver(options);
  storeBeforeAnswering(server);
  verifySignatures(server);
  const { port } = await server.run();
  // A server that stops could lose its port to another.
  const proxy = await startTcpProxy(() => connect(port, address));
  const root = join(directory, bucket, prefix);
  return {
    environment: {
      SVC_FILES: `s3://${bucket}/${prefix}`,
      AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${proxy.port}`,
      AWS_ACCESS_KEY_ID: keyId,
      AWS_SECRET_ACCESS_KEY: secret,
    },
    async keys() {
      const files = await readdir(root, { recursive: true }).catch(() => []);
      return files.flatMap((file) => (file.endsWith(suffix) ? [file.slice(0, -suffix.length)] : []));
    },
    content: (key) => readFile(join(root, key + suffix)),
    goDown: () => proxy.set('cut'),
    comeBack: () => proxy.set('open'),
    async remove() {
      await proxy.close();
      const closed = server.close();
      server.httpServer.closeAllConnections();
      await closed;
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

const refusal = '<Error><Code>SignatureDoesNotMatch</Code><Message>It is another one.</Message></Error>';

/** It knows the signatures of version 2 only. */
function verifySignatures({ middleware }: S3rver): void {
  middleware.unshift((context, next) => {
    if (isSigned(context.req)) return next();
    Object.assign(context, { status: 403, type: 'application/xml', body: refusal });
    return undefined;
  });
}

const authorization =
  /^AWS4-HMAC-SHA256 Credential=[^/]+\/(\d+\/[\w-]+\/s3\/aws4_request), SignedHeaders=([^,]+), Signature=(\w+)$/;

function isSigned({ method, url = '', headers }: IncomingMessage): boolean {
  const [, scope = '', names = '', signature] = authorization.exec(headers.authorization ?? '') ?? [];
  const [path, query = ''] = url.split('?');
  const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  const lines = names.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`);
  const sorted = query.split('&').toSorted().join('&');
  const request = [method, path, sorted, lines.join(''), names, headers['x-amz-content-sha256']].join('\n');
  const hash = createHash('sha256').update(request).digest('hex');
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, hash].join('\n');
  const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${secret}`);
  return hmac(key, text).toString('hex') === signature;
}
