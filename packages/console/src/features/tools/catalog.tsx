import type { CatalogEntry } from '@svc/contract/tools';
import { TextLink, useWorkspace } from '../../app/workspace.tsx';
import { needsNothing } from './tool-types.ts';

/** The types of tools, with starting points for well-known services. */
export function Catalog({ catalog }: { catalog: readonly CatalogEntry[] }) {
  const { can } = useWorkspace();
  const configured = catalog.filter((entry) => !needsNothing(entry));
  const ready = catalog.filter(needsNothing);
  return (
    <section aria-labelledby="catalog" className="px-4 py-6 md:px-6">
      <h2 id="catalog" className="font-semibold text-base">
        Types of tools
      </h2>
      <ul className="mt-2 grid gap-x-8 md:grid-cols-2 xl:grid-cols-3">
        {configured.map((entry) => (
          <li key={entry.tool_type} className="border-line border-b py-3">
            {can('operator') ? (
              <TextLink path="/tools/new" search={{ type: entry.tool_type }} className="font-medium">
                {entry.name}
              </TextLink>
            ) : (
              <span className="font-medium">{entry.name}</span>
            )}
            <p className="text-ink-2 text-sm">{entry.description}</p>
            {can('operator') && entry.presets.length > 0 && (
              <p className="mt-1 flex flex-wrap gap-x-3 text-sm">
                {entry.presets.map(({ id, name }) => (
                  <TextLink key={id} path="/tools/new" search={{ type: entry.tool_type, preset: id }}>
                    {name}
                  </TextLink>
                ))}
              </p>
            )}
          </li>
        ))}
      </ul>
      <h2 className="mt-6 font-semibold text-base">Ready without set-up</h2>
      <p className="text-ink-2 text-sm">Switch these on under Tools in a bot.</p>
      <ul className="mt-2 grid gap-x-8 md:grid-cols-2 xl:grid-cols-3">
        {ready.map((entry) => (
          <li key={entry.tool_type} className="border-line border-b py-3">
            <span className="font-medium">{entry.name}</span>
            <p className="text-ink-2 text-sm">{entry.description}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}
