import type { KnowledgeOverview, KnowledgeSource } from '@svc/contract/console-knowledge';
import type { KnowledgeCreate } from '@svc/contract/knowledge';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { BookOpen, FileText, Globe, Info, type LucideIcon, Search, Type, Upload } from 'lucide-react';
import { type FormEvent, useEffect, useEffectEvent, useRef, useState } from 'react';
import { addSource, knowledgeOverviewQuery, rereadKnowledge, sourcesQuery } from '../../api/knowledge.ts';
import { BotSelect, useBotNames } from '../../app/bot-select.tsx';
import { useFieldErrors, useTexts } from '../../app/use-submit.ts';
import { PageLink, TextLink, useGo, useRead, useSearchState, useWorkspace } from '../../app/workspace.tsx';
import { count, plural } from '../../format/numbers.ts';
import { withScheme } from '../../format/with-scheme.ts';
import { Button } from '../../kit/buttons.tsx';
import { type Column, DataTable } from '../../kit/data-table.tsx';
import { FormDialog } from '../../kit/dialogs.tsx';
import { Select, TextAreaField, TextField } from '../../kit/fields.tsx';
import { NameText, TimeAgo } from '../../kit/labels.tsx';
import { Page } from '../../kit/page.tsx';
import { EmptyState, LoadError, RowsLoading, ShowMore } from '../../kit/placeholders.tsx';
import { notify } from '../../kit/toast.tsx';
import { acceptedFiles } from './refusal-of.ts';
import { SourceActions } from './source-actions.tsx';
import { SourceStateCell, typeName } from './source-state.tsx';
import { UploadList, useUploads } from './uploads.tsx';

/** The sources that bots answer from. */
export function KnowledgePage() {
  const { can } = useWorkspace();
  const [search] = useSearchState();
  const [botId, setBotId] = useState<string>();
  const { uploads, add, remove } = useUploads();
  const overview = useRead(knowledgeOverviewQuery);
  const isTrash = search['deleted'] === '1';
  const mayAdd = can('operator') && !isTrash;
  const addFiles = (files: File[]) => add(files, botId);
  return (
    <Page
      title={isTrash ? 'Deleted knowledge' : 'Knowledge'}
      beside={
        overview.data &&
        !isTrash && (
          <span className="text-ink-3 text-sm">
            {plural(overview.data.active, 'source')} · {plural(overview.data.passages, 'passage')}
          </span>
        )
      }
      actions={
        isTrash ? (
          <TextLink path="/knowledge">All sources</TextLink>
        ) : (
          <TrashLink deleted={overview.data?.deleted ?? 0} />
        )
      }
    >
      {mayAdd && (
        <>
          <DropArea onFiles={addFiles} />
          <AddBar botId={botId} onBot={setBotId} onFiles={addFiles} />
        </>
      )}
      <UploadList uploads={uploads} onRemove={remove} />
      {overview.data && !isTrash && <KeywordNotice overview={overview.data} />}
      <KnowledgeFilters />
      <KnowledgeTable />
    </Page>
  );
}

function TrashLink({ deleted }: { deleted: number }) {
  if (deleted === 0) return null;
  return (
    <TextLink path="/knowledge" search={{ deleted: 1 }} className="text-sm">
      Deleted ({count(deleted)})
    </TextLink>
  );
}

/** Takes files that are dropped anywhere on the page, and says so while they are above it. */
function DropArea({ onFiles }: { onFiles: (files: File[]) => void }) {
  const [isOver, setOver] = useState(false);
  const take = useEffectEvent((event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length > 0) onFiles(files);
  });
  useEffect(() => {
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    // `relatedTarget` is empty only when the pointer leaves the window.
    const leave = (event: DragEvent) => event.relatedTarget === null && setOver(false);
    const drop = (event: DragEvent) => hasFiles(event) && take(event);
    window.addEventListener('dragover', over);
    window.addEventListener('dragleave', leave);
    window.addEventListener('drop', drop);
    return () => {
      window.removeEventListener('dragover', over);
      window.removeEventListener('dragleave', leave);
      window.removeEventListener('drop', drop);
    };
  }, []);
  if (!isOver) return null;
  return (
    <div className="pointer-events-none fixed inset-2 z-40 flex items-center justify-center rounded-lg border-2 border-accent border-dashed bg-selected/90">
      <p className="flex items-center gap-2 font-semibold text-accent-ink text-xl">
        <Upload aria-hidden className="size-6" />
        Drop the files to add them
      </p>
    </div>
  );
}

/** Says that nothing is compared by meaning, and what would change that. */
function KeywordNotice({ overview }: { overview: KnowledgeOverview }) {
  const { embedding_model: model, passages, unfinished } = overview;
  if (model !== null || passages === 0 || unfinished > 0) return null;
  return (
    <p className="flex items-start gap-2 border-line border-b bg-info-tint px-4 py-2 text-info-ink text-sm md:px-6">
      <Info aria-hidden className="mt-0.5 size-4 shrink-0" />
      <span>
        Bots find passages by words only: a question in other words than the text may find nothing. Set{' '}
        <code>SVC_EMBEDDING_MODEL</code> to compare meanings too.
      </span>
    </p>
  );
}

