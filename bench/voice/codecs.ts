import { frameBytes, frameMs } from '@svc/sip/audio-format';
import { createDecoder, createEncoder, type Encoding, formatOf } from '@svc/sip/media/codec';
import type { Section } from '../chat/section.ts';
import { compare } from '../support/compare.ts';

/** What the audio of a call costs in both directions, in wideband beside A-law. */
export const codecs: Section = async ({ quick, rounds, say }) => {
  const seconds = quick ? 20 : 100;
  const label = 'processor time of a second of a call, ms';
  const comparison = await compare({
    title: `Encoding and decoding, G.722 beside A-law; ${seconds} s of noise`,
    metrics: [{ name: 'ms', label, better: 'less', digits: 2, goal: { most: 10 } }],
    rounds,
    baseline: async () => ({ ms: measure('pcma', seconds) }),
    ours: async () => ({ ms: measure('g722', seconds) }),
    onRound: say,
  });
  return [comparison];
};

function measure(encoding: Encoding, seconds: number): number {
  const format = formatOf(encoding);
  const encode = createEncoder(encoding, format);
  const decode = createDecoder(encoding, format);
  // Samples of any size: adaptive encodings spend most where nothing can be predicted.
  const frame = Buffer.from(
    Array.from({ length: frameBytes(format) }, (_value, index) => (index * 7_919) & 0xff),
  );
  const before = process.cpuUsage();
  for (let atMs = 0; atMs < seconds * 1_000; atMs += frameMs) decode(encode(frame));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / seconds;
}
