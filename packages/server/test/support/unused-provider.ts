/** A provider that is configured and never asked: for tests that only write the names of its models. */
export const unusedProvider = {
  OPENAI_BASE_URL: 'http://127.0.0.1:9',
  SVC_DEFAULT_MODEL: 'builtin/extractive',
};
