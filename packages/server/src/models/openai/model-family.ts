/** Models that reason take no temperature, count reasoning as output, and may think in silence for minutes. */
export function isReasoningModel(modelName: string): boolean {
  const name = modelName.slice(modelName.lastIndexOf('/') + 1);
  return /^(?:o\d|gpt-(?:[5-9]|\d{2})|codex)/.test(name) && !/^gpt-\d+(?:\.\d+)?-chat/.test(name);
}
