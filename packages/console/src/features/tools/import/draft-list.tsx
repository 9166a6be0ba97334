import type { DiscoveredTools } from '@svc/contract/discover';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { catalogQuery, createTool, rereadTools } from '../../../api/tools.ts';
import { useWorkspace } from '../../../app/workspace.tsx';
import { Button } from '../../../kit/buttons.tsx';
import type { FieldSchema } from '../../../kit/schema-fields.ts';
import { SecretField } from '../../../kit/secret-field.tsx';
import { DraftRow, type ImportState } from './draft-row.tsx';

/** The drafted tools, each with a box, and the secrets that they share. */
export function DraftList({ drafted }: { drafted: DiscoveredTools }) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const catalog = useQuery(catalogQuery(api));
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [states, setStates] = useState<Readonly<Record<string, ImportState>>>({});
  const [asking, setAsking] = useState<Readonly<Record<string, boolean>>>({});
  const [secrets, setSecrets] = useState<Readonly<Record<string, string>>>({});
  const [isBusy, setBusy] = useState(false);
  const [isMissing, setMissing] = useState(false);
  const { tools } = drafted;
  // The secrets that tools need are asked for below.
  const notes = drafted.notes.filter((note) => !/^Fill in \w+ before/.test(note));
  const chosen = tools.filter(({ name }) => !left.has(name) && states[name]?.id === undefined);
  const schema: FieldSchema | undefined = catalog.data?.find(
    (one) => one.tool_type === 'http_request',
  )?.configuration_schema;
  const needed = [...new Set(chosen.flatMap(({ configuration }) => missingSecrets(configuration)))];

  async function add(): Promise<void> {
    setMissing(needed.some((name) => !secrets[name]));
    if (needed.some((name) => !secrets[name])) return;
    setBusy(true);
    for (const tool of chosen) {
      const own = missingSecrets(tool.configuration).map((name) => [name, secrets[name]]);
      const approval =
        (asking[tool.name] ?? tool.configuration['approval'] === 'always') ? 'always' : 'never';
      const configuration = { ...tool.configuration, ...Object.fromEntries(own), approval };
      try {
        const { id } = await createTool(api, { ...tool, configuration });
        setStates((before) => ({ ...before, [tool.name]: { id } }));
      } catch (error) {
        setStates((before) => ({ ...before, [tool.name]: { error } }));
      }
    }
    setBusy(false);
    await rereadTools(client, api);
  }

  return (
    <section aria-label="Operations" className="flex flex-col gap-4">
      {notes.length > 0 && (
        <ul className="list-disc rounded-md bg-info-tint py-2 pr-3 pl-8 text-info-ink text-sm">
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
      {needed.map((name) => (
        <SecretField
          key={name}
          label={schema?.properties?.[name]?.title ?? name}
          description="Stored with each of the tools below, and never shown again."
          value={secrets[name] ?? ''}
          error={isMissing && !secrets[name] ? 'is required by the tools below' : undefined}
          onChange={(value) => setSecrets({ ...secrets, [name]: value ?? '' })}
        />
      ))}
      <ul className="flex flex-col">
        {tools.map((tool) => (
          <DraftRow
            key={tool.name}
            tool={tool}
            isChosen={!left.has(tool.name)}
            onChosen={(isChosen) => {
              const next = new Set(left);
              if (isChosen) next.delete(tool.name);
              else next.add(tool.name);
              setLeft(next);
            }}
            asksFirst={asking[tool.name] ?? tool.configuration['approval'] === 'always'}
            onAsksFirst={(asks) => setAsking({ ...asking, [tool.name]: asks })}
            state={states[tool.name]}
          />
        ))}
      </ul>
      {chosen.length > 0 && (
        <Button look="primary" className="self-start" isBusy={isBusy} onPress={() => void add()}>
          Add {chosen.length} {chosen.length === 1 ? 'tool' : 'tools'}
        </Button>
      )}
    </section>
  );
}

const secretsFor: Record<string, readonly string[]> = {
  bearer: ['bearer_token'],
  basic: ['basic_password'],
  header: ['header_value'],
  oauth2_client_credentials: ['oauth_client_secret'],
};

/** The secrets that a drafted HTTP tool still needs: documents never contain them. */
function missingSecrets(configuration: Record<string, unknown>): readonly string[] {
  const { auth_type: type } = configuration;
  return (typeof type === 'string' && secretsFor[type]) || [];
}
