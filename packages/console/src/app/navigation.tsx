import {
  Activity,
  BookOpen,
  Bot,
  ChartColumn,
  Code,
  Hand,
  House,
  Laptop,
  MessagesSquare,
  Phone,
  Play,
  Settings,
  Wrench,
} from 'lucide-react';
import type { ComponentType } from 'react';

export interface NavigationEntry {
  id: string;
  label: string;
  /** Below /w/{workspace}. */
  path: string;
  icon: ComponentType<{ className?: string; 'aria-hidden'?: boolean }>;
  /** The second key after `g`. */
  key?: string;
  /** What its badge counts. */
  waiting?: 'approvals' | 'handoffs';
}

/** The pages of a workspace, in groups. */
export const navigation: { title?: string; entries: NavigationEntry[] }[] = [
  {
    entries: [
      { id: 'overview', label: 'Overview', path: '', icon: House, key: 'o' },
      { id: 'approvals', label: 'Approvals', path: '/approvals', icon: Hand, key: 'a', waiting: 'approvals' },
      {
        id: 'conversations',
        label: 'Conversations',
        path: '/conversations',
        icon: MessagesSquare,
        key: 'c',
        waiting: 'handoffs',
      },
      { id: 'runs', label: 'Runs', path: '/runs', icon: Play, key: 'r' },
    ],
  },
  {
    title: 'Build',
    entries: [
      { id: 'bots', label: 'Bots', path: '/bots', icon: Bot, key: 'b' },
      { id: 'knowledge', label: 'Knowledge', path: '/knowledge', icon: BookOpen, key: 'k' },
      { id: 'tools', label: 'Tools', path: '/tools', icon: Wrench, key: 't' },
      { id: 'machines', label: 'Machines', path: '/machines', icon: Laptop },
    ],
  },
  {
    title: 'Reach',
    entries: [
      { id: 'widgets', label: 'Widgets', path: '/widgets', icon: Code },
      { id: 'voice', label: 'Voice', path: '/voice', icon: Phone },
    ],
  },
  {
    title: 'Look back',
    entries: [
      { id: 'quality', label: 'Quality', path: '/quality', icon: Activity },
      { id: 'usage', label: 'Usage', path: '/usage', icon: ChartColumn },
    ],
  },
  { entries: [{ id: 'settings', label: 'Settings', path: '/settings', icon: Settings }] },
];
