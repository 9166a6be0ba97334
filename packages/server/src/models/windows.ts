export interface ModelWindow {
  contextWindow: number;
  maxOutputTokens: number;
}

/** For an unknown model, often a small local one: too small a window only shortens its memory of the conversation. */
const unknownModel: ModelWindow = { contextWindow: 32_768, maxOutputTokens: 4_096 };

/** The window of a model's family: that of the longest known beginning of its name. */
export function windowOf(modelName: string, windows: Readonly<Record<string, ModelWindow>>): ModelWindow {
  let best = '';
  for (const prefix of Object.keys(windows)) {
    if (modelName.startsWith(prefix) && prefix.length > best.length) best = prefix;
  }
  return windows[best] ?? unknownModel;
}
