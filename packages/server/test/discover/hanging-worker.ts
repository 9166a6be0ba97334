import { workerData } from 'node:worker_threads';

/** Stands in for a document that takes too long, or too much memory. */
const { bytes } = workerData as { bytes: Uint8Array };
const text = new TextDecoder().decode(bytes);
const kept: unknown[] = [];
for (;;) if (text.includes('memory')) kept.push(Array.from({ length: 1_000 }, () => ({})));
