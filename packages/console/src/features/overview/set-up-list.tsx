import type { Overview } from '@svc/contract/console-conversations';
import { Circle, CircleCheck } from 'lucide-react';
import { PageLink, useWorkspace } from '../../app/workspace.tsx';
import { Section } from './section.tsx';

interface Step {
  name: keyof Overview['setup'];
  done: string;
  open: string;
  path: string;
  /** Owners only. */
  isForOwners?: boolean;
}

const steps: Step[] = [
  { name: 'bot', done: 'A bot', open: 'Make a bot', path: '/bots/new' },
  { name: 'knowledge', done: 'Knowledge', open: 'Add what it should know', path: '/knowledge' },
  { name: 'model', done: 'A model', open: 'Connect a model', path: '/settings/system' },
  { name: 'widget', done: 'On your site', open: 'Put it on your site', path: '/widgets' },
  {
    name: 'member',
    done: 'Your team',
    open: 'Invite somebody',
    path: '/settings/members',
    isForOwners: true,
  },
];

/** What a new workspace still needs. Gone when everything is done. */
export function SetUpList({ setup }: Pick<Overview, 'setup'>) {
  const { can } = useWorkspace();
  const shown = steps.filter(({ isForOwners }) => !isForOwners || can('owner'));
  if (!can('operator') || shown.every(({ name }) => setup[name])) return null;
  return (
    <Section title="Set up" note={`${shown.filter(({ name }) => setup[name]).length} of ${shown.length}`}>
      <ul className="flex flex-wrap gap-x-6 gap-y-2 px-4 pb-4 md:px-6">
        {shown.map(({ name, done, open, path }) =>
          setup[name] ? (
            <li key={name} className="flex items-center gap-1.5 text-ink-3">
              <CircleCheck aria-hidden className="size-4 text-success" />
              {done}
              <span className="sr-only">: done</span>
            </li>
          ) : (
            <li key={name}>
              <PageLink
                path={path}
                className="flex items-center gap-1.5 font-medium text-accent-ink hover:underline"
              >
                <Circle aria-hidden className="size-4" />
                {open}
              </PageLink>
            </li>
          ),
        )}
      </ul>
    </Section>
  );
}
