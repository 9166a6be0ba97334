/** What makes each provider usable. */
const variables = new Map([
  ['openai', 'OPENAI_API_KEY or OPENAI_BASE_URL'],
  ['anthropic', 'ANTHROPIC_API_KEY'],
  ['google', 'GOOGLE_GENERATIVE_AI_API_KEY'],
]);

export interface ModelChoice {
  /** Those that this kind of model can come from. */
  known: Iterable<string>;
  /** Those that are configured. */
  usable: Iterable<string>;
  /** The only model of the provider `builtin`. */
  builtin: string;
}

/** What is wrong with the id of a model, to be read after the name of its field; undefined when it can be used. */
export function modelFault(id: string, { known, usable, builtin }: ModelChoice): string | undefined {
  const parts = splitModelId(id);
  if (!parts) return 'must look like provider/model, as in openai/gpt-5-mini, without .. in it';
  const { provider, name } = parts;
  const names = new Set([...known, 'builtin']);
  if (!names.has(provider)) {
    return `names the provider ${provider}, which is not known here: use one of ${[...names].join(', ')}`;
  }
  if (provider === 'builtin') {
    return name === builtin
      ? undefined
      : `names a built-in model that does not exist: use builtin/${builtin}`;
  }
  if (new Set(usable).has(provider)) return undefined;
  return `names the provider ${provider}, which is not configured: set ${variables.get(provider)}`;
}

/** Not in the pattern: counting there is what takes the time, and every turn asks. */
const longestName = 200;

/** A model's own name may hold more slashes: `openai/meta-llama/llama-4`. */
export function splitModelId(id: string): { provider: string; name: string } | undefined {
  const [, provider, name] = /^([a-z0-9-]+)\/([\w.:@/+-]+)$/.exec(id) ?? [];
  if (!provider || !name || name.length > longestName) return undefined;
  // Some providers take the name as a part of the address that is asked: it must not lead anywhere else.
  const leadsElsewhere = name.includes('..') || name.split('/').includes('.');
  return leadsElsewhere ? undefined : { provider, name };
}
