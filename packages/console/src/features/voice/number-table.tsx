import type { VoiceNumber } from '@svc/contract/voice-numbers';
import { EllipsisVertical } from 'lucide-react';
import { PageLink, useWorkspace } from '../../app/workspace.tsx';
import { IconButton } from '../../kit/buttons.tsx';
import { type Column, DataTable } from '../../kit/data-table.tsx';
import { Menu } from '../../kit/menu.tsx';
import { StateBadge } from '../../kit/state-badge.tsx';
import { NameText } from '../../kit/visible-text.tsx';

interface NumberTableProps {
  numbers: readonly VoiceNumber[];
  onEdit: (number: VoiceNumber) => void;
  onDelete: (number: VoiceNumber) => void;
  /** Makes it the one that its bot calls from. */
  onChoose: (number: VoiceNumber) => void;
}

export function NumberTable({ numbers, onEdit, onDelete, onChoose }: NumberTableProps) {
  const { can } = useWorkspace();
  const columns: Column<VoiceNumber>[] = [
    {
      title: 'Number',
      className: 'whitespace-nowrap',
      cell: (number) => (
        <span className="flex flex-col py-1">
          <span className="font-medium tabular-nums">{number.phone_number}</span>
          <span className="md:hidden">
            <Outbound number={number} />
          </span>
        </span>
      ),
    },
    {
      title: 'Answered by',
      className: 'max-w-0 w-1/4',
      cell: ({ bot_id: id, bot_name: name }) => (
        <PageLink path={`/bots/${id}/voice`} className="block truncate hover:underline" title={name}>
          <NameText text={name} />
        </PageLink>
      ),
    },
    {
      title: 'Greeting',
      isSecondary: true,
      className: 'max-w-0 w-1/4',
      cell: ({ greeting }) => <Own text={greeting} />,
    },
    {
      title: 'Voice',
      isSecondary: true,
      className: 'max-w-0 w-1/6',
      cell: ({ tts_voice: voice }) => <Own text={voice} />,
    },
    {
      title: 'Placing calls',
      isSecondary: true,
      cell: (number) => <Outbound number={number} />,
    },
    {
      title: 'Actions',
      isTitleHidden: true,
      isNumber: true,
      cell: (number) =>
        can('operator') && (
          <Menu
            label={`Actions for ${number.phone_number}`}
            entries={[
              { label: 'Change…', onAction: () => onEdit(number) },
              !number.is_outbound_primary && {
                label: `Call from this number`,
                description: `${number.bot_name} shows it to those it calls`,
                onAction: () => onChoose(number),
              },
              {
                label: 'Delete…',
                isDangerous: true,
                isFirstOfGroup: true,
                onAction: () => onDelete(number),
              },
            ]}
          >
            <IconButton
              label={`Actions for ${number.phone_number}`}
              icon={<EllipsisVertical aria-hidden />}
            />
          </Menu>
        ),
    },
  ];
  return (
    <DataTable label="Numbers" columns={columns} rows={numbers} keyOf={({ id }) => id} isLinked={false} />
  );
}

function Own({ text }: { text: string | null }) {
  if (text === null) return <span className="text-ink-3">the bot’s own</span>;
  return (
    <span className="block truncate" title={text}>
      {text}
    </span>
  );
}

function Outbound({ number }: { number: VoiceNumber }) {
  if (number.is_outbound_primary) return <StateBadge state="success" text="calls from here" />;
  return (
    <span className="whitespace-nowrap text-ink-3 text-sm">
      {number.outbound_capable ? 'can place calls' : 'answers only'}
    </span>
  );
}
