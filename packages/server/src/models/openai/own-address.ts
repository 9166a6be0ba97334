export const openAiUrl = 'https://api.openai.com/v1';

/** Whether an address is OpenAI's own, and not that of a server that only speaks its wire. */
export function isOpenAi(baseUrl = openAiUrl): boolean {
  return new URL(baseUrl).hostname === 'api.openai.com';
}
