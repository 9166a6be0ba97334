/** A provider that is configured but never called, for tests that only use the names of its models. */
export const unusedProvider = {
  OPENAI_BASE_URL: 'http://127.0.0.1:9',
  SVC_DEFAULT_MODEL: 'builtin/extractive',
};
