import { parentPort, workerData } from 'node:worker_threads';
import { layOutPage } from './lay-out-page.ts';

export interface PageWorkerData {
  html: string;
  address: string;
}

const { html, address } = workerData as PageWorkerData;
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows
parentPort?.postMessage(layOutPage(html, address));