interface AddBarProps {
  botId: string | undefined;
  onBot: (botId: string | undefined) => void;
  onFiles: (files: File[]) => void;
}

/** All ways to add knowledge. */
function AddBar({ botId, onBot, onFiles }: AddBarProps) {
  const chooser = useRef<HTMLInputElement>(null);
  const [adding, setAdding] = useState<'url' | 'text'>();
  return (
    <div className="flex flex-wrap items-center gap-2 border-line border-b bg-surface px-4 py-3 md:px-6">
      <Upload aria-hidden className="size-4 text-ink-3 max-md:hidden" />
      <p className="mr-1 text-ink-2 max-md:hidden">Drop files anywhere on this page, or</p>
      <Button look="primary" onPress={() => chooser.current?.click()}>
        Choose files
      </Button>
      <Button icon={<Globe aria-hidden />} onPress={() => setAdding('url')}>
        Web page
      </Button>
      <Button icon={<FileText aria-hidden />} onPress={() => setAdding('text')}>
        Text
      </Button>
      <BotSelect label="New sources are for" isInline value={botId} onChange={onBot} />
      <input
        ref={chooser}
        type="file"
        multiple
        hidden
        accept={acceptedFiles}
        aria-label="Files"
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          event.target.value = '';
        }}
      />
      {adding && <AddSourceDialog type={adding} initialBotId={botId} onClose={() => setAdding(undefined)} />}
    </div>
  );
}

const states = [
  { value: 'any', label: 'Any state' },
  { value: 'completed', label: 'Ready' },
  { value: 'unfinished', label: 'In progress' },
  { value: 'failed', label: 'Failed' },
];
const types = [
  { value: 'any', label: 'Any type' },
  { value: 'uploaded_file', label: 'Files' },
  { value: 'url', label: 'Web pages' },
  { value: 'text', label: 'Texts' },
];

/** What the list is narrowed to, and the way to what bots would find. */
function KnowledgeFilters() {
  const [search, setSearch] = useSearchState();
  const go = useGo();
  const [question, setQuestion] = useState('');
  const choose = (name: string) => (value: string) =>
    setSearch({ [name]: value === 'any' ? undefined : value });
  function ask(event: FormEvent): void {
    event.preventDefault();
    if (question.trim()) go('/knowledge/search', { q: question.trim(), bot: search['bot'] });
  }
  return (
    <div className="flex flex-wrap items-end gap-x-3 gap-y-2 border-line border-b px-4 py-2 md:px-6">
      <TextField
        label="Find by name"
        hideLabel
        type="search"
        placeholder="Find by name"
        value={search['q'] ?? ''}
        onChange={(q) => setSearch({ q: q || undefined })}
        className="w-44 max-md:w-full"
      />
      <BotSelect
        label="Bot"
        hideLabel
        noneLabel="Any bot"
        value={search['bot']}
        onChange={(bot) => setSearch({ bot })}
        className="w-36 max-md:min-w-32 max-md:flex-1"
      />
      <Select
        label="State"
        hideLabel
        options={states}
        value={search['status'] ?? 'any'}
        onChange={choose('status')}
        className="w-32 max-md:min-w-32 max-md:flex-1"
      />
      <Select
        label="Type"
        hideLabel
        options={types}
        value={search['type'] ?? 'any'}
        onChange={choose('type')}
        className="w-32 max-md:min-w-32 max-md:flex-1"
      />
      <form onSubmit={ask} className="flex items-center gap-2 max-md:w-full lg:ml-auto">
        <TextField
          label="Search what bots would find"
          hideLabel
          type="search"
          placeholder="Search what bots would find"
          value={question}
          onChange={setQuestion}
          className="w-64 max-md:flex-1"
        />
        <Button type="submit" icon={<Search aria-hidden />}>
          Search
        </Button>
      </form>
    </div>
  );
}

interface AddSourceDialogProps {
  type: 'url' | 'text';
  initialBotId: string | undefined;
  onClose: () => void;
}

