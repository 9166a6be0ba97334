// Loaded into a service process before anything else (node --import): tells its parent for how long the event loop was
// held up since it was last asked. A busy machine stops everybody now and then, and that is no fault of the service: what
// counts is the processor time that its thread took between two visits to the loop.
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
    // What held the loop up just now is counted at the next visit, not before.
    setTimeout(() => {
      process.send({ longestMs: longest });
      longest = 0;
    }, 4 * visitEveryMs);
  });
  process.channel.unref();
}
