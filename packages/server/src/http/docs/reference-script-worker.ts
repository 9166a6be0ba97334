import { parentPort } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import scalar from '@scalar/fastify-api-reference';
import { fastify } from 'fastify';

/** Requested like a visitor would: the URL is documented, the location inside the package is not. */
const app = fastify();
await app.register(scalar, { routePrefix: '/reference', configuration: { url: '/openapi.json' } });
const { statusCode, rawPayload } = await app.inject('/reference/js/scalar.js');
if (statusCode !== 200) throw new Error(`The script of the reference is not there (${statusCode}).`);
parentPort?.postMessage(new Uint8Array(gzipSync(rawPayload)));
