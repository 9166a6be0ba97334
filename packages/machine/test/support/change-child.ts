import { createFileWork } from '../../src/files/file-work.ts';
import { patch } from './interrupted-change.ts';

/** Stands for a daemon that is killed while it carries out one change. */
const [root = '', state = '', id = ''] = process.argv.slice(2);
// Its output is the test runner's, which would wait for it if this process outlived the test.
process.on('disconnect', () => process.exit());
const work = createFileWork({ roots: [root], stateFolder: state });
const run = { signal: new AbortController().signal, onProgress: () => undefined };
// Starts the process that makes changes.
await work.perform({ id, name: 'revert', workdir: root, arguments: { operation_ids: [] } }, run);
process.send?.('ready');
await work.perform({ id, name: 'apply_patch', workdir: root, arguments: { patch } }, run);
process.send?.('done');
