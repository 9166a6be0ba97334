import type { ConsoleUser } from '@svc/contract/console-session';
import { hasRole, type Role } from '@svc/contract/roles';
import { type QueryKey, type UseQueryOptions, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { type ComponentProps, createContext, type ReactNode, useContext, useMemo } from 'react';
import { type Api, createApi } from '../api/client.ts';
import { stringifySearch } from '../format/search-params.ts';
import { classes } from '../kit/classes.ts';

interface WorkspaceContext {
  id: string;
  name: string;
  role: Role;
  user: ConsoleUser;
  api: Api;
  /** Whether the member may do what needs this role. Controls that they may not use are left out. */
  can(role: Role): boolean;
}

const Context = createContext<WorkspaceContext | undefined>(undefined);

interface WorkspaceProviderProps {
  workspace: { id: string; name: string; role: Role };
  user: ConsoleUser;
  children: ReactNode;
}

export function WorkspaceProvider({ workspace, user, children }: WorkspaceProviderProps) {
  const { id, name, role } = workspace;
  const value = useMemo(
    () => ({ id, name, role, user, api: createApi(id), can: (needed: Role) => hasRole(role, needed) }),
    [id, name, role, user],
  );
  return <Context value={value}>{children}</Context>;
}

/** The workspace that the page is about. */
export function useWorkspace(): WorkspaceContext {
  const workspace = useContext(Context);
  if (!workspace) throw new Error('This component is outside of a workspace.');
  return workspace;
}

/** Reads something of the workspace: `useRead(botQuery, botId)`. */
export function useRead<Given extends unknown[], Data, Key extends QueryKey>(
  query: (api: Api, ...given: Given) => UseQueryOptions<Data, Error, Data, Key>,
  ...given: Given
) {
  return useQuery(query(useWorkspace().api, ...given));
}

export type Search = Record<string, string | number | boolean | undefined>;

/** The address of a page of the workspace: `/bots/{id}`. */
export function useHref(): (path: string, search?: Search) => string {
  const { id } = useWorkspace();
  return (path, search = {}) => `/w/${id}${path}${stringifySearch(search)}`;
}

interface GoOptions {
  replace?: boolean;
  /** Does not ask about unsaved changes: they were just saved, or what they belong to is gone. */
  ignoreBlocker?: boolean;
}

/** Opens a page of the workspace. */
export function useGo(): (path: string, search?: Search, options?: GoOptions) => void {
  const navigate = useNavigate();
  const href = useHref();
  return (path, search, options = {}) => void navigate({ href: href(path, search), ...options });
}

interface PageLinkProps
  extends Pick<ComponentProps<'a'>, 'className' | 'title' | 'aria-current' | 'aria-label'> {
  /** Of a page of the workspace: `/bots/{id}`. */
  path: string;
  search?: Search;
  children: ReactNode;
}

/** A link to a page of the workspace. The page is loaded when the pointer comes near. */
export function PageLink({ path, search = {}, children, ...props }: PageLinkProps) {
  const { id } = useWorkspace();
  return (
    <Link to={`/w/${id}${path}`} search={search} {...props}>
      {children}
    </Link>
  );
}

/** A link that looks like one in running text. */
export function TextLink({ className, ...props }: PageLinkProps) {
  return <PageLink {...props} className={classes('text-accent-ink underline', className)} />;
}

/** A PageLink for tables with thousands of links: it neither preloads the page nor follows the address. */
export function LightPageLink({ path, search = {}, children, ...props }: PageLinkProps) {
  const href = useHref();
  const go = useGo();
  return (
    <a
      {...props}
      href={href(path, search)}
      onClick={(event) => {
        const { button, metaKey, ctrlKey, shiftKey, altKey } = event;
        // Those open a tab or a window, or download.
        if (button !== 0 || metaKey || ctrlKey || shiftKey || altKey) return;
        event.preventDefault();
        go(path, search);
      }}
    >
      {children}
    </a>
  );
}

/** A part of the address, such as the id of a bot. */
export function useParam(name: string): string {
  const params: Record<string, string | undefined> = useParams({ strict: false });
  const value = params[name];
  if (value === undefined) throw new Error(`The address of this page has no ${name}.`);
  return value;
}

/** The search parameters of the page, and a way to change some of them. The address is the state of the page. */
export function useSearchState(): [
  Record<string, string | undefined>,
  (change: Search, options?: { push?: boolean }) => void,
] {
  const search: Record<string, string | undefined> = useSearch({ strict: false });
  const navigate = useNavigate();
  return [
    search,
    (change, { push = false } = {}) =>
      void navigate({
        to: '.',
        search: (before: Search) => ({ ...before, ...change }),
        replace: !push,
        // It is still the same page, which scrolls by itself.
        resetScroll: false,
      }),
  ];
}
