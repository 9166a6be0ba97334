import type { DiscoveredTools } from '@svc/contract/discover';
import { useState } from 'react';
import { type ImportSource, readOpenApi } from '../../../api/tools.ts';
import { OnlyFor } from '../../../app/only-for.tsx';
import { TextLink, useWorkspace } from '../../../app/workspace.tsx';
import { Page } from '../../../kit/page.tsx';
import { ChooseOperations } from './choose-operations.tsx';
import { DraftList } from './draft-list.tsx';
import { SourceForm } from './source-form.tsx';

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