function AddSourceDialog({ type, initialBotId, onClose }: AddSourceDialogProps) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const { values, field } = useTexts({ title: '', url: '', content: '' });
  const [botId, setBotId] = useState(initialBotId);
  const adding = useMutation({
    mutationFn: (body: KnowledgeCreate) => addSource(api, body),
    onSuccess: async ({ title }) => {
      await rereadKnowledge(client, api);
      notify({ text: `Reading ${title}.` });
      onClose();
    },
  });
  const { at, error } = useFieldErrors(adding.error, values);
  const { title, url, content } = values;
  const body: KnowledgeCreate = {
    content_type: type,
    ...(title.trim() && { title: title.trim() }),
    ...(type === 'url' ? { url: withScheme(url) } : { content }),
    ...(botId && { bot_id: botId }),
  };
  return (
    <FormDialog
      title={type === 'url' ? 'Add a web page' : 'Add text'}
      action="Add"
      isBusy={adding.isPending}
      error={error}
      onSubmit={() => adding.mutate(body)}
      onClose={onClose}
    >
      {type === 'url' ? (
        <TextField
          label="Address"
          inputMode="url"
          placeholder="https://shop.example.com/returns"
          description="This page only, not the pages that it links to."
          autoFocus
          isRequired
          {...field('url', at)}
        />
      ) : (
        <>
          <TextField label="Title" placeholder="Opening hours" autoFocus isRequired {...field('title', at)} />
          <TextAreaField
            label="Text"
            placeholder="We are open Monday to Friday, 9 to 17."
            description={
              content.length > 40_000
                ? `${content.length} of 50,000 characters.`
                : 'Headings that begin with # help bots to find the right part.'
            }
            minRows={8}
            isRequired
            {...field('content', at)}
          />
        </>
      )}
      <BotSelect label="For" value={botId} onChange={setBotId} />
    </FormDialog>
  );
}

const icons: Record<KnowledgeSource['content_type'], LucideIcon> = {
  text: Type,
  uploaded_file: FileText,
  url: Globe,
};

function KnowledgeTable() {
  const { api, can } = useWorkspace();
  const [search, setSearch] = useSearchState();
  const { q, bot, status, type } = search;
  const isTrash = search['deleted'] === '1';
  const list = useInfiniteQuery(
    sourcesQuery(api, { q, bot_id: bot, status, type, ...(isTrash && { deleted: true }) }),
  );
  const nameOf = useBotNames();
  if (list.isPending) return <RowsLoading />;
  if (list.isError) return <LoadError query={list} />;
  const rows = list.data.pages.flatMap(({ items }) => items);
  if (rows.length === 0 && (q || bot || status || type)) {
    return (
      <EmptyState
        title="No source matches"
        action={
          <Button
            onPress={() => setSearch({ q: undefined, bot: undefined, status: undefined, type: undefined })}
          >
            Clear the filters
          </Button>
        }
      />
    );
  }
  if (rows.length === 0) return isTrash ? <EmptyTrash /> : <NoKnowledge mayAdd={can('operator')} />;
  return (
    <>
      <DataTable label="Sources" columns={columnsFor(nameOf, isTrash)} rows={rows} keyOf={({ id }) => id} />
      <ShowMore list={list} />
    </>
  );
}

function columnsFor(nameOf: (botId: string) => string, isTrash: boolean): Column<KnowledgeSource>[] {
  return [
    {
      title: 'Title',
      className: 'max-w-0 w-full md:w-1/3',
      cell: (source) => {
        const Icon = icons[source.content_type];
        return (
          <>
            <PageLink
              path={`/knowledge/${source.id}`}
              title={source.title}
              className="flex items-center gap-2 font-medium max-md:pt-1"
            >
              <Icon aria-label={typeName(source.content_type)} className="size-4 shrink-0 text-ink-3" />
              <span dir="auto" className="truncate">
                <NameText text={source.title} />
              </span>
            </PageLink>
            {!isTrash && (
              <div className="pl-6 md:hidden">
                <SourceStateCell source={source} />
              </div>
            )}
          </>
        );
      },
    },
    {
      title: 'For',
      isSecondary: true,
      cell: ({ bot_id }) => (
        <span className="text-ink-2">{bot_id === null ? 'Every bot' : nameOf(bot_id)}</span>
      ),
    },
    {
      title: 'Passages',
      isNumber: true,
      isSecondary: true,
      cell: ({ passage_count: passages }) => (passages > 0 ? count(passages) : '–'),
    },
    {
      title: isTrash ? 'Deleted' : 'State',
      isSecondary: !isTrash,
      className: 'md:min-w-64',
      cell: (source) => (isTrash ? <TimeAgo at={source.updated_at} /> : <SourceStateCell source={source} />),
    },
    {
      title: 'Added',
      isSecondary: true,
      cell: ({ created_at }) => <TimeAgo at={created_at} className="whitespace-nowrap text-ink-2" />,
    },
    {
      title: 'Actions',
      className: 'w-px',
      cell: (source) => <SourceActions source={source} />,
    },
  ];
}

function EmptyTrash() {
  return (
    <EmptyState title="Nothing is deleted">
      What you delete stays here until you remove it for good.
    </EmptyState>
  );
}

function NoKnowledge({ mayAdd }: { mayAdd: boolean }) {
  return (
    <EmptyState icon={<BookOpen aria-hidden />} title="Bots have nothing to read yet">
      {mayAdd
        ? 'Drop a file here, such as your returns policy or a handbook: bots answer from it and name the passage.'
        : 'Operators add files, web pages and texts here; bots answer from them and name the passage.'}
    </EmptyState>
  );
}
