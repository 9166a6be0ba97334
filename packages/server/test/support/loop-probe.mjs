// Loaded into a service process before anything else (node --import): tells its parent for how long the event loop was
// held up since it was last asked, and how much processor time its thread took meanwhile.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

if (isMainThread && process.send) {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  let before = process.threadCpuUsage();
  process.on('message', () => {
    // What held the loop up just now is counted when the histogram's own timer comes, not before.
    setTimeout(() => {
      const { user, system } = process.threadCpuUsage(before);
      process.send({ delayMs: delay.max / 1e6, processorMs: (user + system) / 1e3 });
      delay.reset();
      before = process.threadCpuUsage();
    }, 30);
  });
  process.channel.unref();
}
