import type { Role } from '@svc/contract/roles';
import type { Option } from '../../kit/fields.tsx';

export const roleNames: Record<Role, string> = { viewer: 'Viewer', operator: 'Operator', owner: 'Owner' };

export const roleOptions: readonly Option<Role>[] = [
  {
    value: 'viewer',
    label: roleNames.viewer,
    description: 'Sees everything except keys, quality and audit log',
  },
  {
    value: 'operator',
    label: roleNames.operator,
    description: 'Also answers, runs and changes bots, tools and knowledge',
  },
  { value: 'owner', label: roleNames.owner, description: 'Also manages members, keys and the workspace' },
];
