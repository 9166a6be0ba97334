import type { Provider, ProviderConfigs } from './providers/provider.ts';
import { findProvider, isUsable, providers } from './providers/providers.ts';

/** What is wrong with the id of a model, as the rest of a sentence after the field name; undefined when it can be used. */
export function modelFault(id: string, kind: 'chat' | 'embeddings', configs: ProviderConfigs) {
  const parts = splitModelId(id);
  if (!parts) return 'must look like provider/model, as in openai/gpt-5-mini, without .. in it';
  const provider = findProvider(parts.provider);
  const models = provider?.[kind];
  if (!provider || !models) {
    const names = providers.filter((one) => one[kind]).map(({ name }) => name);
    return `names the provider ${parts.provider}, which is not known here: use one of ${names.join(', ')}`;
  }
  if (!provider.access) {
    return parts.name === models.defaultModel
      ? undefined
      : `names a built-in model that does not exist: use ${provider.name}/${models.defaultModel}`;
  }
  if (isUsable(provider, configs)) return undefined;
  return `names the provider ${provider.name}, which is not configured: set ${variablesOf(provider.access)}`;
}

function variablesOf({ keyVariable, urlVariable, isKeyRequired }: NonNullable<Provider['access']>): string {
  return isKeyRequired ? keyVariable : `${keyVariable} or ${urlVariable}`;
}

/** Checked apart from the pattern, which would count slowly: every turn splits an id. */
const maxNameLength = 200;

/** A model's own name may contain more slashes: `openai/meta-llama/llama-4`. */
export function splitModelId(id: string): { provider: string; name: string } | undefined {
  const [, provider, name] = /^([a-z0-9-]+)\/([\w.:@/+-]+)$/.exec(id) ?? [];
  if (!provider || !name || name.length > maxNameLength) return undefined;
  // Some providers put the name into the address of a request: it must not lead anywhere else.
  const leadsElsewhere = name.includes('..') || name.split('/').includes('.');
  return leadsElsewhere ? undefined : { provider, name };
}
