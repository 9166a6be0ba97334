import { ApiError } from '@svc/client/api-error';
import type { DiscoveredTools, DraftedTool } from '@svc/contract/discover';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { catalogQuery, createTool, type ImportSource, readOpenApi, rereadTools } from '../../../api/tools.ts';
import { OnlyFor } from '../../../app/only-for.tsx';
import { TextLink, useRead, useWorkspace } from '../../../app/workspace.tsx';
import { bytes } from '../../../format/numbers.ts';
import { Button } from '../../../kit/buttons.tsx';
import { Checkbox, Switch, TextAreaField, TextField } from '../../../kit/fields.tsx';
import { StateBadge } from '../../../kit/labels.tsx';
import { Page } from '../../../kit/page.tsx';
import { InlineError } from '../../../kit/placeholders.tsx';
import { fieldErrors } from '../../../kit/schema-faults.ts';
import type { FieldSchema } from '../../../kit/schema-fields.ts';
import { SecretField } from '../../../kit/secret-field.tsx';

/** Makes tools of the operations of an OpenAPI document. */
export function ImportPage() {
  const { api } = useWorkspace();
  const [source, setSource] = useState<ImportSource>();
  const [read, setRead] = useState<DiscoveredTools>();

  /** A long document is listed first; the operations that are chosen are drafted with a second request. */
  async function open(wanted: ImportSource): Promise<void> {
    setRead(await readOpenApi(api, wanted));
    setSource(wanted);
  }
  async function draft(operations: string[]): Promise<void> {
    setRead(await readOpenApi(api, { ...source, operations }));
  }

  return (
    <Page
      title="Import OpenAPI"
      actions={
        <TextLink path="/tools" className="text-sm">
          All tools
        </TextLink>
      }
    >
      <OnlyFor role="operator" does="add tools">
        <div className="flex max-w-4xl flex-col gap-6 px-4 py-5 md:px-6">
          <SourceForm onRead={open} isDone={read !== undefined} onAgain={() => setRead(undefined)} />
          {read?.operations && <ChooseOperations operations={read.operations} onChosen={draft} />}
          {read && !read.operations && <DraftList drafted={read} />}
        </div>
      </OnlyFor>
    </Page>
  );
}

const maxDocumentBytes = 32 * 1024 * 1024;
/** A field with more text would make the page stand still. */
const maxFieldCharacters = 200_000;

interface SourceFormProps {
  onRead: (source: ImportSource) => Promise<void>;
  isDone: boolean;
  onAgain: () => void;
}

/** Where the document is: an address, a file, or the text itself. */
function SourceForm({ onRead, isDone, onAgain }: SourceFormProps) {
  const [url, setUrl] = useState('');
  const [text, setText] = useState('');
  const file = useRef<HTMLInputElement>(null);
  const reading = useMutation({
    mutationFn: async (source: ImportSource | File) =>
      onRead(source instanceof File ? { documentation: await textOf(source) } : source),
  });
  const errors = fieldErrors(reading.error);
  if (isDone) {
    return (
      <Button className="self-start" onPress={onAgain}>
        Choose another document
      </Button>
    );
  }
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        reading.mutate(text.trim() ? { documentation: text } : { url: url.trim() });
      }}
    >
      <p className="text-ink-2">
        Each operation that you choose becomes a tool. Those that do more than read ask a person first.
      </p>
      <TextField
        label="Address of the document"
        inputMode="url"
        placeholder="https://api.example.com/openapi.json"
        value={url}
        onChange={setUrl}
        error={errors.get('url')}
        isDisabled={text.trim() !== ''}
      />
      <TextAreaField
        label="Or paste it"
        placeholder="openapi: 3.1.0"
        description="OpenAPI 3 or Swagger 2.0, in JSON or YAML."
        isCode
        spellCheck="false"
        minRows={6}
        maxRows={14}
        value={text}
        onChange={setText}
        onPaste={(event) => {
          const pasted = event.clipboardData.getData('text');
          if (pasted.length <= maxFieldCharacters || reading.isPending) return;
          event.preventDefault();
          reading.mutate({ documentation: pasted });
        }}
        error={errors.get('documentation')}
      />
      {reading.error && <InlineError error={reading.error} />}
      <div className="flex flex-wrap gap-2">
        <Button
          type="submit"
          look="primary"
          isBusy={reading.isPending}
          isDisabled={url.trim() === '' && text.trim() === ''}
        >
          Read the document
        </Button>
        <Button isDisabled={reading.isPending} onPress={() => file.current?.click()}>
          Choose a file
        </Button>
        <input
          ref={file}
          type="file"
          hidden
          accept=".json,.yaml,.yml"
          aria-label="OpenAPI document"
          onChange={(event) => {
            const chosen = event.target.files?.[0];
            event.target.value = '';
            if (chosen) reading.mutate(chosen);
          }}
        />
      </div>
    </form>
  );
}

