let context: AudioContext | undefined;

const volume = 0.06;
const seconds = 0.16;

/** Two soft tones, one after the other. Silent until the person has clicked or typed on the page: browsers require it. */
export function playTone(): void {
  context ??= new AudioContext();
  void context.resume();
  const { currentTime, destination } = context;
  for (const [index, frequency] of [660, 880].entries()) {
    const start = currentTime + index * seconds * 0.6;
    const tone = context.createOscillator();
    const gain = context.createGain();
    tone.frequency.value = frequency;
    gain.gain.setValueAtTime(volume, start);
    gain.gain.exponentialRampToValueAtTime(0.0001, start + seconds);
    tone.connect(gain).connect(destination);
    tone.start(start);
    tone.stop(start + seconds);
  }
}
