import type { SystemReport } from '@svc/contract/console-system';
import { CopyButton } from '../../../kit/copy-button.tsx';
import { StateBadge } from '../../../kit/state-badge.tsx';
import { Section } from './section.tsx';

const uses = { chat: 'answers', embeddings: 'search by meaning', speech: 'speech' };

/** Which providers can be used, and which variable would make the others usable. Keys are never shown. */
export function Providers({ system }: { system: SystemReport }) {
  return (
    <Section
      title="Model providers"
      beside={<span className="text-ink-3 text-sm">bots without a model use {system.default_model}</span>}
    >
      <ul className="flex flex-col">
        {system.providers.map((provider) => (
          <li
            key={provider.name}
            className="flex min-h-9 flex-wrap items-center gap-x-4 border-line border-b px-4 py-1 text-sm md:px-6"
          >
            <span className="w-28 font-medium">{provider.name}</span>
            <span className="w-28">
              {provider.is_ready ? (
                <StateBadge state="success" text={provider.has_key ? 'Key set' : 'Ready'} />
              ) : (
                <span className="text-ink-3">No key</span>
              )}
            </span>
            <span className="text-ink-2">{provider.uses.map((use) => uses[use]).join(', ')}</span>
            {!provider.is_ready && provider.key_variable && (
              <span className="flex items-center gap-1 text-ink-3 md:ml-auto">
                set <code className="font-mono">{provider.key_variable}</code>
                <CopyButton text={provider.key_variable} label={`Copy ${provider.key_variable}`} />
              </span>
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}