/** Throws if the service would not take it: sending it takes a while. */
async function textOf(file: File): Promise<string> {
  if (file.size <= maxDocumentBytes) return file.text();
  const message = `The file has ${bytes(file.size)}; at most ${bytes(maxDocumentBytes)} can be read.`;
  throw new ApiError({ status: 400, code: 'VALIDATION_FAILED', message });
}

/** As many as the service drafts at once. */
const maxChosen = 20;
/** More checkboxes would make every key that is typed above them slow. */
const maxShown = 100;

interface ChooseOperationsProps {
  operations: NonNullable<DiscoveredTools['operations']>;
  onChosen: (operations: string[]) => Promise<void>;
}

/** The operations of a long document, to choose from. */
function ChooseOperations({ operations, onChosen }: ChooseOperationsProps) {
  const [filter, setFilter] = useState('');
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const drafting = useMutation({ mutationFn: () => onChosen([...chosen]) });
  const wanted = filter.trim().toLowerCase();
  const matching = operations.filter(({ method, path, summary }) =>
    `${method} ${path} ${summary}`.toLowerCase().includes(wanted),
  );
  return (
    <section aria-label="Operations" className="flex flex-col gap-3">
      <div className="flex flex-wrap items-end gap-3">
        <TextField
          label={`Find among ${operations.length} operations`}
          type="search"
          value={filter}
          onChange={setFilter}
          className="min-w-48 flex-1"
        />
        <Button
          look="primary"
          isDisabled={chosen.length === 0 || chosen.length > maxChosen}
          isBusy={drafting.isPending}
          onPress={() => drafting.mutate()}
        >
          Continue with {chosen.length}
        </Button>
      </div>
      {chosen.length > maxChosen && (
        <p role="alert" className="text-danger-ink text-sm">
          Choose at most {maxChosen} at once; you can import more afterwards.
        </p>
      )}
      {drafting.error && <InlineError error={drafting.error} />}
      <ul className="flex flex-col">
        {matching.slice(0, maxShown).map(({ method, path, summary }) => {
          const name = `${method} ${path}`;
          return (
            <li key={name} className="border-line border-b py-1.5">
              <Checkbox
                isSelected={chosen.includes(name)}
                onChange={(isChosen) =>
                  setChosen(isChosen ? [...chosen, name] : chosen.filter((one) => one !== name))
                }
              >
                <code className="break-all text-sm">{name}</code>
                <span className="block text-ink-3 text-sm">{summary}</span>
              </Checkbox>
            </li>
          );
        })}
      </ul>
      {matching.length > maxShown && (
        <p className="text-ink-3 text-sm">{matching.length - maxShown} more: narrow them down above.</p>
      )}
    </section>
  );
}

/** The drafted tools, each with a box, and the secrets that they share. */
function DraftList({ drafted }: { drafted: DiscoveredTools }) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const catalog = useRead(catalogQuery);
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

/** What became of it, once it was added. */
interface ImportState {
  id?: string;
  error?: unknown;
}

interface DraftRowProps {
  tool: DraftedTool;
  isChosen: boolean;
  onChosen: (isChosen: boolean) => void;
  asksFirst: boolean;
  onAsksFirst: (asks: boolean) => void;
  state: ImportState | undefined;
}

function DraftRow({ tool, isChosen, onChosen, asksFirst, onAsksFirst, state }: DraftRowProps) {
  const { name, description, configuration } = tool;
  const id = state?.id;
  return (
    <li className="flex flex-col gap-2 border-line border-b py-3">
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-2">
        <Checkbox isSelected={isChosen || id !== undefined} isDisabled={id !== undefined} onChange={onChosen}>
          <span className="font-medium">{name}</span>
          <code className="block break-all text-ink-2 text-sm">
            {String(configuration['method'])} {String(configuration['url'])}
          </code>
          <span className="line-clamp-2 text-ink-3 text-sm">{description}</span>
        </Checkbox>
        {id === undefined ? (
          <Switch label="Ask first" isOn={asksFirst} onChange={onAsksFirst} />
        ) : (
          <span className="flex items-center gap-3">
            <StateBadge state="success" text="Added" />
            <TextLink path={`/tools/${id}`} search={{ test: 1 }}>
              Try it
            </TextLink>
          </span>
        )}
      </div>
      {state?.error !== undefined && <InlineError error={state.error} />}
    </li>
  );
}
