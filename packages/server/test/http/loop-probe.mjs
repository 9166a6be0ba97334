// Loaded into a service process before anything else (node --import): reports to its parent how long the event loop was
// blocked since the last report. A busy machine pauses every process now and then, so only the processor time of the
// main thread between two visits to the loop counts.
import { isMainThread } from 'node:worker_threads';

const visitEveryMs = 5;

if (isMainThread && process.send) {
  let longest = 0;
  let lastVisit = process.threadCpuUsage();
  setInterval(() => {
    const { user, system } = process.threadCpuUsage(lastVisit);
    longest = Math.max(longest, (user + system) / 1e3);
    lastVisit = process.threadCpuUsage();
  }, visitEveryMs).unref();
  process.on('message', () => {
    // What is blocking the loop now is counted at the next visit.
    setTimeout(() => {
      process.send({ longestMs: longest });
      longest = 0;
    }, 4 * visitEveryMs);
  });
  process.channel.unref();
}
