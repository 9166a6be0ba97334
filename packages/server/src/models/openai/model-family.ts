/** Models that reason take no temperature, count reasoning as output, and may think in silence for minutes. */
export function isReasoningModel(modelName: string): boolean {
  const name = modelName.slice(modelName.lastIndexOf('/') + 1);
  return /^(?:o\d|gpt-(?:[5-9]|\d{2})|codex)/.test(name) && !/^gpt-\d+(?:\.\d+)?-chat/.test(name);
}

const blind = /^(gpt-3|gpt-4(-\d{4})?$|o1-mini|o3-mini)/;
/** Families that are known to see, on servers that offer models of any kind. */
const seeing =
  /gpt-(4o|4\.1|4-turbo|[5-9])|^o[134]|claude|gemini|gemma-?[3-9]|llava|pixtral|vision|internvl|minicpm-?v|[-.\d]vl\b|llama-?4|mistral-(small|medium)-?3/i;

/** Whether a model sees images. OpenAI's own do, except for some old ones; of others only what is known to. */
export function seesImages(modelName: string, isOfOpenAi: boolean): boolean {
  if (blind.test(modelName)) return false;
  return isOfOpenAi || seeing.test(modelName);
}
