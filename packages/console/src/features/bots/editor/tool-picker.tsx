import { useState } from 'react';
import type { ToolChoice } from '../../../api/bot-tools.ts';
import { TextLink } from '../../../app/workspace.tsx';
import { Dialog } from '../../../kit/dialogs.tsx';
import { TextField } from '../../../kit/fields.tsx';

interface ToolPickerProps {
  isOpen: boolean;
  choices: readonly ToolChoice[];
  onClose: () => void;
  onPick: (choice: ToolChoice) => void;
}

/** Chooses a tool for the bot. */
export function ToolPicker({ isOpen, choices, onClose, onPick }: ToolPickerProps) {
  const [text, setText] = useState('');
  const wanted = text.trim().toLowerCase();
  const usable = choices.filter(({ isActive }) => isActive);
  const shown = usable.filter(({ name, type, description }) =>
    `${name} ${type} ${description}`.toLowerCase().includes(wanted),
  );
  return (
    <Dialog title="Add a tool" isOpen={isOpen} onClose={onClose}>
      <div className="flex flex-col gap-3">
        <TextField
          label="Find a tool"
          hideLabel
          placeholder="Find a tool"
          value={text}
          onChange={setText}
          autoFocus
        />
        <ul className="flex flex-col">
          {shown.map((choice) => (
            <li key={choice.id ?? choice.type} className="border-line border-b last:border-0">
              <button
                type="button"
                onClick={() => onPick(choice)}
                className="flex w-full flex-col gap-0.5 rounded-md px-2 py-2 text-left hover:bg-hover"
              >
                <span className="font-medium">
                  {choice.name} <span className="font-normal text-ink-3 text-sm">{choice.type}</span>
                </span>
                <span className="line-clamp-2 text-ink-2 text-sm">{choice.description}</span>
              </button>
            </li>
          ))}
        </ul>
        {shown.length === 0 && (
          <p className="text-ink-2">
            {usable.length === 0 ? 'The bot has every tool there is.' : 'No tool matches.'}
          </p>
        )}
        <TextLink path="/tools/new" className="w-fit text-sm">
          Connect something new
        </TextLink>
      </div>
    </Dialog>
  );
}
