import { createVoice } from './create-voice.ts';
import { registerLine } from './worklet.ts';

// Loaded by pages, and once more by the audio thread of a call.
if ('registerProcessor' in globalThis) registerLine();

export { createVoice };
